// Writes the published files of a deploy that is being built, one batch per transaction. A file and the reference
// to it are written together, and only while the builder holds the lease.
import { type Database, each, findOne } from '../../platform/database/database.ts'
import { rowInserter } from '../../platform/database/insert-rows.ts'
import { LeaseLostError } from '../../platform/jobs/lease.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../database/tables.ts'
import type { Claim } from './claims.ts'
import { type ContentFile, dropUnreferenced, insertContents } from './files.ts'

export interface PublishedFile {
  path: string
  hash: string
  size: number
  /** Undefined if the file is already stored, as a source of the deploy. */
  bytes?: Uint8Array
}

type Place = { project: string; number: number }

const addToTotals = prepareQuery<Place & { lease: string; files: number; bytes: number }>()(
  (db, param) =>
    db
      .updateTable('deploys')
      .set((eb) => ({
        site_files: eb('site_files', '+', param('files')),
        site_bytes: eb('site_bytes', '+', param('bytes')),
      }))
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number'))
      .where('lease', '=', param('lease'))
      .where('state', '=', 'building')
      .returning('number'),
)
const insertFiles = rowInserter<PublishingTables>()('deploy_files', [
  'project_id',
  'number',
  'path',
  'hash',
])
const removalQueries = (['deploy_files', 'deploy_sources'] as const).map((table) => ({
  some: prepareQuery<Place & { max: number }>()((db, param) =>
    db
      .selectFrom(table)
      .select(['path', 'hash'])
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number'))
      .orderBy('path')
      .limit(param('max')),
  ),
  upTo: prepareQuery<Place & { path: string }>()((db, param) =>
    db
      .deleteFrom(table)
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number'))
      .where('path', '<=', param('path')),
  ),
}))
const [siteFileQueries, sourceQueries] = removalQueries as [
  (typeof removalQueries)[0],
  (typeof removalQueries)[0],
]

/** Adds published files. Throws LeaseLostError. */
export const publishFilesTransaction = each(
  async (session, { claim, files }: { claim: Claim; files: PublishedFile[] }) => {
    await lockPublishing(session)
    const { lease, number, projectId: project } = claim
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const added = { project, number, lease, files: files.length, bytes }
    if (!(await findOne(session, addToTotals, added))) throw new LeaseLostError()
    await insertContents(
      session,
      files.filter((file): file is PublishedFile & ContentFile => file.bytes !== undefined),
    )
    const rows = files.map(({ hash, path }) => ({ project_id: project, number, path, hash }))
    await insertFiles(session, rows)
  },
)

const stateOfDeploy = prepareQuery<Place>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(['state', 'lease'])
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number')),
)

interface FileRemoval {
  place: Place
  what: 'site' | 'sources'
  /** The lease of the builder; undefined if the deploy has been removed. */
  lease?: string
}

const removeFilesTransaction = each(async (session, { lease, place, what }: FileRemoval) => {
  await lockPublishing(session)
  const deploy = await findOne(session, stateOfDeploy, place)
  if (lease === undefined && deploy?.state !== 'removed') return false
  if (lease !== undefined && !(deploy?.state === 'building' && deploy.lease === lease)) {
    throw new LeaseLostError()
  }
  const { some, upTo } = what === 'site' ? siteFileQueries : sourceQueries
  const found = await session.all(some, { ...place, max: 250 })
  const last = found.at(-1)
  if (!last) return false
  await session.all(upTo, { ...place, path: last.path })
  await dropUnreferenced(
    session,
    found.map(({ hash }) => hash),
  )
  return true
})

/** Removes the published files of a build attempt, in batches. Throws LeaseLostError. */
export async function removeBuilt(
  database: Database,
  { lease, number, projectId: project }: Claim,
): Promise<void> {
  const place = { project, number }
  while (await database.write(removeFilesTransaction, { place, what: 'site', lease }));
}

/** Removes all files of a removed deploy, in batches. Can be called again after a crash. */
export async function removeFiles(
  database: Database,
  projectId: string,
  number: number,
): Promise<void> {
  const place = { project: projectId, number }
  for (const what of ['site', 'sources'] as const) {
    while (await database.write(removeFilesTransaction, { place, what }));
  }
}
