// Bounds the event log: events are kept for 400 days, and at most the last 10,000 per project.

import { findOne, type Session } from '#kit/database/database.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { deleteInBatches, oldRowsOf, type Upkeep } from '#kit/jobs/delete-old-rows.ts'
import { type PublishingTables, prepare, prepareQuery } from '#publishing/database/tables.ts'

const maxOfProject = 10_000
const atOnce = 500

const deleteOldEvents = oldRowsOf<PublishingTables>()({
  table: 'domain_events',
  key: ['position'],
  time: 'at',
  keptMs: 400 * 24 * 3_600_000,
  lock: takeLock,
})
const activeProjects = prepareQuery<{ after: bigint }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .select(['project_id', (eb) => eb.fn.max<bigint>('position').as('last')])
    .where('position', '>', param('after'))
    .groupBy('project_id'),
)
/** The newest event beyond the limit of a project. */
const firstBeyondLimit = prepareQuery<{ project: string; max: number }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .select('position')
    .where('project_id', '=', param('project'))
    .orderBy('position', 'desc')
    .limit(1)
    .offset(param('max')),
)
const deleteSome = prepareQuery<{ project: string; until: bigint; max: number }>()((db, param) =>
  db
    .deleteFrom('domain_events')
    .where('position', 'in', (eb) =>
      eb
        .selectFrom('domain_events')
        .select('position')
        .where('project_id', '=', param('project'))
        .where('position', '<=', param('until'))
        .limit(param('max')),
    )
    .returning('position'),
)
const deleteBeyond = locked(async (session, project: string, until: bigint) => {
  return (await session.all(deleteSome, { project, until, max: atOnce })).length > 0
})
const deleteAllOf = (['domain_events', 'domain_notices', 'domain_webhooks'] as const).map((table) =>
  prepare.delete(table, { project_id: 'project' }),
)

/** Deletes old and excess events, in short transactions. */
export function createEventCleanup(): Upkeep {
  /** Projects without an event after this position are within their limit. */
  let checkedTo = 0n

  return async (database, now) => {
    const { read } = database
    await deleteOldEvents(database, now)
    const active = await read.all(activeProjects, { after: checkedTo })
    for (const { last, project_id: project } of active) {
      const beyond = await findOne(read, firstBeyondLimit, { project, max: maxOfProject })
      if (beyond) await deleteInBatches(() => deleteBeyond(database, project, beyond.position))
      if (last > checkedTo) checkedTo = last
    }
  }
}

/** Deletes all events, notices and webhooks of a deleted project; inside that write. */
export async function deleteEventsOf(session: Session, project: string): Promise<void> {
  for (const query of deleteAllOf) await session.all(query, { project })
}
