// Visits in the database: added in one statement, read by day and by name, and deleted after 400 days.
import { sql } from 'kysely'
import type { Session } from '../../platform/database/database.ts'
import { type Database, transaction } from '../../platform/database/database.ts'
import { jsonRows } from '../../platform/database/json-rows.ts'
import { oldRowsOf } from '../../platform/jobs/delete-old-rows.ts'
import { type PublishingTables, prepareQuery } from '../database/tables.ts'
import { dayMs, type VisitCounter, type VisitKind, type VisitTally } from './visit-counter.ts'

export const keptDays = 400
export const maxNamesShown = 100
const maxRowsPerStatement = 5000

/** In the order of the key, so that all processes lock the rows in the same order. A deleted project has no row. */
const add = prepareQuery<{ visits: string }>()((db, param) => {
  const keys = { project_id: 'text', day: 'bigint', kind: 'text' } as const
  const columns = { ...keys, name: 'text', count: 'bigint' } as const
  return {
    compile: () =>
      sql<unknown>`insert into visits (project_id, day, kind, name, count)
        select new.project_id, new.day, new.kind, new.name, new.count
        from ${jsonRows(db, param('visits'), 'new', columns)}
        join projects on projects.id = new.project_id
        where true
        order by new.project_id, new.day, new.kind, new.name
        on conflict (project_id, day, kind, name)
        do update set count = visits.count + excluded.count`.compile(db),
  }
})
const addTransaction = transaction(async (session, visits: string) => {
  await session.all(add, { visits })
})

const viewsByDay = prepareQuery<{ project: string; since: number }>()((db, param) =>
  db
    .selectFrom('visits')
    .select('day')
    .select(({ fn }) => fn.sum<bigint | string>('count').as('sum'))
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('since'))
    .where('kind', '=', 'view')
    .groupBy('day')
    .orderBy('day')
    .limit(keptDays + 2),
)
const totals = prepareQuery<{ project: string; since: number }>()((db, param) =>
  db
    .selectFrom('visits')
    .select('kind')
    .select(({ fn }) => fn.sum<bigint | string>('count').as('sum'))
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('since'))
    .groupBy('kind')
    .limit(10),
)
const topNames = prepareQuery<{ project: string; since: number; kind: string }>()((db, param) =>
  db
    .selectFrom('visits')
    .select('name')
    .select(({ fn }) => fn.sum<bigint | string>('count').as('sum'))
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('since'))
    .where('kind', '=', param('kind'))
    .where('name', '!=', '')
    .groupBy('name')
    .orderBy('sum', 'desc')
    .orderBy('name')
    .limit(maxNamesShown),
)

/** Moves counts from memory to the database. What could not be written stays in memory. */
export async function recordVisits(database: Database, counter: VisitCounter): Promise<void> {
  const tallies = counter.take()
  for (let start = 0; start < tallies.length; start += maxRowsPerStatement) {
    const part = tallies.slice(start, start + maxRowsPerStatement)
    const counts = part.map(({ count }) => count)
    await addTransaction(database, JSON.stringify(part.map(rowOf)))
    // Visitors went on meanwhile.
    for (const [i, tally] of part.entries()) tally.count -= counts[i] as number
  }
  counter.forgetWritten()
}

function rowOf({ count, day, kind, name, project }: VisitTally) {
  return { project_id: project, day, kind, name, count }
}

/** From the day that begins at `since` on. */
export async function readVisits(session: Session, project: string, since: number) {
  const scope = { project, since }
  const namesOf = async (kind: VisitKind) => {
    const rows = await session.all(topNames, { ...scope, kind })
    return rows.map(({ name, sum }) => ({ name, count: Number(sum) }))
  }
  const [days, sums, pages, searches, notFound] = await Promise.all([
    session.all(viewsByDay, scope),
    session.all(totals, scope),
    namesOf('view'),
    namesOf('search'),
    namesOf('not_found'),
  ])
  const totalOf = (kind: VisitKind) => Number(sums.find((row) => row.kind === kind)?.sum ?? 0)
  return {
    days: new Map(days.map(({ day, sum }) => [Number(day), Number(sum)])),
    pages: { total: totalOf('view'), items: pages },
    searches: { total: totalOf('search'), items: searches },
    notFound: { total: totalOf('not_found'), items: notFound },
  }
}

export const deleteOldVisits = oldRowsOf<PublishingTables>()({
  table: 'visits',
  key: ['project_id', 'day', 'kind', 'name'],
  time: 'day',
  keptMs: keptDays * dayMs,
})
