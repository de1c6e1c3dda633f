// What is due, and who sends it. A claim is one statement that moves the due time to when the claim lapses:
// no other process takes the delivery before, and none is stuck when its process dies.
import { randomBytes } from 'node:crypto'
import { type Database, each, findOne } from '../../platform/database/database.ts'
import { lockState } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'

/** An active webhook with what its next deliveries need. */
export interface Target {
  id: string
  url: string
  /** Encrypted. */
  secret: string
  previousSecret: string | null
  previousUntil: number
  isFailing: boolean
  /** Undefined when nothing is open but what is held. */
  nextDueAt: number | undefined
}

export interface Claimed {
  claim: string
  webhookId: string
  eventId: bigint
  petId: bigint
  messageId: string
  payload: string
  /** Attempts that have failed since it was recorded or resent. */
  tries: number
}

/** Longer than an attempt with all that belongs to it can take. */
export const claimedForMs = 60_000

/** The webhooks that get events, with the moment at which each has something to send. */
export async function readTargets(database: Database): Promise<Target[]> {
  return (await database.read.all(targets, {})).map((row) => ({
    id: row.id,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousUntil: Number(row.previous_until ?? 0),
    isFailing: row.failing_since !== null,
    nextDueAt: row.next_due_at === null ? undefined : Number(row.next_due_at),
  }))
}

/** Claims at most `limit` deliveries of a webhook that are due, the longest due first. */
export async function claimDeliveries(
  database: Database,
  webhookId: string,
  limit: number,
  now: number,
): Promise<Claimed[]> {
  return await database.write(claimDueTransaction, { webhookId, limit, now })
}

const targets = prepareQuery()((db) =>
  db
    .selectFrom('webhooks as w')
    .select((eb) => [
      'w.id',
      'w.url',
      'w.secret',
      'w.previous_secret',
      'w.previous_until',
      'w.failing_since',
      eb
        .selectFrom('webhook_deliveries as d')
        .select((d) => d.fn.min('d.due_at').as('next_due_at'))
        .whereRef('d.webhook_id', '=', 'w.id')
        .where('d.due_at', 'is not', null)
        .as('next_due_at'),
    ])
    .where('w.disabled_at', 'is', null)
    .where('w.removed_at', 'is', null)
    .orderBy('w.id'),
)
interface Claim {
  webhook: string
  claim: string
  now: number
  until: number
  limit: number
}
// `due_at` is asked for twice: PostgreSQL looks again at a row that another claim has changed meanwhile.
const claim = prepareQuery<Claim>()((db, param) =>
  db
    .updateTable('webhook_deliveries')
    .set({ due_at: param('until'), claim: param('claim') })
    .where('webhook_id', '=', param('webhook'))
    .where('due_at', '<=', param('now'))
    .where('event_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('event_id')
        .where('webhook_id', '=', param('webhook'))
        .where('due_at', '<=', param('now'))
        .orderBy('due_at')
        .orderBy('event_id')
        .limit(param('limit')),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('id')
          .where('id', '=', param('webhook'))
          .where('disabled_at', 'is', null)
          .where('removed_at', 'is', null),
      ),
    ),
)
const claimed = prepareQuery<Claim>()((db, param) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .select(['d.event_id', 'd.pet_id', 'd.tries', 'e.message_id', 'e.payload'])
    .where('d.webhook_id', '=', param('webhook'))
    .where('d.due_at', '=', param('until'))
    .where('d.claim', '=', param('claim'))
    .orderBy('d.event_id'),
)

interface Claiming {
  webhookId: string
  limit: number
  now: number
}

const claimDueTransaction = each(
  async (session, { webhookId, limit, now }: Claiming): Promise<Claimed[]> => {
    const token = randomBytes(12).toString('hex')
    const params = { webhook: webhookId, claim: token, now, until: now + claimedForMs, limit }
    // Under the lock like every write, so that two nodes that claim never wait for each other's rows.
    await lockState(session)
    await session.all(claim, params)
    return (await session.all(claimed, params)).map((row) => ({
      claim: token,
      webhookId,
      eventId: row.event_id,
      petId: row.pet_id,
      messageId: row.message_id,
      payload: row.payload,
      tries: Number(row.tries),
    }))
  },
)

const maxCounted = 100_000

const webhooks = prepareQuery()((db) => db.selectFrom('store_state').select('active_webhooks'))
const open = prepareQuery<{ limit: number }>()((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('event_id')
        .where('finished_at', 'is', null)
        .limit(param('limit'))
        .as('open'),
    )
    .select((eb) => eb.fn.countAll<bigint>().as('length')),
)
const oldest = prepareQuery()((db) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('webhook_events as e', (join) =>
      join.on('e.id', '=', (eb) =>
        eb
          .selectFrom('webhook_deliveries as d')
          .select((d) => d.fn.min('d.event_id').as('event_id'))
          .whereRef('d.webhook_id', '=', 'w.id')
          .where('d.finished_at', 'is', null),
      ),
    )
    .select((eb) => eb.fn.min('e.created_at').as('created_at')),
)

/** Open deliveries, counted up to 100,000, and the age of the oldest event among them. */
export async function readQueue(
  { read }: Database,
  now: number,
): Promise<{ length: number; oldestSeconds: number }> {
  const state = await findOne(read, webhooks, {})
  if (!state?.active_webhooks) return { length: 0, oldestSeconds: 0 }
  const length = Number((await findOne(read, open, { limit: maxCounted }))?.length ?? 0)
  const since = length > 0 ? (await findOne(read, oldest, {}))?.created_at : undefined
  return { length, oldestSeconds: since ? Math.max(0, (now - Number(since)) / 1000) : 0 }
}
