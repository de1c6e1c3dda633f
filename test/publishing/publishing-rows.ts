// The rows of the publishing database, read directly from the tables, for what no response shows, such as whether
// anything is left over.
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

/** What `orphans` finds if nothing is left over. */
export const noOrphans = { files: [], references: [], paths: [] }

export type PublishingRows = ReturnType<typeof openPublishingRows>

export function openPublishingRows(place: TestDatabase) {
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  const all = (statements: string[]) => queryEach(place, 'publishing', statements)
  const found = async (...statements: string[]) =>
    (await all(statements)).flat().map((row) => row.found as string)
  return {
    database,
    /** The number of rows of each table. */
    async count() {
      const counts = await all(tables.map((table) => `select count(*) as count from ${table}`))
      const entries = counts.map(([row], i) => [tables[i], Number(row?.count)])
      return Object.fromEntries(entries) as Record<(typeof tables)[number], number>
    },
    /** Files without references, references without their file, and paths of deploys that do not exist. */
    orphans: async () => ({
      files: await found(unreferenced),
      references: await found(...dangling),
      paths: await found(...ofNoDeploy),
    }),
    /** The states of all deploys, including invisible ones: `1 live`. */
    async states() {
      return (await database.read.all(states, {})).map(({ number, state }) => `${number} ${state}`)
    },
    close: () => database.close(),
  }
}
