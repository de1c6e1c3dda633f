// Webhooks: created, changed, tested, and given new secrets; the old secret signs, too, for a while. Their states:
//   active    from the creation on, and when it is enabled again. `failing_since`: attempts have failed since then
//   disabled  by an operator, by a response 410, or because it fails for too long (deliveries.ts). It gets no events; what
//             is open waits until it is enabled, or is dropped
//   removed   permanently: its deliveries and then its row are deleted (forget-deliveries.ts)
// `active_webhooks` counts the active ones, in the transaction that changes them: without any, no events are written.
import type { AuditAction } from '#kit/audit/actions.ts'
import { type AuditDetail, type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import type { Secrets } from '#kit/secrets.ts'
import {
  createId,
  createSecret,
  messageBody,
  type Sent,
  sendMessage,
} from '#kit/webhooks/send-message.ts'
import type { EventType } from '#store/changes/record-events.ts'
import type { EnvironmentName } from '#store/database/environment-name.ts'
import { lockedTransaction } from '#store/database/state.ts'
import { insertRow, prepare, prepareQuery, type StoreTables } from '#store/database/tables.ts'

export type DisabledReason = 'by hand' | 'gone' | 'failing'

/** Times are milliseconds since the epoch. */
export interface Webhook extends Omit<PlainRow<Row>, 'events' | 'disabledReason'> {
  /** Undefined means all, also those that later versions add. */
  events: EventType[] | undefined
  disabledReason: DisabledReason | undefined
}

export interface NewWebhook {
  /** The caller has checked it. */
  url: string
  events?: EventType[] | undefined
  label?: string | undefined
}

/** What an environment's webhooks need to be signed. */
export interface Keeper {
  database: Database
  environment: EnvironmentName
  secrets: Secrets
}

const marks: Record<EnvironmentName, string> = { production: 'wh_live_', staging: 'wh_test_' }
const maxWebhooks = 100

/** What a webhook's secret is encrypted as. */
export function secretContext(environment: EnvironmentName, id: string): string {
  return `webhook secret ${environment} ${id}`
}

/** Creates a webhook; `secret` is returned only once. Undefined if there are `maxWebhooks`. */
export async function createWebhook(
  { database, environment, secrets }: Keeper,
  { events, label = '', url }: NewWebhook,
  origin: AuditOrigin,
): Promise<{ webhook: Webhook; secret: string } | undefined> {
  const id = createId(marks[environment])
  const { bytes, text } = createSecret()
  const secret = secrets.encrypt(bytes, secretContext(environment, id))
  const create = lockedTransaction(async (session) => {
    if ((await session.all(all, {})).length >= maxWebhooks) return undefined
    const row = { id, label, url, events: events?.join(' ') ?? '*', secret, createdAt: origin.at }
    await insertRow(session, 'webhooks', row)
    await session.all(count, { by: 1 })
    return await findAudited(session, id, 'webhook.created', { origin, environment })
  })
  const webhook = await create(database)
  return webhook && { webhook, secret: text }
}

/** All webhooks, oldest first. */
export async function listWebhooks(database: Database): Promise<Webhook[]> {
  return (await database.read.all(all, {})).map(toWebhook)
}

export async function findWebhook(session: Session, id: string): Promise<Webhook | undefined> {
  const row = await findOne(session, byId, { id })
  return row && toWebhook(row)
}

/**
 * Gives a webhook a new secret; for `overlapMs` the old one signs, too. Undefined without such a webhook.
 */
export async function rotateWebhook(
  { database, environment, secrets }: Keeper,
  id: string,
  overlapMs: number,
  origin: AuditOrigin,
): Promise<{ webhook: Webhook; secret: string } | undefined> {
  const { bytes, text } = createSecret()
  const secret = secrets.encrypt(bytes, secretContext(environment, id))
  const rotate = lockedTransaction(async (session) => {
    await session.all(replaceSecret, { id, secret, until: origin.at + overlapMs })
    return await findAudited(session, id, 'webhook.secret_rotated', { origin, environment })
  })
  const webhook = await rotate(database)
  return webhook && { webhook, secret: text }
}

/** Disables a webhook that is active. Inside a transaction that holds the lock. */
export async function disableWithin(
  session: Session,
  id: string,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  const changed = await session.all(disable, { id, now, reason })
  if (changed.length > 0) await session.all(count, { by: -1 })
}

const columns = [
  'id',
  'label',
  'url',
  'events',
  'created_at',
  'failing_since',
  'disabled_at',
  'disabled_reason',
] as const
type Row = Pick<StoreTables['webhooks'], (typeof columns)[number]>

const all = prepare.select(
  'webhooks',
  columns,
  { removed_at: null },
  { orderBy: ['created_at', 'id'] },
)
const byId = prepare.select('webhooks', columns, { id: 'id', removed_at: null })
const replaceSecret = prepareQuery<{ id: string; secret: string; until: number }>()((db, param) =>
  db
    .updateTable('webhooks')
    .set((eb) => ({
      previous_secret: eb.ref('secret'),
      previous_until: param('until'),
      secret: param('secret'),
    }))
    .where('id', '=', param('id'))
    .where('removed_at', 'is', null),
)
const disable = prepare.update(
  'webhooks',
  { disabled_at: 'now', disabled_reason: 'reason' },
  { id: 'id', disabled_at: null, removed_at: null },
  ['id'],
)
const enable = prepare.update(
  'webhooks',
  { disabled_at: null, disabled_reason: null, failing_since: null },
  { id: 'id', disabled_at: { 'is not': null }, removed_at: null },
  ['id'],
)
const remove = prepare.update('webhooks', { removed_at: 'now' }, { id: 'id', removed_at: null }, [
  'disabled_at',
])
const count = prepare.update('store_state', { active_webhooks: { add: 'by' } }, {})

/** Who changes a webhook, and where. */
export interface Audited {
  origin: AuditOrigin
  environment: EnvironmentName
}

/** Inside a transaction: the webhook, with an entry in the audit log. Paths and queries of URLs can contain secrets. */
async function findAudited(
  session: Session,
  id: string,
  action: AuditAction,
  { environment, origin }: Audited,
  more: AuditDetail = {},
): Promise<Webhook | undefined> {
  const webhook = await findWebhook(session, id)
  if (!webhook) return undefined
  const { label, url } = webhook
  const detail = { environment, url: URL.parse(url)?.origin ?? '', ...more }
  await recordAudit(session, origin, action, { id, name: label }, detail)
  return webhook
}

/** Removes a webhook permanently; maintenance deletes its rows. False if it does not exist. */
export const removeWebhook = lockedTransaction(async (session, id: string, audited: Audited) => {
  await findAudited(session, id, 'webhook.deleted', audited)
  const removed = await findOne(session, remove, { id, now: audited.origin.at })
  if (removed?.disabled_at === null) await session.all(count, { by: -1 })
  return removed !== undefined
})

function toWebhook(row: Row): Webhook {
  return {
    ...plainRow(row),
    events: row.events === '*' ? undefined : (row.events.split(' ') as EventType[]),
    disabledReason: (row.disabled_reason ?? undefined) as DisabledReason | undefined,
  }
}

/** What is left out stays. */
interface WebhookChange {
  label?: string | undefined
  /** The caller has checked it. */
  url?: string | undefined
  /** Null means all. */
  events?: EventType[] | null | undefined
  /** True pauses it, and keeps its open deliveries; false resumes it. */
  disabled?: boolean | undefined
}

const update = prepare.update(
  'webhooks',
  { label: 'label', url: 'url', events: 'events' },
  { id: 'id' },
)

/** Undefined if the webhook does not exist. */
export const changeWebhook = lockedTransaction(
  async (session, id: string, { disabled, ...change }: WebhookChange, audited: Audited) => {
    const before = await findWebhook(session, id)
    if (!before) return undefined
    const { events = before.events ?? null, label = before.label, url = before.url } = change
    await session.all(update, { id, label, url, events: events?.join(' ') ?? '*' })
    if (disabled === true) await disableWithin(session, id, 'by hand', audited.origin.at)
    if (disabled === false) {
      const changed = await session.all(enable, { id })
      if (changed.length > 0) await session.all(count, { by: 1 })
      session.announce?.()
    }
    const detail = disabled === undefined ? {} : { active: !disabled }
    return await findAudited(session, id, 'webhook.changed', audited, detail)
  },
)

const signedById = prepare.select('webhooks', ['url', 'secret'], { id: 'id', removed_at: null })

/**
 * Sends a `webhook.test` event at once, active or not, outside of outbox and log. Undefined without such a
 * webhook. Throws SecretError when the key of its secret is not here.
 */
export async function testWebhook(
  { database, environment, secrets }: Keeper,
  id: string,
  destinations: Destinations,
  now: number,
): Promise<Sent | undefined> {
  const row = await findOne(database.read, signedById, { id })
  if (!row) return undefined
  const message = {
    url: row.url,
    secrets: [secrets.decrypt(row.secret, secretContext(environment, id))],
    id: createId('msg_'),
    body: messageBody('webhook.test', now, JSON.stringify({ webhookId: id })),
  }
  return await sendMessage(message, now, destinations)
}
