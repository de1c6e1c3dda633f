// The rows of the publishing database, read directly from the tables, for what no response shows, such as whether
// anything is left over.
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { prepare } from '#publishing/database/tables.ts'
import type { TestDatabase } from '../database.ts'
import { queryEach } from '../query.ts'

const references = ['uploads', 'deploy_sources', 'deploy_files', 'site_images']
const pathTables = ['deploy_sources', 'deploy_files'] as const
const tables = [
  'projects',
  'slugs',
  'files',
  'uploads',
  'deploys',
  ...pathTables,
  'visits',
] as const

const hasNo = (table: string, condition: string) =>
  `not exists (select 1 from ${table} where ${condition})`
const unreferenced = `select hash as found from files where ${references
  .map((table) => hasNo(table, `${table}.hash = files.hash`))
  .join(' and ')}`
const dangling = references.map(
  (table) =>
    `select hash as found from ${table} where ${hasNo('files', `files.hash = ${table}.hash`)}`,
)
const ofNoDeploy = pathTables.map((table) => {
  const isIts = `deploys.project_id = ${table}.project_id and deploys.number = ${table}.number`
  return `select path as found from ${table} where ${hasNo('deploys', isIts)}`
})
const orderBy = ['project_id', 'number'] as const
const states = prepare.select('deploys', ['number', 'state'], {}, { orderBy })

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
  /** The number of rows of each table. */
  count(): Promise<Record<(typeof tables)[number], number>>
  orphans(): Promise<Orphans>
  /** The states of all deploys, including invisible ones: `1 live`. */
  states(): Promise<string[]>
  close(): Promise<void>
}

export function openPublishingRows(place: TestDatabase): PublishingRows {
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  const all = (statements: string[]) => queryEach(place, 'publishing', statements)
  const found = async (...statements: string[]) =>
    (await all(statements)).flat().map((row) => row.found as string)
  return {
    database,
    async count() {
      const counts = await all(tables.map((table) => `select count(*) as count from ${table}`))
      const entries = counts.map(([row], i) => [tables[i], Number(row?.count)])
      return Object.fromEntries(entries) as Record<(typeof tables)[number], number>
    },
    orphans: async () => ({
      files: await found(unreferenced),
      references: await found(...dangling),
      paths: await found(...ofNoDeploy),
    }),
    async states() {
      return (await database.read.all(states, {})).map(({ number, state }) => `${number} ${state}`)
    },
    close: () => database.close(),
  }
}
