// Records a domain event inside the transaction that causes it, with a notice for each recipient. Positions
// ascend in commit order, independent of the nodes' clocks.
import { findOne, getOne, type Session } from '../../../platform/database/database.ts'
import { createRecordId } from '../../../platform/record-id.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { Change } from './diff-to-events.ts'

/** The domain of an event. */
export interface EventSubject {
  id: string
  host: string
  projectId: string
  /** An account; anything else stands for all operators. */
  holder: string
}

export interface Happening extends Change {
  at: number
  /** The account that caused it; null for the server itself. */
  actor: string | null
}

/** The maximum number of operators that receive an e-mail. */
const maxOperators = 20
/** The maximum of pending notices per project and channel; further ones are dropped. */
const maxNotices = 1000

const takePosition = prepareQuery()((db) =>
  db
    .updateTable('publishing_state')
    .set((eb) => ({ last_event: eb('last_event', '+', 1n) }))
    .returning('last_event'),
)
const insert = prepareQuery<{
  position: bigint
  id: string
  at: number
  project: string
  host: string
  domain: string
  type: string
  actor: string | null
  detail: string
}>()((db, param) =>
  db.insertInto('domain_events').values({
    position: param('position'),
    id: param('id'),
    at: param('at'),
    project_id: param('project'),
    host: param('host'),
    domain_id: param('domain'),
    type: param('type'),
    actor: param('actor'),
    detail: param('detail'),
  }),
)
const insertNotice = prepareQuery<{
  position: bigint
  channel: 'mail' | 'webhook'
  recipient: string
  project: string
  domain: string
  at: number
}>()((db, param) =>
  db.insertInto('domain_notices').values({
    position: param('position'),
    channel: param('channel'),
    recipient: param('recipient'),
    project_id: param('project'),
    domain_id: param('domain'),
    created_at: param('at'),
    due_at: param('at'),
    claim: null,
    tries: 0n,
  }),
)
const account = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('accounts').select('id').where('id', '=', param('id')),
)
const operators = prepareQuery<{ max: number }>()((db, param) =>
  db
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'operator')
    .orderBy('id')
    .limit(param('max')),
)
const lastOfMany = prepareQuery<{ project: string; channel: string; max: number }>()((db, param) =>
  db
    .selectFrom('domain_notices')
    .select('position')
    .where('project_id', '=', param('project'))
    .where('channel', '=', param('channel'))
    .limit(1)
    .offset(param('max')),
)
const webhook = prepareQuery<{ project: string }>()((db, param) =>
  db.selectFrom('domain_webhooks').select('project_id').where('project_id', '=', param('project')),
)

/** Call it inside a write; it takes the lock if it is not held. */
export async function recordEvent(
  session: Session,
  { holder, host, id: domain, projectId: project }: EventSubject,
  { actor, at, detail, isNotice, type }: Happening,
): Promise<void> {
  const { last_event: position } = await getOne(session, takePosition, {})
  await session.all(insert, {
    position,
    id: createRecordId('evt', at),
    at,
    project,
    host,
    domain,
    type,
    actor,
    detail: JSON.stringify(detail),
  })
  session.announce?.()
  if (!isNotice) return
  const notice = { position, project, domain, at }
  const own = await findOne(session, account, { id: holder })
  const readers = own ? [own] : await session.all(operators, { max: maxOperators })
  const isFull = async (channel: 'mail' | 'webhook'): Promise<boolean> =>
    (await findOne(session, lastOfMany, { project, channel, max: maxNotices })) !== undefined
  if (!(await isFull('mail'))) {
    for (const { id } of readers) {
      await session.all(insertNotice, { ...notice, channel: 'mail', recipient: id })
    }
  }
  if ((await findOne(session, webhook, { project })) && !(await isFull('webhook'))) {
    await session.all(insertNotice, { ...notice, channel: 'webhook', recipient: '' })
  }
}
