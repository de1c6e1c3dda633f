// Reads the domain events of a project: newest first by pages, or oldest first from a position. Also waits for new ones,
// written by any process: the database is polled only while a caller waits, and all callers share one poll. On SQLite a
// poll takes a microsecond while nothing was committed.

import type { Kysely } from 'kysely'
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import type { Param } from '#kit/database/query.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { type PublishingTables, prepare, prepareQuery } from '#publishing/database/tables.ts'
import type { DomainEventType, EventDetail } from '../state/event-types.ts'

export type FoundEvent = ReturnType<typeof eventOf>
/** Those before a position. */
interface Page {
  project: string
  before: bigint
  max: number
}

const selectEvents = (db: Kysely<PublishingTables>) =>
  db
    .selectFrom('domain_events')
    .leftJoin('accounts', 'accounts.id', 'domain_events.actor')
    .selectAll('domain_events')
    .select('accounts.name as actor_name')

const before = (db: Kysely<PublishingTables>, param: Param<Page>) =>
  selectEvents(db)
    .where('project_id', '=', param('project'))
    .where('position', '<', param('before'))
    .orderBy('position', 'desc')
    .limit(param('max'))
const ofProject = prepareQuery<Page>()(before)
const ofHost = prepareQuery<Page & { host: string }>()((db, param) =>
  before(db, param).where('host', '=', param('host')),
)
const after = prepareQuery<{ project: string; after: bigint; max: number }>()((db, param) =>
  selectEvents(db)
    .where('project_id', '=', param('project'))
    .where('position', '>', param('after'))
    .orderBy('position')
    .limit(param('max')),
)
const atPosition = prepareQuery<{ position: bigint }>()((db, param) =>
  selectEvents(db).where('position', '=', param('position')),
)
const positionOf = prepare.select('domain_events', ['position'], {
  id: 'id',
  project_id: 'project',
})

/** The position of the last event of all. */
const lastPosition = prepare.select('publishing_state', ['last_event'], {})

/** Newest first: of a project, or of one host that it has or had; those before a position. */
export async function listEvents(session: Session, page: Page, host?: string) {
  const rows =
    host === undefined
      ? await session.all(ofProject, page)
      : await session.all(ofHost, { ...page, host })
  return rows.map(eventOf)
}

/** Oldest first, at most `max` after a position. */
export async function listEventsAfter(
  session: Session,
  query: { project: string; after: bigint; max: number },
): Promise<FoundEvent[]> {
  return (await session.all(after, query)).map(eventOf)
}

export async function findEventAt(session: Session, position: bigint) {
  const row = await findOne(session, atPosition, { position })
  return row && eventOf(row)
}

/** Undefined when the project has no such event, or no longer. */
export async function findPosition(session: Session, project: string, id: string) {
  return (await findOne(session, positionOf, { project, id }))?.position
}

function eventOf(row: PublishingTables['domain_events'] & { actor_name: string | null }) {
  const { actor, actorName, detail, type, ...event } = storedRow(row)
  return {
    ...event,
    position: row.position,
    type: type as DomainEventType,
    /** The account that caused it; its name is null after the account was deleted. */
    actor: actor === null ? null : { id: actor, name: actorName },
    detail: JSON.parse(detail) as EventDetail,
  }
}

export type EventWatch = ReturnType<typeof createEventWatch>

const lookEveryMs = { sqlite: 200, postgres: 500 }

export function createEventWatch({ database, log }: { database: Database; log: Logger }) {
  const everyMs = lookEveryMs[database.engine]
  const waiting = new Set<{ position: bigint; wake: () => void }>()
  let counted: number | undefined

  /** The position of the last event. */
  async function now(): Promise<bigint> {
    return (await getOne(database.read, lastPosition, {})).last_event
  }

  const loop = startPollLoop({
    name: 'looking for events of domains',
    log,
    intervalMs: everyMs,
    async poll() {
      if (waiting.size === 0) return Number.POSITIVE_INFINITY
      const counter = database.changeCounter()
      if (counter === undefined || counter !== counted) {
        const last = await now()
        counted = counter
        for (const one of waiting) if (one.position < last) one.wake()
      }
      return everyMs
    },
  })
  database.onAnnouncement(loop.wake)

  return {
    now,
    /** Resolves when there is an event after a position, or when it is aborted. Never rejects. */
    async beyond(position: bigint, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const one = { position, wake }
      waiting.add(one)
      signal.addEventListener('abort', wake)
      // Forces a read: the change counter does not report commits from before the wait.
      counted = undefined
      loop.wake()
      await promise
      waiting.delete(one)
      signal.removeEventListener('abort', wake)
    },
  }
}
