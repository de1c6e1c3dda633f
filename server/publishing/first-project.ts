// The first project: the program's own documentation, as an example of a published site. It belongs to all
// operators and is deployed again whenever a new version of the program has other content.

import { programOrigin } from '#kit/audit/record-audit.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { prepare, prepareQuery } from './database/tables.ts'
import { createDeployInTransaction, type SourceFile } from './deploys/create-deploy.ts'
import { type ContentFile, contentHash, uploadFilesInTransaction } from './deploys/files.ts'
import { createProjectInTransaction } from './projects/change-projects.ts'
import { planLimits } from './projects/plan-limits.ts'
import { firstProjectSlug } from './projects/site-origin.ts'

const firstProjectName = 'Animal Store'
/** Increased when the same sources are rendered differently. */
const rendererVersion = 5

const claimFirstStart = prepare.update(
  'publishing_state',
  { first_project: 1n },
  { first_project: 0n },
  ['first_project'],
)
const beforeFirstStart = prepare.select('publishing_state', ['first_project'], {
  first_project: 0n,
})
const slugRow = prepare.select('slugs', ['slug'], { slug: 'slug' })
const builtIn = prepareQuery()((db) =>
  db
    .selectFrom('projects')
    .leftJoin('deploys as live', (join) =>
      join
        .onRef('live.project_id', '=', 'projects.id')
        .onRef('live.number', '=', 'projects.live_deploy'),
    )
    .select(['projects.id as id', 'projects.built_in as built_in', 'live.source as source'])
    .where('projects.built_in', 'is not', null)
    .limit(1),
)
const setBuiltIn = prepare.update('projects', { built_in: 'version' }, { id: 'id' })

export interface FirstProject {
  /** Of the sources: another one when they have changed. */
  version: string
  /** Content by canonical path. */
  readSources(): ReadonlyMap<string, Uint8Array>
}

/**
 * Deploys the sources at the first start and whenever they have changed, unless the project was deleted or something else
 * was deployed to it. Returns true if it deployed them.
 */
export async function deployFirstProject(
  database: Database,
  project: FirstProject,
  now: number,
): Promise<boolean> {
  const version = `${rendererVersion} ${project.version}`
  const { read } = database
  const isFirst = (await findOne(read, beforeFirstStart, {})) !== undefined
  if (!isFirst && (await findOutdated(read, version)) === undefined) return false
  const files = [...project.readSources()].map(([path, bytes]) => ({
    path,
    bytes,
    hash: contentHash(bytes),
  }))
  return await deployFirstProjectTransaction(database, files, version, now)
}

const deployFirstProjectTransaction = locked(
  async (session, files: (SourceFile & ContentFile)[], version: string, now: number) => {
    const projectId = await findProjectToDeploy(session, version, now)
    if (projectId === undefined) return false
    const limits = planLimits.paid
    await uploadFilesInTransaction(session, { projectId, files, limits, now })
    const origin = programOrigin(now)
    const deploy = { projectId, source: 'built_in' as const, files, limits, origin }
    await createDeployInTransaction(session, deploy)
    await session.all(setBuiltIn, { id: projectId, version })
    return true
  },
)

/** The ID of the project to deploy; undefined if there is nothing to do. */
async function findProjectToDeploy(
  session: Session,
  version: string,
  now: number,
): Promise<string | undefined> {
  const [isFirst] = await session.all(claimFirstStart, {})
  if (isFirst) {
    if (await findOne(session, slugRow, { slug: firstProjectSlug })) return undefined
    const project = {
      name: firstProjectName,
      slug: firstProjectSlug,
      ownerId: null,
      maxProjects: 1,
      origin: programOrigin(now),
    }
    return (await createProjectInTransaction(session, project)).id
  }
  return await findOutdated(session, version)
}

async function findOutdated(session: Session, version: string): Promise<string | undefined> {
  const project = await findOne(session, builtIn, {})
  const isUnchanged = project?.source === 'built_in' || project?.source === null
  return project && isUnchanged && project.built_in !== version ? project.id : undefined
}
