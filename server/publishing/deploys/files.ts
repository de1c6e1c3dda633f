// Files of deploys and of site settings, stored by the SHA-256 of their content, and uploads, which keep files until a
// deploy uses them. The published files of a deploy that is being built are written in batches, one per transaction: a file
// and the reference to it together, and only while the builder holds the lease.

import { hash } from 'node:crypto'
import { type Database, findOne, type Session, type Work } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { isOneOfTexts } from '#kit/database/json-rows.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { deleteInBatches } from '#kit/jobs/delete-old-rows.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { retireObjects } from '../objects/object-rows.ts'
import { type FileSource, findPlace, placeColumns } from '../objects/read-objects.ts'
import { getProject } from '../projects/find-project.ts'
import { maxUploadedDeploys, uploadRetentionMs } from '../projects/plan-limits.ts'
import { findUploadedSpace } from '../projects/stored-space.ts'
import type { Claim } from './claims.ts'
import { type DeployKey, deployKey } from './records/deploy-row.ts'

export interface ContentFile {
  hash: string
  bytes: Uint8Array
}

/** SHA-256 in lower-case hexadecimal: the name of a file by its content. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

/** Maximum number of uploads that are deleted in one transaction. */
const maxUploads = 250
/** A larger file is written in a separate statement. */
const aloneBytes = 256 * 1024

/** `hashes`: a JSON array. */
const existing = prepareQuery<{ hashes: string }>()((db, param) =>
  db
    .selectFrom('files')
    .select('hash')
    .where(isOneOfTexts(db, 'hash', param('hashes'))),
)
const insertFiles = rowInserter<PublishingTables>()('files')
const hadUploads = prepareQuery<{ project: string; archive: string; hashes: string }>()(
  (db, param) =>
    db
      .selectFrom('uploads')
      .select('hash')
      .where((eb) => eb.and({ project_id: param('project'), archive: param('archive') }))
      .where(isOneOfTexts(db, 'hash', param('hashes'))),
)
const uploadKey = ['project_id', 'archive', 'hash'] as const
type UploadKey = NonNullable<(typeof oldUploads)['row']>

const touchUploads = prepare.update(
  'uploads',
  { uploaded_at: 'now' },
  { project_id: 'project', archive: 'archive', hash: 'hash' },
)
const insertUploads = rowInserter<PublishingTables>()('uploads')
const contentOf = prepare.select('files', ['content', ...placeColumns], { hash: 'hash' })
/** One subquery per hash: with a join, PostgreSQL may read all rows of the project for a few hashes. */
const knownHashes = (['deploy_sources', 'uploads'] as const).map((table) =>
  prepareQuery<{ project: string; hashes: string }>()((db, param) =>
    db
      .selectFrom('files')
      .select('hash')
      .where(isOneOfTexts(db, 'hash', param('hashes')))
      .where((eb) =>
        eb(
          eb
            .selectFrom(table)
            .select(`${table}.hash`)
            .whereRef(`${table}.hash`, '=', 'files.hash')
            .where(`${table}.project_id`, '=', param('project'))
            .limit(1),
          'is not',
          null,
        ),
      ),
  ),
)
const deleteUpload = prepare.delete('uploads', {
  project_id: 'project_id',
  archive: 'archive',
  hash: 'hash',
})
const deleteUnreferenced = prepareQuery<{ hashes: string }>()((db, param) =>
  db
    .deleteFrom('files')
    .where(isOneOfTexts(db, 'hash', param('hashes')))
    .where((eb) =>
      eb.and(
        (['uploads', 'deploy_sources', 'deploy_files', 'site_images'] as const).map((table) =>
          eb.not(
            eb.exists(
              eb.selectFrom(table).select('hash').whereRef(`${table}.hash`, '=', 'files.hash'),
            ),
          ),
        ),
      ),
    )
    .returning('object'),
)

interface Upload {
  projectId: string
  files: ContentFile[]
  /** The archive that contained the files; undefined for files that were uploaded one by one. */
  archive?: string
  /** Of a deploy of the plan. All uploads of the owner may have twice as much. */
  limits: { files: number; bytes: number }
  now: number
}

/**
 * Stores files until a deploy uses them. Throws `limit_reached`. All uploads of a transaction are checked
 * together; if one is rejected, each is retried in a transaction of its own.
 */
export const uploadFilesTransaction: Work<Upload, void> = async (session, uploads) => {
  const groups = Map.groupBy(uploads, ({ archive, projectId }) => `${projectId} ${archive ?? ''}`)
  for (const its of groups.values()) {
    await uploadFilesInTransaction(session, {
      ...(its[0] as Upload),
      files: its.flatMap(({ files }) => files),
    })
  }
  return uploads.map(() => undefined)
}

/** The same inside a larger transaction. */
export async function uploadFilesInTransaction(
  session: Session,
  { archive = '', files, limits, now, projectId: project }: Upload,
): Promise<void> {
  await takeLock(session)
  const owner = (await getProject(session, project)).ownerId ?? ''
  const its = [...new Map(files.map((file) => [file.hash, file])).values()]
  const hashes = its.map(({ hash }) => hash)
  const rowsBefore = await session.all(hadUploads, {
    project,
    archive,
    hashes: JSON.stringify(hashes),
  })
  const had = new Set(rowsBefore.map(({ hash }) => hash))
  const added = its.filter((file) => !had.has(file.hash))
  if (added.length > 0) {
    const before = await findUploadedSpace(session, owner)
    const bytes = added.reduce((sum, file) => sum + file.bytes.length, before.bytes)
    const maxBytes = maxUploadedDeploys * limits.bytes
    const maxFiles = maxUploadedDeploys * limits.files
    if (bytes > maxBytes || before.files + added.length > maxFiles) {
      const message = `Uploads that are not used by a deploy may have at most ${maxBytes} bytes and ${maxFiles} files in all projects. Deploy them, or wait one day.`
      throw new AppError('limit_reached', message)
    }
  }
  await insertContents(session, added)
  for (const hash of had) await session.all(touchUploads, { project, archive, hash, now })
  const rows = added.map(({ bytes: { length: size }, hash }) => {
    return { project_id: project, hash, archive, size, uploaded_at: now }
  })
  await insertUploads(session, rows)
}

/** The bytes of a file; undefined if it does not exist. */
export async function readContent(
  { objects, read }: FileSource,
  hash: string,
): Promise<Uint8Array | undefined> {
  const row = await findOne(read, contentOf, { hash })
  const place = row && findPlace(row)
  if (place) return await objects.read(place, 'identity', 0, Number(place.size))
  return row?.content
}

/** Inside a transaction that holds the lock and adds references to the files. Existing contents are not sent again. */
export async function insertContents(session: Session, files: ContentFile[]): Promise<void> {
  const bytesOf = new Map(files.map(({ bytes, hash }) => [hash, bytes]))
  const there = await session.all(existing, { hashes: JSON.stringify([...bytesOf.keys()]) })
  for (const { hash } of there) bytesOf.delete(hash)
  const rows = [...bytesOf].map(([hash, content]) => {
    return { hash, size: content.length, content, coded: 0n }
  })
  await insertFiles(
    session,
    rows.filter(({ size }) => size <= aloneBytes),
  )
  // One per statement, because statements have a time limit.
  for (const row of rows.filter(({ size }) => size > aloneBytes)) await insertFiles(session, [row])
}

const uploadsOfArchive = prepare.select(
  'uploads',
  uploadKey,
  { project_id: 'project', archive: 'archive' },
  { limit: maxUploads },
)
const removeUploadsTransaction = locked(
  async (session, { now, ...archive }: { project: string; archive: string; now: number }) => {
    return await deleteUploads(session, await session.all(uploadsOfArchive, archive), now)
  },
)

/** Removes the uploads of an archive that no deploy will use. */
export async function removeUploads(
  database: Database,
  { archive, now, projectId: project }: { projectId: string; archive: string; now: number },
): Promise<void> {
  while (await removeUploadsTransaction(database, { project, archive, now }));
}

/** False if there were none. */
async function deleteUploads(
  session: Session,
  uploads: UploadKey[],
  now: number,
): Promise<boolean> {
  for (const upload of uploads) await session.all(deleteUpload, upload)
  await dropUnreferenced(session, uploads, now)
  return uploads.length > 0
}

/** Deletes those of the files that have no references. Inside a transaction that holds the lock. */
export async function dropUnreferenced(
  session: Session,
  files: { hash: string }[],
  now: number,
): Promise<void> {
  const hashes = new Set(files.map(({ hash }) => hash))
  const deleted = await session.all(deleteUnreferenced, {
    hashes: JSON.stringify([...hashes]),
  })
  const keys = deleted.map(({ object }) => object).filter((object) => object !== null)
  await retireObjects(session, keys, now)
}

/**
 * The hashes whose files the project does not have. Files of other projects do not count: knowing a hash does not
 * prove having the file.
 */
export async function findMissing(
  session: Session,
  projectId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const missing = new Set(hashes)
  for (const query of knownHashes) {
    const rows = await session.all(query, {
      project: projectId,
      hashes: JSON.stringify([...missing]),
    })
    for (const { hash } of rows) missing.delete(hash)
  }
  return [...missing]
}

const oldUploads = prepare.select(
  'uploads',
  uploadKey,
  { uploaded_at: { '<': 'before' } },
  { orderBy: ['uploaded_at'], limit: maxUploads },
)
const deleteOldUploadsTransaction = locked(
  async (session, { before, now }: { before: number; now: number }) => {
    return await deleteUploads(session, await session.all(oldUploads, { before }), now)
  },
)

/** Deletes uploads that no deploy used within a day. */
export async function deleteOldUploads(database: Database, now: number): Promise<void> {
  const before = now - uploadRetentionMs
  await deleteInBatches(async () => {
    if (!(await findOne(database.read, oldUploads, { before }))) return false
    return await deleteOldUploadsTransaction(database, { before, now })
  })
}

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
const insertPublished = rowInserter<PublishingTables>()('deploy_files')
const fileTables = ['deploy_files', 'deploy_sources'] as const
type FileTable = (typeof fileTables)[number]
const removalQueries = {
  deploy_files: removalQueriesOf('deploy_files'),
  deploy_sources: removalQueriesOf('deploy_sources'),
}

function removalQueriesOf(table: FileTable) {
  return {
    some: prepare.select(table, ['path', 'hash'], deployKey, { orderBy: ['path'], limit: 250 }),
    upTo: prepare.delete(table, { ...deployKey, path: { '<=': 'path' } }),
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
    await insertPublished(session, rows)
  },
)

const stateOfDeploy = prepare.select('deploys', ['state', 'lease'], deployKey)

/** `lease`: of the builder; undefined if the deploy has been removed. */
const removeFilesTransaction = locked(
  async (session, deploy: DeployKey & { lease?: string }, table: FileTable, now: number) => {
    const { lease } = deploy
    const current = await findOne(session, stateOfDeploy, deploy)
    if (lease === undefined && current?.state !== 'removed') return false
    if (lease !== undefined && !(current?.state === 'building' && current.lease === lease)) {
      throw new LeaseLostError()
    }
    const { some, upTo } = removalQueries[table]
    const rows = await session.all(some, deploy)
    const last = rows.at(-1)
    if (!last) return false
    await session.all(upTo, { ...deploy, path: last.path })
    await dropUnreferenced(session, rows, now)
    return true
  },
)

/** Removes the published files of a build attempt, in batches. Throws LeaseLostError. */
export async function removeBuilt(database: Database, claim: Claim, now: number): Promise<void> {
  while (await removeFilesTransaction(database, claim, 'deploy_files', now));
}

/** Removes all files of a removed deploy, in batches. Can be called again after a crash. */
export async function removeFiles(
  database: Database,
  deploy: DeployKey,
  now: number,
): Promise<void> {
  for (const table of fileTables) {
    while (await removeFilesTransaction(database, deploy, table, now));
  }
}
