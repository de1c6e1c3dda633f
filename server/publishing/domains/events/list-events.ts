// Lists the domain events of a project: newest first by pages, or oldest first from a position.
import { findOne, type Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { EventDetail } from './diff-to-events.ts'
import type { DomainEventType } from './event-types.ts'

export interface FoundEvent {
  position: bigint
  id: string
  /** Milliseconds since the epoch. */
  at: number
  projectId: string
  host: string
  domainId: string
  type: DomainEventType
  /** The account that caused it; its name is null after the account was deleted. */
  actor: { id: string; name: string | null } | null
  detail: EventDetail
}

const columns = [
  'position',
  'domain_events.id as id',
  'at',
  'project_id',
  'host',
  'domain_id',
  'type',
  'actor',
  'detail',
  'accounts.name as actor_name',
] as const

interface Row {
  position: bigint
  id: string
  at: bigint
  project_id: string
  host: string
  domain_id: string
  type: string
  actor: string | null
  detail: string
  actor_name: string | null
}

const ofProject = prepareQuery<{ project: string; before: bigint; most: number }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .leftJoin('accounts', 'accounts.id', 'domain_events.actor')
    .select(columns)
    .where('project_id', '=', param('project'))
    .where('position', '<', param('before'))
    .orderBy('position', 'desc')
    .limit(param('most')),
)
const ofHost = prepareQuery<{ project: string; host: string; before: bigint; most: number }>()(
  (db, param) =>
    db
      .selectFrom('domain_events')
      .leftJoin('accounts', 'accounts.id', 'domain_events.actor')
      .select(columns)
      .where('project_id', '=', param('project'))
      .where('host', '=', param('host'))
      .where('position', '<', param('before'))
      .orderBy('position', 'desc')
      .limit(param('most')),
)
const after = prepareQuery<{ project: string; after: bigint; most: number }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .leftJoin('accounts', 'accounts.id', 'domain_events.actor')
    .select(columns)
    .where('project_id', '=', param('project'))
    .where('position', '>', param('after'))
    .orderBy('position')
    .limit(param('most')),
)
const atPosition = prepareQuery<{ position: bigint }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .leftJoin('accounts', 'accounts.id', 'domain_events.actor')
    .select(columns)
    .where('position', '=', param('position')),
)
const positionOf = prepareQuery<{ project: string; id: string }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .select('position')
    .where('id', '=', param('id'))
    .where('project_id', '=', param('project')),
)

/** The position of the last event of all. */
export const lastPosition = prepareQuery()((db) =>
  db.selectFrom('publishing_state').select('last_event'),
)

/** Newest first: of a project, or of one host that it has or had; those before a position. */
export async function listEvents(
  session: Session,
  { before, host, most, project }: { project: string; host?: string; before: bigint; most: number },
): Promise<FoundEvent[]> {
  const rows =
    host === undefined
      ? await session.all(ofProject, { project, before, most })
      : await session.all(ofHost, { project, host, before, most })
  return rows.map(eventOf)
}

/** Oldest first, at most `most` that came after a position. */
export async function listEventsAfter(
  session: Session,
  project: string,
  position: bigint,
  most: number,
): Promise<FoundEvent[]> {
  return (await session.all(after, { project, after: position, most })).map(eventOf)
}

export async function findEventAt(
  session: Session,
  position: bigint,
): Promise<FoundEvent | undefined> {
  const row = await findOne(session, atPosition, { position })
  return row && eventOf(row)
}

/** Undefined when the project has no such event, or no longer. */
export async function findPosition(
  session: Session,
  project: string,
  id: string,
): Promise<bigint | undefined> {
  return (await findOne(session, positionOf, { project, id }))?.position
}

function eventOf(row: Row): FoundEvent {
  return {
    position: row.position,
    id: row.id,
    at: Number(row.at),
    projectId: row.project_id,
    host: row.host,
    domainId: row.domain_id,
    type: row.type as DomainEventType,
    actor: row.actor === null ? null : { id: row.actor, name: row.actor_name },
    detail: JSON.parse(row.detail) as EventDetail,
  }
}
