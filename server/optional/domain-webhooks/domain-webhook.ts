// The webhook for the domain events of a project: its URL and signing secret. A project has at most one; setting
// it again creates a new secret. Messages are signed, sent only to permitted addresses, and retried on the schedule of
// Standard Webhooks.
import type { DomainView } from '#domains/api/domain-response.ts'
import { findStreamedEvent } from '#domains/api/event-routes.ts'
import type { SendNotice } from '#domains/notifications/notices.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Clock } from '#kit/clock.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { findStored, type StoredRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import type { Secrets } from '#kit/secrets.ts'
import { messageBody, retryDelayMs, type Sent, sendMessage } from '#kit/webhooks/send-message.ts'
import {
  insertRow,
  type PublishingTables,
  prepare,
  prepareQuery,
} from '#publishing/database/tables.ts'
import { findProjectById, targetOf } from '#publishing/projects/find-project.ts'

/** Times are milliseconds since the epoch. `secret` is encrypted; `attemptedAt`, `status` and `error`: of the last attempt. */
export type FoundWebhook = StoredRow<PublishingTables['domain_webhooks']>

/** The encryption context of the secret of a project's webhook. */
export function webhookSecretContext(projectId: string): string {
  return `domain webhook secret ${projectId}`
}

const ofProject = prepare.select('domain_webhooks', 'all', { project_id: 'project' })
type NewWebhook = Pick<FoundWebhook, 'projectId' | 'url' | 'secret' | 'createdAt'>
const remove = prepare.delete('domain_webhooks', { project_id: 'project' }, ['url'])
const dropNotices = prepare.delete('domain_notices', {
  project_id: 'project',
  channel: { value: 'webhook' },
})
interface WebhookAttempt {
  project: string
  secret: string
  at: number
  status: number | null
  error: string | null
}

const setAttempt = prepareQuery<WebhookAttempt>()((db, param) =>
  db
    .updateTable('domain_webhooks')
    .set((eb) => ({
      attempted_at: param('at'),
      status: param('status'),
      error: param('error'),
      failing_since: eb
        .case()
        .when(eb.cast(eb.val(param('error')), 'text'), 'is', null)
        .then(null)
        .else(eb.fn.coalesce('failing_since', eb.cast<bigint>(eb.val(param('at')), 'bigint')))
        .end(),
    }))
    .where('project_id', '=', param('project'))
    .where('secret', '=', param('secret')),
)

export const findDomainWebhook = (session: Session, project: string) =>
  findStored(session, ofProject, { project })

/** `secret` is encrypted. False when the project was deleted. */
export const setDomainWebhook = locked(
  async (session, webhook: NewWebhook, origin: AuditOrigin) => {
    const owned = await findProjectById(session, webhook.projectId)
    if (!owned) return false
    const before = await findOne(session, remove, { project: owned.id })
    await insertRow(session, 'domain_webhooks', webhook)
    const action = before ? 'webhook.changed' : 'webhook.created'
    await recordAudit(session, origin, action, targetOf(owned), { url: originOfUrl(webhook.url) })
    return true
  },
)

/** Paths and queries of webhooks can contain secrets. */
function originOfUrl(url: string): string {
  return URL.parse(url)?.origin ?? ''
}

/** Deletes its pending notices, too. False when there is none. */
export const removeDomainWebhook = locked(
  async (session, projectId: string, origin: AuditOrigin) => {
    await session.all(dropNotices, { project: projectId })
    if (!(await findOne(session, remove, { project: projectId }))) return false
    const owned = await findProjectById(session, projectId)
    if (owned) await recordAudit(session, origin, 'webhook.deleted', targetOf(owned))
    return true
  },
)

/** Records the result of an attempt, unless the webhook was replaced since. */
const recordWebhookAttempt = locked(async (session, attempt: WebhookAttempt) => {
  await session.all(setAttempt, attempt)
})

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
