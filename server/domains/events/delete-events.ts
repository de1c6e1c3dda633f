// Bounds the event log: events are kept for 400 days, and at most the last 10,000 per project.

import { findOne, type Session } from '#kit/database/database.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { deleteInBatches, type Upkeep } from '#kit/jobs/delete-old-rows.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'

const retentionMs = 400 * 24 * 3_600_000
const maxOfProject = 10_000
const atOnce = 500

const positions = ['position'] as const
const old = prepare.select(
  'domain_events',
  positions,
  { at: { '<=': 'until' } },
  { orderBy: ['at'], limit: 'max' },
)
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
const oldest = prepare.select(
  'domain_events',
  positions,
  { project_id: 'project', position: { '<=': 'until' } },
  { limit: 'max' },
)
const deleteOne = prepare.delete('domain_events', { position: 'position' })
const deleteAllOf = (['domain_events', 'domain_notices', 'domain_webhooks'] as const).map((table) =>
  prepare.delete(table, { project_id: 'project' }),
)

const deleteEvents = unlocked(async (session, found: { position: bigint }[]) => {
  for (const { position } of found) await session.all(deleteOne, { position })
})

/** Deletes old and excess events, in short transactions. */
export function createEventCleanup(): Upkeep {
  /** Projects without an event after this position are within their limit. */
  let checkedTo = 0n

  return async (database, now) => {
    const { read } = database
    const deleteFound = (find: () => Promise<{ position: bigint }[]>) =>
      deleteInBatches(async () => {
        const found = await find()
        if (found.length > 0) await deleteEvents(database, found)
        return found.length > 0
      })
    await deleteFound(async () => read.all(old, { until: now - retentionMs, max: atOnce }))
    const active = await read.all(activeProjects, { after: checkedTo })
    for (const { last, project_id: project } of active) {
      const beyond = await findOne(read, firstBeyondLimit, { project, max: maxOfProject })
      if (beyond) {
        const until = beyond.position
        await deleteFound(async () => read.all(oldest, { project, until, max: atOnce }))
      }
      if (last > checkedTo) checkedTo = last
    }
  }
}

/** Deletes all events, notices and webhooks of a deleted project; inside that write. */
export async function deleteEventsOf(session: Session, project: string): Promise<void> {
  for (const query of deleteAllOf) await session.all(query, { project })
}
