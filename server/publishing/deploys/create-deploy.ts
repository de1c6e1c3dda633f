// Creates a deploy: adds its sources and queues it for the build. A source can be added only if the project itself
// has the content, from an upload or an earlier deploy. From then on the source keeps the file.
//
// The states of a deploy:
//   receiving   its sources are being added; not visible. Complete: uploaded. After an error, or an hour: removed.
//   uploaded    waits for a builder, which claims it with a lease (claims.ts): building.
//   building    ends as live, superseded or failed (finish-deploy.ts), only by the holder of the lease. After an internal
//               error, or when its process stops, it is uploaded again; a lease that has expired can be claimed.
//   live        at the address of the site; at most one of a project. Another deploy becomes live: superseded.
//   superseded  built, but not live; one of a preview is shown there. Restored or promoted: live.
//   failed      with the reason; visitors see no change.
//   removed     beyond the limits, or with its preview or project; not visible. The builder deletes its files and its row.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { isOneOfTexts } from '#kit/database/json-rows.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { insertRow, type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { openPreview, type PreviewOpening } from '../previews/records/preview-rows.ts'
import { getProject, targetOf, throwDeleted } from '../projects/find-project.ts'
import { maxReceiveMs, type PlanLimits } from '../projects/plan-limits.ts'
import { makeRoom } from '../projects/stored-space.ts'
import { findMissing } from './files.ts'
import { type DeployKey, deployKey } from './records/deploy-row.ts'
import type { Deploy } from './records/schema.ts'

export interface SourceFile {
  /** Canonical. */
  path: string
  hash: string
}

export interface DeployCreation {
  projectId: string
  source: Deploy['source']
  /** Of one line, at most `maxDeployMessageLength`. */
  message?: string | undefined
  files: SourceFile[]
  /** The archive that contained the files. */
  archive?: string
  /** Problems of the sources fail the build. */
  isStrict?: boolean | undefined
  /** It is shown there only, instead of at the address of the site. */
  preview?: Omit<PreviewOpening, 'maxPreviews'> | undefined
  /** It builds the sources of `of` again. Throws `conflict` if there is a newer deploy of the site than `newest`. */
  rebuild?: { of: number; newest: number } | undefined
  limits: Pick<PlanLimits, 'files' | 'bytes' | 'storedFiles' | 'storedBytes' | 'previews'>
  origin: AuditOrigin
}

const maxProblems = 100
/** Limits how long a transaction holds the lock. */
const maxFilesPerTransaction = 1000
/** Maximum number of deploys of one project that wait to be built. */
const maxWaiting = 10

const nextNumber = prepare.update('projects', { last_deploy: { add: 1n } }, { id: 'id' }, [
  'last_deploy',
])
const labelOf = prepare.select('access_tokens', ['label'], { id: 'credential' })
const insertSources = rowInserter<PublishingTables>()('deploy_sources')
const bytesOfSources = prepareQuery<DeployKey>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select((eb) => eb.fn.sum<bigint | string | null>('files.size').as('bytes'))
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') })),
)
const takeUploads = prepareQuery<{ project: string; archive: string; hashes: string }>()(
  (db, param) =>
    db
      .deleteFrom('uploads')
      .where('project_id', '=', param('project'))
      .where('archive', 'in', ['', param('archive')])
      .where(isOneOfTexts(db, 'hash', param('hashes'))),
)
const waiting = prepare.count('deploys', {
  project_id: 'project',
  state: { in: ['uploaded', 'building'] },
})
const newerOfSite = prepare.select(
  'deploys',
  ['number'],
  {
    project_id: 'project',
    preview: null,
    number: { '>': 'newest' },
    state: { in: ['receiving', 'uploaded', 'building', 'live'] },
  },
  { limit: 1 },
)
const received = prepare.update(
  'deploys',
  { state: 'to', source_bytes: 'bytes' },
  { ...deployKey, state: { value: 'receiving' } },
  ['number'],
)
const stillReceiving = prepare.select('deploys', ['number'], {
  ...deployKey,
  state: { value: 'receiving' },
})

const removeReceived = prepare.update(
  'deploys',
  { state: { value: 'removed' } },
  { state: { value: 'receiving' }, created_at: { '<': 'before' } },
)

/**
 * Returns the number of the deploy. Throws `project_not_found`, `files_missing` and `limit_reached`. The deploy is not
 * visible before all its sources are added.
 */
export async function createDeploy(database: Database, deploy: DeployCreation): Promise<number> {
  const { files, projectId: project } = deploy
  if (files.length <= maxFilesPerTransaction) return await createDeployTransaction(database, deploy)
  // Finds most errors before anything is written.
  await requireContents(database.read, project, files)
  const number = await beginDeployTransaction(database, deploy)
  const key = { project, number }
  try {
    for (let start = 0; start < files.length; start += maxFilesPerTransaction) {
      const piece = files.slice(start, start + maxFilesPerTransaction)
      await addSourcesTransaction(database, key, piece)
    }
    await completeDeployTransaction(database, key, deploy)
    return number
  } catch (error) {
    // If this fails, abandonOldReceptions removes the deploy later.
    await abandonDeployTransaction(database, key).catch(() => {})
    throw error
  }
}

/** The same inside a larger transaction that has the lock, for few files. */
export async function createDeployInTransaction(
  session: Session,
  deploy: DeployCreation,
): Promise<number> {
  const number = await beginDeploy(session, deploy)
  const key = { project: deploy.projectId, number }
  await addSources(session, key, deploy.files)
  await completeDeploy(session, key, deploy)
  return number
}

async function beginDeploy(session: Session, deploy: DeployCreation): Promise<number> {
  const { files, limits, message, origin, projectId: project, source } = deploy
  const { preview } = deploy
  const { last_deploy } = (await findOne(session, nextNumber, { id: project })) ?? throwDeleted()
  const number = Number(last_deploy)
  await checkQueueLength(session, project)
  if (deploy.rebuild) await checkNewest(session, project, deploy.rebuild.newest)
  if (files.length > limits.files) throw limitReached('files', files.length, limits.files)
  // Of another credential than a token there is none.
  const token = await findOne(session, labelOf, { credential: origin.credentialId ?? '' })
  await insertRow(session, 'deploys', {
    ...{ projectId: project, number, state: 'receiving', source, attempts: 0 },
    ...{ createdBy: origin.actorId, createdVia: origin.via, createdAt: origin.at },
    ...{ sourceFiles: files.length, sourceBytes: 0, siteFiles: 0, siteBytes: 0 },
    ...{ message: message?.trim() || null, preview: preview?.name ?? null },
    tokenLabel: token?.label ?? null,
    isStrict: deploy.isStrict ? 1 : 0,
    rebuildOf: deploy.rebuild?.of ?? null,
  })
  if (preview) {
    const target = targetOf(await getProject(session, project))
    await openPreview(session, target, { ...preview, maxPreviews: limits.previews }, origin)
  }
  return number
}

async function addSources(session: Session, key: DeployKey, files: SourceFile[]): Promise<void> {
  const { number, project } = key
  await requireContents(session, project, files)
  const rows = files.map(({ hash, path }) => ({ project_id: project, number, path, hash }))
  await insertSources(session, rows)
}

async function completeDeploy(
  session: Session,
  key: DeployKey,
  { archive = '', files, limits, origin, preview, source }: DeployCreation,
): Promise<void> {
  await checkQueueLength(session, key.project)
  const bytes = Number((await getOne(session, bytesOfSources, key)).bytes)
  if (bytes > limits.bytes) throw limitReached('bytes', bytes, limits.bytes)
  const isThere = await findOne(session, received, { ...key, to: 'uploaded', bytes })
  if (!isThere) throwDeleted()
  const hashes = JSON.stringify(files.map(({ hash }) => hash))
  await session.all(takeUploads, { project: key.project, archive, hashes })
  const project = await getProject(session, key.project)
  await makeRoom(session, project.ownerId ?? '', limits)
  const detail = { number: key.number, source, ...(preview && { preview: preview.name }) }
  await recordAudit(session, origin, 'deploy.created', targetOf(project), detail)
}

const createDeployTransaction = locked(createDeployInTransaction)
const beginDeployTransaction = locked(beginDeploy)
const addSourcesTransaction = locked(
  async (session, key: DeployKey, files: SourceFile[]): Promise<void> => {
    if (!(await findOne(session, stillReceiving, key))) throwDeleted()
    await addSources(session, key, files)
  },
)
const completeDeployTransaction = locked(completeDeploy)
const abandonDeployTransaction = locked(async (session, key: DeployKey) => {
  await session.all(received, { ...key, to: 'removed', bytes: 0 })
})

/** Removes deploys whose sources are still incomplete after the longest upload, because their process exited. */
export const abandonOldReceptions = locked(async (session, now: number): Promise<void> => {
  await session.all(removeReceived, { before: now - maxReceiveMs })
})

async function checkQueueLength(session: Session, project: string): Promise<void> {
  const { count } = await getOne(session, waiting, { project })
  if (Number(count) < maxWaiting) return
  throw new AppError(
    'limit_reached',
    `${count} deploys of this project are waiting to be built. Try again later.`,
  )
}

async function checkNewest(session: Session, project: string, newest: number): Promise<void> {
  if (!(await findOne(session, newerOfSite, { project, newest }))) return
  throw new AppError('conflict', 'A newer deploy of the site was created in the meantime.')
}

async function requireContents(
  session: Session,
  project: string,
  files: SourceFile[],
): Promise<void> {
  const hashes = files.map(({ hash }) => hash)
  const missing = new Set(await findMissing(session, project, hashes))
  if (missing.size === 0) return
  const problem = 'The project does not have the content of this file. Upload it first.'
  const details = files
    .filter(({ hash }) => missing.has(hash))
    .slice(0, maxProblems)
    .map(({ path }) => ({ path, message: problem }))
  const message = `Files that must be uploaded first: ${details.length}${details.length < maxProblems ? '' : ' or more'}.`
  throw new AppError('files_missing', message, { details })
}

function limitReached(what: string, found: number, max: number): AppError {
  const message = `The plan allows ${max} ${what} per deploy; this one has ${found}.`
  return new AppError('limit_reached', message)
}
