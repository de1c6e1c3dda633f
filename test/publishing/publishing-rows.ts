// The rows of the publishing database, read directly from the tables, for what no response shows, such as whether
// anything is left over.
import { sql } from 'kysely'
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import type { TestDatabase } from '../database.ts'

const tables = [
  'projects',
  'slugs',
  'files',
  'uploads',
  'deploys',
  'deploy_sources',
  'deploy_files',
  'visits',
] as const
type Table = (typeof tables)[number]
const references = ['uploads', 'deploy_sources', 'deploy_files', 'site_images'] as const

const counts = tables.map((table) => ({
  table,
  query: prepareQuery()((db) =>
    db.selectFrom(table).select((eb) => eb.fn.countAll<bigint>().as('count')),
  ),
}))
const unreferenced = prepareQuery()((db) =>
  db
    .selectFrom('files')
    .select('hash')
    .where((eb) =>
      eb.and(
        references.map((table) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom(table)
                .select(sql`1`.as('one'))
                .whereRef(`${table}.hash`, '=', 'files.hash'),
            ),
          ),
        ),
      ),
    ),
)
const dangling = references.map((table) =>
  prepareQuery()((db) =>
    db
      .selectFrom(table)
      .select(`${table}.hash`)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('files')
              .select(sql`1`.as('one'))
              .whereRef('files.hash', '=', `${table}.hash`),
          ),
        ),
      ),
  ),
)
const ofNoDeploy = (['deploy_sources', 'deploy_files'] as const).map((table) =>
  prepareQuery()((db) =>
    db
      .selectFrom(table)
      .select(`${table}.path`)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('deploys')
              .select(sql`1`.as('one'))
              .whereRef('deploys.project_id', '=', `${table}.project_id`)
              .whereRef('deploys.number', '=', `${table}.number`),
          ),
        ),
      ),
  ),
)
const states = prepareQuery()((db) =>
  db.selectFrom('deploys').select(['number', 'state']).orderBy('project_id').orderBy('number'),
)

export interface Orphans {
  /** Files without references. */
  files: string[]
  /** References without their file. */
  references: string[]
  /** Paths of deploys that do not exist. */
  paths: string[]
}

export const noOrphans: Orphans = { files: [], references: [], paths: [] }

export interface PublishingRows {
  database: Database
  count(): Promise<Record<Table, number>>
  orphans(): Promise<Orphans>
  /** The states of all deploys, including invisible ones: `1 live`. */
  states(): Promise<string[]>
  close(): Promise<void>
}

export function openPublishingRows(place: TestDatabase): PublishingRows {
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  const { read } = database
  return {
    database,
    async count() {
      const found: [string, number][] = []
      for (const { query, table } of counts) {
        const [row] = await read.all(query, {})
        found.push([table, Number(row?.count)])
      }
      return Object.fromEntries(found) as Record<Table, number>
    },
    async orphans() {
      const files = (await read.all(unreferenced, {})).map(({ hash }) => hash)
      const lost: string[] = []
      for (const query of dangling) for (const row of await read.all(query, {})) lost.push(row.hash)
      const paths: string[] = []
      for (const query of ofNoDeploy)
        for (const row of await read.all(query, {})) paths.push(row.path)
      return { files, references: lost, paths }
    },
    async states() {
      return (await read.all(states, {})).map(({ number, state }) => `${number} ${state}`)
    },
    close: () => database.close(),
  }
}
