// Sends the domain events of a project to its webhook: signed, only to permitted addresses, and retried on the
// schedule of Standard Webhooks.
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import type { Secrets } from '#kit/secrets.ts'
import { messageBody } from '#kit/webhooks/message-body.ts'
import { retryDelayMs } from '#kit/webhooks/retry-schedule.ts'
import { type Sent, sendMessage } from '#kit/webhooks/send-message.ts'
import type { DomainView } from '../api/domain-response.ts'
import { findStreamedEvent } from '../api/streamed-event.ts'
import {
  type FoundWebhook,
  findDomainWebhook,
  recordWebhookAttempt,
  webhookSecretContext,
} from './domain-webhook.ts'
import type { SendNotice } from './notices.ts'

const gone = 410

export interface WebhookContext {
  database: Database
  view: DomainView
  clock: Clock
  secrets: Secrets
  destinations: Destinations
}

export function createWebhookNotifier(context: WebhookContext): SendNotice {
  const { clock, database, view } = context
  return async ({ lease, projectId, tries }) => {
    const webhook = await findDomainWebhook(database.read, projectId)
    const found = webhook && (await findStreamedEvent(database.read, view, lease.position))
    if (!found) return undefined
    const { domain, event, project } = found
    const data = JSON.stringify({ project: project.slug, event, domain })
    const sent = await sendToWebhook(context, projectId, webhook, {
      id: event.id,
      body: messageBody(`domain.${event.type}`, Date.parse(event.at), data),
    })
    if (sent.error === undefined) return undefined
    const now = clock()
    const delay = sent.status === gone ? undefined : retryDelayMs(tries + 1, sent.retryAfter, now)
    return { error: sent.error, nextAt: delay === undefined ? undefined : now + delay }
  }
}

/** Sends one message and records the result. Throws SecretError when the key of its secret is missing. */
export async function sendToWebhook(
  { clock, database, destinations, secrets }: WebhookContext,
  projectId: string,
  { secret, url }: FoundWebhook,
  message: { id: string; body: string },
): Promise<Sent> {
  const signer = secrets.decrypt(secret, webhookSecretContext(projectId))
  const at = clock()
  const sent = await sendMessage({ url, secrets: [signer], ...message }, at, destinations)
  const { error = null, status = null } = sent
  await recordWebhookAttempt(database, { project: projectId, secret, at, status, error })
  return sent
}
