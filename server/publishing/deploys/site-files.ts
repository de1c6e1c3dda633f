// Writes the published files of a deploy that is being built, one batch per transaction. A file and the reference
// to it are written together, and only while the builder holds the lease.

import { type Database, findOne } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { locked } from '#kit/database/transactions.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import type { Claim } from './claims.ts'
import { type ContentFile, dropUnreferenced, insertContents } from './files.ts'
import { type DeployKey, deployKey } from './records/deploy-row.ts'

export interface PublishedFile {
  path: string
  hash: string
  size: number
  /** Undefined if the file is already stored, as a source of the deploy. */
  bytes?: Uint8Array
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string
}

const addToTotals = prepare.update(
  'deploys',
  { site_files: { add: 'files' }, site_bytes: { add: 'bytes' } },
  { ...deployKey, lease: 'lease', state: { value: 'building' } },
  ['number'],
)
const insertFiles = rowInserter<PublishingTables>()('deploy_files')
const fileTables = ['deploy_files', 'deploy_sources'] as const
type FileTable = (typeof fileTables)[number]
const removalQueries = {
  deploy_files: removalQueriesOf('deploy_files'),
  deploy_sources: removalQueriesOf('deploy_sources'),
}

function removalQueriesOf(table: FileTable) {
  return {
    some: prepareQuery<DeployKey & { max: number }>()((db, param) =>
      db
        .selectFrom(table)
        .select(['path', 'hash'])
        .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
        .orderBy('path')
        .limit(param('max')),
    ),
    upTo: prepareQuery<DeployKey & { path: string }>()((db, param) =>
      db
        .deleteFrom(table)
        .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
        .where('path', '<=', param('path')),
    ),
  }
}

/** Adds published files. Throws LeaseLostError. */
export const publishFilesTransaction = locked(
  async (session, { claim, files }: { claim: Claim; files: PublishedFile[] }) => {
    const { number, project } = claim
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const added = { ...claim, files: files.length, bytes }
    if (!(await findOne(session, addToTotals, added))) throw new LeaseLostError()
    await insertContents(
      session,
      files.filter((file): file is PublishedFile & ContentFile => file.bytes !== undefined),
    )
    const rows = files.map(({ connectTo, hash, path }) => {
      return { project_id: project, number, path, hash, connect_to: connectTo ?? null }
    })
    await insertFiles(session, rows)
  },
)

const stateOfDeploy = prepare.select('deploys', ['state', 'lease'], deployKey)

interface FileRemoval {
  deploy: DeployKey
  table: FileTable
  /** The lease of the builder; undefined if the deploy has been removed. */
  lease?: string
  now: number
}

const removeFilesTransaction = locked(
  async (session, { deploy, lease, now, table }: FileRemoval) => {
    const current = await findOne(session, stateOfDeploy, deploy)
    if (lease === undefined && current?.state !== 'removed') return false
    if (lease !== undefined && !(current?.state === 'building' && current.lease === lease)) {
      throw new LeaseLostError()
    }
    const { some, upTo } = removalQueries[table]
    const found = await session.all(some, { ...deploy, max: 250 })
    const last = found.at(-1)
    if (!last) return false
    await session.all(upTo, { ...deploy, path: last.path })
    await dropUnreferenced(
      session,
      found.map(({ hash }) => hash),
      now,
    )
    return true
  },
)

/** Removes the published files of a build attempt, in batches. Throws LeaseLostError. */
export async function removeBuilt(database: Database, claim: Claim, now: number): Promise<void> {
  const removal = { deploy: claim, table: 'deploy_files', lease: claim.lease, now } as const
  while (await removeFilesTransaction(database, removal));
}

/** Removes all files of a removed deploy, in batches. Can be called again after a crash. */
export async function removeFiles(
  database: Database,
  deploy: DeployKey,
  now: number,
): Promise<void> {
  for (const table of fileTables) {
    while (await removeFilesTransaction(database, { deploy, table, now }));
  }
}
