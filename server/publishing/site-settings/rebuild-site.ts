// Applies changed settings without an upload: the newest deploy of the site is built again from its sources, which are
// kept with it.
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { prepareQuery } from '../database/tables.ts'
import { createDeploy } from '../deploys/create-deploy.ts'
import type { Deploy } from '../deploys/records/schema.ts'
import type { FoundProject } from '../projects/find-project.ts'
import { planLimits, planOf } from '../projects/plan-limits.ts'

const newestOfSite = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(['number', 'state', 'source', 'rebuild_of'])
    .where('project_id', '=', param('project'))
    .where('preview', 'is', null)
    .where('state', 'in', ['receiving', 'uploaded', 'building', 'live'])
    .orderBy('number', 'desc')
    .limit(1),
)
const sourcesOf = prepareQuery<{ project: string; number: number; max: number }>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .select(['path', 'hash'])
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .orderBy('path')
    .limit(param('max')),
)

/** `number` of what is or will be live, and of the deploy that brought its sources. */
async function findNewest(session: Session, project: string) {
  const row = await findOne(session, newestOfSite, { project })
  return (
    row && { ...row, number: Number(row.number), sourcesOf: Number(row.rebuild_of ?? row.number) }
  )
}

/**
 * Call it after the settings were saved. Returns the number of the deploy that applies them; undefined before the first
 * deploy. Throws `limit_reached`.
 */
export async function rebuildSite(
  database: Database,
  project: FoundProject,
  origin: AuditOrigin,
): Promise<number | undefined> {
  const newest = await findNewest(database.read, project.id)
  if (!newest) return undefined
  const { number, source, state } = newest
  // Its build has not begun, and reads the new settings.
  if (state === 'receiving' || state === 'uploaded') return number
  const limits = planLimits[await planOf(database.read, project)]
  const found = { project: project.id, number, max: limits.files + 1 }
  const files = await database.read.all(sourcesOf, found)
  try {
    return await createDeploy(database, {
      ...{ projectId: project.id, source: source as Deploy['source'], files, limits },
      ...{
        message: 'Site settings changed',
        createdBy: origin.actorId,
        origin,
        rebuild: { of: newest.sourcesOf, newest: number },
      },
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    // A deploy that was created since reads the new settings.
    return (await findNewest(database.read, project.id))?.number
  }
}
