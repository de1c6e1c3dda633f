// Visits in the database: added in one statement, read by day and by name, and deleted after 400 days.

import { sql } from 'kysely'
import type { Database, Session } from '#kit/database/database.ts'
import { jsonRows } from '#kit/database/json-rows.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { type PublishingTables, prepareQuery } from '../database/tables.ts'
import { dayMs, type VisitCounter, type VisitKind, type VisitTally } from './visit-counter.ts'

export const keptDays = 400
export const maxNamesShown = 100
const maxRowsPerStatement = 5000

/** A sum of int64, as each engine gives it. */
type Sum = bigint | string

/** In the order of the key, so that all processes lock the rows in the same order. A deleted project has no row. */
const add = prepareQuery<{ visits: string }>()((db, param) => {
  const keys = { project_id: 'text', day: 'bigint', kind: 'text' } as const
  const columns = { ...keys, name: 'text', count: 'bigint' } as const
  return sql<unknown>`insert into visits (project_id, day, kind, name, count)
        select new.project_id, new.day, new.kind, new.name, new.count
        from ${jsonRows(db, param('visits'), 'new', columns)}
        join projects on projects.id = new.project_id
        where true
        order by new.project_id, new.day, new.kind, new.name
        on conflict (project_id, day, kind, name)
        do update set count = visits.count + excluded.count`
})
const addTransaction = unlocked(async (session, visits: string) => {
  await session.all(add, { visits })
})

/** A period from `since` on, and the one before it, from `previousSince` on. */
interface Periods {
  project: string
  since: number
  previousSince: number
}

const viewsByDay = prepareQuery<Omit<Periods, 'since'>>()((db, param) =>
  db
    .selectFrom('visits')
    .select('day')
    .select(({ fn }) => fn.sum<Sum>('count').as('sum'))
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('previousSince'))
    .where('kind', '=', 'view')
    .groupBy('day')
    .orderBy('day')
    .limit(keptDays + 2),
)
const totals = prepareQuery<Periods>()((db, param) =>
  db
    .selectFrom('visits')
    .select('kind')
    .select(({ fn }) => [
      fn.sum<Sum | null>('count').filterWhere('day', '>=', param('since')).as('sum'),
      fn.sum<Sum | null>('count').filterWhere('day', '<', param('since')).as('previous'),
    ])
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('previousSince'))
    .groupBy('kind')
    .limit(10),
)
/** Of the names of the period: the most frequent first. */
const topNames = prepareQuery<Periods & { kind: string }>()((db, param) =>
  db
    .selectFrom('visits')
    .select('name')
    .select(({ fn }) => [
      fn.sum<Sum>('count').filterWhere('day', '>=', param('since')).as('sum'),
      fn.sum<Sum | null>('count').filterWhere('day', '<', param('since')).as('previous'),
    ])
    .where('project_id', '=', param('project'))
    .where('day', '>=', param('previousSince'))
    .where('kind', '=', param('kind'))
    .where('name', '!=', '')
    .groupBy('name')
    .having(({ fn }) => fn.max('day'), '>=', param('since'))
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

/**
 * Of the `days` days from `since` on, and of as many before them: `previous`, null where those are not all kept.
 */
export async function readVisits(session: Session, project: string, since: number, days: number) {
  const isCompared = 2 * days <= keptDays
  const periods = { project, since, previousSince: isCompared ? since - days * dayMs : since }
  const counts = (row: { sum: Sum | null; previous: Sum | null } | undefined) => ({
    count: Number(row?.sum ?? 0),
    previous: isCompared ? Number(row?.previous ?? 0) : null,
  })
  const namesOf = async (kind: VisitKind) => {
    const rows = await session.all(topNames, { ...periods, kind })
    return rows.map((row) => ({ name: row.name, ...counts(row) }))
  }
  const [byDay, sums, pages, sources, searches, notFound, helpful, notHelpful] = await Promise.all([
    session.all(viewsByDay, periods),
    session.all(totals, periods),
    namesOf('view'),
    namesOf('source'),
    namesOf('search'),
    namesOf('not_found'),
    namesOf('helpful'),
    namesOf('not_helpful'),
  ])
  const views = new Map(byDay.map(({ day, sum }) => [Number(day), Number(sum)]))
  const viewsOf = (day: number) => views.get(day) ?? 0
  const totalOf = (kind: VisitKind) => {
    const { count, previous } = counts(sums.find((row) => row.kind === kind))
    return { total: count, previous }
  }
  return {
    days: Array.from({ length: days }, (_, i) => {
      const day = since + i * dayMs
      return {
        date: new Date(day).toISOString().slice(0, 10),
        views: viewsOf(day),
        previous: isCompared ? viewsOf(day - days * dayMs) : null,
      }
    }),
    pages: { ...totalOf('view'), items: pages },
    sources: { ...totalOf('source'), items: sources },
    direct: counts(sums.find(({ kind }) => kind === 'direct')),
    searches: { ...totalOf('search'), items: searches },
    notFound: { ...totalOf('not_found'), items: notFound },
    helpful: { ...totalOf('helpful'), items: helpful },
    notHelpful: { ...totalOf('not_helpful'), items: notHelpful },
  }
}

export const deleteOldVisits = oldRowsOf<PublishingTables>()({
  table: 'visits',
  key: ['project_id', 'day', 'kind', 'name'],
  time: 'day',
  keptMs: keptDays * dayMs,
})
