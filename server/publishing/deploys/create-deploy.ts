// A deploy begins: its sources are bound to it, and it waits to be built.
import { each, findOne, getOne, type Session } from '../../platform/database/database.ts'
import { rowInserter } from '../../platform/database/insert-rows.ts'
import { AppError, type Problem } from '../../platform/errors.ts'
import { lockPublishing } from '../state.ts'
import { define, type PublishingTables } from '../tables.ts'
import type { Deploy } from './schema.ts'

export interface SourceFile {
  /** Canonical. */
  path: string
  hash: string
}

export interface DeployCreation {
  projectId: string
  source: Deploy['source']
  /** Id of an account; null for the program itself and its command line. */
  createdBy: string | null
  files: SourceFile[]
  limits: { files: number; bytes: number }
  now: number
}

const mostProblems = 100

const nextNumber = define<{ id: string }>()((db, param) =>
  db
    .updateTable('projects')
    .set((eb) => ({ last_deploy: eb('last_deploy', '+', 1n) }))
    .where('id', '=', param('id'))
    .returning('last_deploy'),
)
const insertDeploy = define<{
  project: string
  number: number
  source: string
  by: string | null
  now: number
  files: number
  bytes: number
}>()((db, param) =>
  db.insertInto('deploys').values({
    project_id: param('project'),
    number: param('number') as never,
    state: 'uploaded',
    kind: null,
    source: param('source'),
    created_by: param('by'),
    created_at: param('now') as never,
    finished_at: null,
    source_files: param('files') as never,
    source_bytes: param('bytes') as never,
    site_files: 0n,
    site_bytes: 0n,
    failure: null,
    failure_file: null,
    failure_line: null,
    lease: null,
    lease_until: null,
    attempts: 0n,
  }),
)
const insertSources = rowInserter<PublishingTables>()('deploy_sources', [
  'project_id',
  'number',
  'path',
  'hash',
])
/** Sources whose file the project has neither uploaded nor had in a deploy before. */
const foreignSources = define<{ project: string; number: number; most: number }>()((db, param) =>
  db
    .selectFrom('deploy_sources as source')
    .select('path')
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number') as never)
    .where((eb) =>
      eb.not(
        eb.or([
          eb.exists(
            eb
              .selectFrom('uploads')
              .select('uploads.hash')
              .whereRef('uploads.hash', '=', 'source.hash')
              .whereRef('uploads.project_id', '=', 'source.project_id'),
          ),
          eb.exists(
            eb
              .selectFrom('deploy_sources as before')
              .select('before.hash')
              .whereRef('before.hash', '=', 'source.hash')
              .whereRef('before.project_id', '=', 'source.project_id')
              .whereRef('before.number', '<', 'source.number'),
          ),
        ]),
      ),
    )
    .orderBy('path')
    .limit(param('most')),
)
const bytesOfSources = define<{ project: string; number: number }>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select((eb) => eb.fn.sum<bigint | string | null>('files.size').as('bytes'))
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number') as never),
)
const takeUploads = define<{ project: string; number: number }>()((db, param) =>
  db
    .deleteFrom('uploads')
    .where('project_id', '=', param('project'))
    .where('hash', 'in', (eb) =>
      eb
        .selectFrom('deploy_sources')
        .select('deploy_sources.hash')
        .where('deploy_sources.project_id', '=', param('project'))
        .where('deploy_sources.number', '=', param('number') as never),
    ),
)
const waiting = define<{ project: string }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('project_id', '=', param('project'))
    .where('state', 'in', ['uploaded', 'building']),
)

/** Deploys of one project that may wait to be built. */
const mostWaiting = 10

/**
 * Gives the number of the deploy, or undefined when the project has gone. Throws `files_missing` and
 * `limit_reached`. For a group commit.
 */
export const deployCreation = each(createDeployIn)

/** The same inside a larger write. */
export async function createDeployIn(
  session: Session,
  input: DeployCreation,
): Promise<number | undefined> {
  const { createdBy: by, files, limits, now, projectId: project, source } = input
  await lockPublishing(session)
  const next = await findOne(session, nextNumber, { id: project })
  if (!next) return undefined
  const number = Number(next.last_deploy)
  const { count } = await getOne(session, waiting, { project })
  if (Number(count) >= mostWaiting) {
    throw new AppError('limit_reached', `${count} deploys of this project wait to be built.`)
  }
  if (files.length > limits.files) throw tooMany('files', files.length, limits.files)
  const rows = files.map(({ hash, path }) => ({ project_id: project, number, path, hash }))
  await insertSources(session, rows)
  await refuseForeign(session, project, number)
  const { bytes } = await getOne(session, bytesOfSources, { project, number })
  if (Number(bytes) > limits.bytes) throw tooMany('bytes', Number(bytes), limits.bytes)
  const sizes = { files: files.length, bytes: Number(bytes) }
  await session.all(insertDeploy, { project, number, source, by, now, ...sizes })
  await session.all(takeUploads, { project, number })
  return number
}

async function refuseForeign(session: Session, project: string, number: number): Promise<void> {
  const missing = await session.all(foreignSources, { project, number, most: mostProblems })
  if (missing.length === 0) return
  const details: Problem[] = missing.map(({ path }) => ({
    path,
    message: 'The project does not have the content of this file; upload it first.',
  }))
  throw new AppError('files_missing', `Upload these files first: ${missing.length} or more.`, {
    details,
  })
}

function tooMany(what: string, found: number, most: number): AppError {
  return new AppError(
    'limit_reached',
    `The plan allows ${most} ${what} in a deploy; it has ${found}.`,
  )
}
