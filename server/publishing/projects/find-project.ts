// Finds projects by slug, ID or owner, and their deploys.
import { findOne, type Session } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { deployColumns, deployOf } from '../deploys/records/deploy-row.ts'
import type { Deploy } from '../deploys/records/schema.ts'

export type FoundProject = ReturnType<typeof toProject>

const columns = [
  'projects.id',
  'slugs.slug',
  'projects.name',
  'projects.owner_id',
  'projects.created_at',
  'projects.live_deploy',
] as const

type ProjectRow = NonNullable<(typeof byId)['row']>

const bySlug = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('slugs as asked')
    .innerJoin('projects', 'projects.id', 'asked.project_id')
    .innerJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'projects.id').on('slugs.is_current', '=', 1n),
    )
    .select(columns)
    .where('asked.slug', '=', param('slug')),
)
const byId = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'projects.id').on('slugs.is_current', '=', 1n),
    )
    .select(columns)
    .where('projects.id', '=', param('id')),
)
const page = prepareQuery<{ after: string; max: number }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .select(columns)
    .where('slugs.is_current', '=', 1n)
    .where('slugs.slug', '>', param('after'))
    .orderBy('slugs.slug')
    .limit(param('max')),
)
const pageOfOwner = prepareQuery<{ owner: string; after: string; max: number }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('slugs', 'projects.id', 'slugs.project_id')
    .select(columns)
    .where((eb) => eb.and({ 'projects.owner_id': param('owner'), 'slugs.is_current': 1n }))
    .where('slugs.slug', '>', param('after'))
    .orderBy('slugs.slug')
    .limit(param('max')),
)
const former = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .select('slug')
    .where((eb) => eb.and({ project_id: param('project'), is_current: 0n }))
    .orderBy('slug')
    .limit(1000),
)
const oneDeploy = prepareQuery<{ project: string; number: number }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(deployColumns)
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .where('state', 'not in', ['receiving', 'removed']),
)

const oneOfOwner = prepareQuery<{ owner: string }>()((db, param) =>
  db.selectFrom('projects').select('id').where('owner_id', '=', param('owner')).limit(1),
)

/** By its current slug or a former one. */
export async function findProject(
  session: Session,
  slug: string,
): Promise<FoundProject | undefined> {
  const row = await findOne(session, bySlug, { slug })
  return row && toProject(row)
}

export async function findProjectById(
  session: Session,
  id: string,
): Promise<FoundProject | undefined> {
  const row = await findOne(session, byId, { id })
  return row && toProject(row)
}

/** Projects whose slug comes after `after`, ordered by slug; of one owner, or of all owners (undefined). */
export async function listProjects(
  session: Session,
  owner: string | undefined,
  after: string,
  max: number,
): Promise<FoundProject[]> {
  const rows =
    owner === undefined
      ? await session.all(page, { after, max })
      : await session.all(pageOfOwner, { owner, after, max })
  return rows.map(toProject)
}

/** Former slugs, whose addresses redirect to the current one. */
export async function listFormerSlugs(session: Session, projectId: string): Promise<string[]> {
  return (await session.all(former, { project: projectId })).map(({ slug }) => slug)
}

/** A deploy that has not been removed. */
export async function findDeploy(
  session: Session,
  projectId: string,
  number: number,
): Promise<Deploy | undefined> {
  const row = await findOne(session, oneDeploy, { project: projectId, number })
  return row && deployOf(row)
}

/** Such an account cannot be deleted. */
export async function ownsProjects(session: Session, accountId: string): Promise<boolean> {
  return (await findOne(session, oneOfOwner, { owner: accountId })) !== undefined
}

function toProject(row: ProjectRow) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    ownerId: row.owner_id,
    createdAt: Number(row.created_at),
    liveDeploy: row.live_deploy === null ? null : Number(row.live_deploy),
  }
}
