// Webhooks of domains, as the rest of the program uses them: the operations on the webhook of a project, and how a process
// opens them. A webhook is a URL and a signing secret. A project has at most one; setting it again creates a new secret.
// Messages are signed, sent only to permitted addresses, and retried on the schedule of Standard Webhooks.

import { createDomainView, type DomainView } from '#domains/api/domain-response.ts'
import { findStreamedEvent } from '#domains/api/event-routes.ts'
import * as schema from '#domains/api/event-schema.ts'
import type { SendNotice } from '#domains/notifications/notices.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { findStored, type StoredRow } from '#kit/database/plain-row.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { judgeAddresses } from '#kit/network/addresses.ts'
import { type Destinations, resolveBy } from '#kit/network/http-client.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import {
  checkUrl,
  createId,
  createSecret,
  messageBody,
  retryDelayMs,
  type Sent,
  sendMessage,
} from '#kit/webhooks/send-message.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { insertRow, type PublishingTables, prepare } from '#publishing/database/tables.ts'
import { findProjectById, getProject, targetOf } from '#publishing/projects/find-project.ts'
import { projectRoutesOf } from '#publishing/projects/routes.ts'

const route = projectRoutesOf<WebhookContext>('domains')

export const domainWebhookRoutes = [
  route('GET /projects/{slug}/domain-webhook', 'getDomainWebhook', {
    summary: 'Get the domain webhook of a project, with its last delivery',
    scope: 'projects:read',
    returns: schema.DomainWebhook,
    needs: 'read',
    errors: ['webhook_not_found'],
    handle: async ({ project }, context) => show(await getWebhook(context, project.id)),
  }),
  route('PUT /projects/{slug}/domain-webhook', 'setDomainWebhook', {
    summary: 'Set the domain webhook of a project',
    description:
      'It receives the events active, at_risk, failed, lost, removed, challenge_requested, certificate_prepared and preparation_ended. Setting it creates a new secret, which only this response contains.',
    scope: 'domains:write',
    body: schema.NewDomainWebhook,
    returns: schema.MadeDomainWebhook,
    needs: 'edit',
    async handle({ body: { url }, origin, project: { id } }, context) {
      const { database, destinations, secrets } = context
      await checkUrl(url, destinations)
      const { bytes, text } = createSecret()
      const secret = secrets.encrypt(bytes, webhookSecretContext(id))
      const webhook = { projectId: id, url, secret, createdAt: origin.at }
      await setDomainWebhook(database, webhook, origin)
      return { ...show(await getWebhook(context, id)), secret: text }
    },
  }),
  route('DELETE /projects/{slug}/domain-webhook', 'removeDomainWebhook', {
    summary: 'Remove the domain webhook of a project',
    scope: 'domains:write',
    needs: 'edit',
    errors: ['webhook_not_found'],
    async handle({ origin, project }, { database }) {
      await removeDomainWebhook(database, project.id, origin)
    },
  }),
  route('POST /projects/{slug}/domain-webhook/test', 'testDomainWebhook', {
    summary: 'Send a test message to the domain webhook',
    scope: 'domains:write',
    returns: schema.DomainWebhookTest,
    needs: 'edit',
    errors: ['webhook_not_found'],
    async handle({ origin, project: { id, slug } }, context) {
      const webhook = await getWebhook(context, id)
      const data = JSON.stringify({ project: slug })
      const sent = await sendToWebhook(context, id, webhook, {
        id: createId('msg_'),
        body: messageBody('domain.test', origin.at, data),
      })
      const { durationMs, error = null, status = null } = sent
      return { status, error, durationMs }
    },
  }),
] as const

/** What the database of publishing keeps encrypted. */
export const domainWebhookColumn: EncryptedColumn = {
  table: 'domain_webhooks',
  column: 'secret',
  key: 'project_id',
  contextOf: webhookSecretContext,
}

export function openDomainWebhooks(
  config: Config,
  { clock, database }: Pick<PublishingContext, 'clock' | 'database'>,
) {
  const { dnsServers, platformHost, projectWebhookAllow } = config
  const context = {
    ...{ clock, database, secrets: openSecrets(config) },
    view: createDomainView(database.read, clock, platformHost),
    destinations: { judge: judgeAddresses(projectWebhookAllow), resolve: resolveBy(dnsServers) },
  }
  return {
    /** Part of the management API. */
    routes: bindRoutes(domainWebhookRoutes, context),
    send: createWebhookNotifier(context),
  }
}

async function getWebhook({ database }: WebhookContext, projectId: string): Promise<FoundWebhook> {
  const webhook = await findDomainWebhook(database.read, projectId)
  if (!webhook) throw webhookNotFound()
  return webhook
}

function show(webhook: FoundWebhook): schema.DomainWebhook {
  const failingSince = timeOrNull(webhook.failingSince)
  return toWire(schema.DomainWebhook, { ...webhook, failingSince })
}

function webhookNotFound(): AppError {
  return new AppError('webhook_not_found', 'The project has no webhook for its domains.')
}

/** Times are milliseconds since the epoch. `secret` is encrypted; `attemptedAt`, `status` and `error`: of the last attempt. */
type FoundWebhook = StoredRow<PublishingTables['domain_webhooks']>

/** The encryption context of the secret of a project's webhook. */
function webhookSecretContext(projectId: string): string {
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

const setAttempt = prepare.update(
  'domain_webhooks',
  { attempted_at: 'at', status: 'status', error: 'error', failing_since: 'since' },
  { project_id: 'project', secret: 'secret' },
)

const findDomainWebhook = (session: Session, project: string) =>
  findStored(session, ofProject, { project })

/** `secret` is encrypted. Throws `project_not_found`. */
const setDomainWebhook = locked(
  async (session, webhook: NewWebhook, origin: AuditOrigin): Promise<void> => {
    const owned = await getProject(session, webhook.projectId)
    const before = await findOne(session, remove, { project: owned.id })
    await insertRow(session, 'domain_webhooks', webhook)
    const action = before ? 'webhook.changed' : 'webhook.created'
    // Paths and queries of webhooks can contain secrets.
    const detail = { url: URL.parse(webhook.url)?.origin ?? '' }
    await recordAudit(session, origin, action, targetOf(owned), detail)
  },
)

/** Deletes its pending notices, too. Throws `webhook_not_found`. */
const removeDomainWebhook = locked(
  async (session, projectId: string, origin: AuditOrigin): Promise<void> => {
    await session.all(dropNotices, { project: projectId })
    if (!(await findOne(session, remove, { project: projectId }))) throw webhookNotFound()
    const owned = await findProjectById(session, projectId)
    if (owned) await recordAudit(session, origin, 'webhook.deleted', targetOf(owned))
  },
)

/** Records the result of an attempt, unless the webhook was replaced since. */
const recordWebhookAttempt = locked(async (session, attempt: WebhookAttempt) => {
  const { at, error, project } = attempt
  const before = await findDomainWebhook(session, project)
  const since = error === null ? null : (before?.failingSince ?? at)
  await session.all(setAttempt, { ...attempt, since })
})

const gone = 410

interface WebhookContext {
  database: Database
  view: DomainView
  clock: Clock
  secrets: Secrets
  destinations: Destinations
}

function createWebhookNotifier(context: WebhookContext): SendNotice {
  const { clock, database, view } = context
  return async ({ lease, projectId, tries }) => {
    const webhook = await findDomainWebhook(database.read, projectId)
    const streamed = webhook && (await findStreamedEvent(database.read, view, lease.position))
    if (!streamed) return undefined
    const { domain, event, project } = streamed
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
async function sendToWebhook(
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
