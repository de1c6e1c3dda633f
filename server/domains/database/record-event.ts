// Records a domain event inside the transaction that causes it, with a notice for each recipient. Positions
// ascend in commit order, independent of the nodes' clocks.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, getOne, type Session } from '#kit/database/database.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { insertRow, prepare, prepareQuery } from '#publishing/database/tables.ts'
import type { Change } from '../state/diff-to-events.ts'

/** The domain of an event. `holder`: an account; anything else stands for all operators. */
export type EventSubject = Record<'id' | 'host' | 'projectId' | 'holder', string>

interface Happening extends Change {
  /** Who caused it, and when. */
  origin: AuditOrigin
}

/** The maximum number of operators that receive an e-mail. */
const maxOperators = 20
/** The maximum of pending notices per project and channel; further ones are dropped. */
const maxNotices = 1000

const takePosition = prepare.update('publishing_state', { last_event: { add: 1n } }, {}, [
  'last_event',
])
const account = prepare.select('accounts', ['id'], { id: 'id' })
const operators = prepare.select(
  'accounts',
  ['id'],
  { role: { value: 'operator' } },
  { orderBy: ['id'], limit: maxOperators },
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
const webhook = prepare.select('domain_webhooks', ['project_id'], { project_id: 'project' })

const auditedTypes = [
  'added',
  'configured',
  'preparation_requested',
  'preparation_canceled',
  'removed',
] as const

/** Whether it is a change that a person makes. */
function isAudited(type: Change['type']): type is (typeof auditedTypes)[number] {
  return (auditedTypes as readonly string[]).includes(type)
}

/** Call it inside a write; it takes the lock if it is not held. */
export async function recordEvent(
  session: Session,
  { holder, host, id: domainId, projectId }: EventSubject,
  { detail, isNotice, origin, type }: Happening,
): Promise<void> {
  const { actorId: actor, at } = origin
  const { last_event: position } = await getOne(session, takePosition, {})
  const id = createRecordId('evt', at)
  const event = { position, id, at, projectId, host, domainId, type, actor }
  await insertRow(session, 'domain_events', { ...event, detail: JSON.stringify(detail) })
  if (isAudited(type)) {
    const target = { id: domainId, name: host, ownerId: holder }
    const { records: _, ...audited } = detail
    await recordAudit(session, origin, `domain.${type}`, target, { projectId, ...audited })
  }
  session.announce?.()
  if (!isNotice) return
  const notice = { position, projectId, domainId, createdAt: at, dueAt: at, tries: 0 }
  const project = projectId
  const own = await findOne(session, account, { id: holder })
  const readers = own ? [own] : await session.all(operators, {})
  const isFull = async (channel: 'mail' | 'webhook'): Promise<boolean> =>
    (await findOne(session, lastOfMany, { project, channel, max: maxNotices })) !== undefined
  if (!(await isFull('mail'))) {
    for (const { id } of readers) {
      await insertRow(session, 'domain_notices', { ...notice, channel: 'mail', recipient: id })
    }
  }
  if ((await findOne(session, webhook, { project })) && !(await isFull('webhook'))) {
    await insertRow(session, 'domain_notices', { ...notice, channel: 'webhook', recipient: '' })
  }
}
