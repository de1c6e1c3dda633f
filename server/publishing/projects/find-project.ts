// Finds projects by slug, ID or account, and projects and custom domains by a part of their names.

import { type Kysely, sql } from 'kysely'
import type { Account } from '#kit/caller.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import type { Param } from '#kit/database/query.ts'
import { AppError } from '#kit/errors.ts'
import { type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { type ProjectRole, roleIn, selectProjectsOf, toVisibility } from './project-roles.ts'
import { type FoundProjects, maxFound } from './schema.ts'

export type FoundProject = ReturnType<typeof toProject>

/** With the role that an account has in it. */
export interface AccessibleProject extends FoundProject {
  role: ProjectRole
}

type AccountInQuery = Pick<Account, 'id' | 'role'>

const columns = [
  'projects.id',
  'slugs.slug',
  'projects.name',
  'projects.owner_id',
  'projects.created_at',
  'projects.live_deploy',
  'projects.visibility',
] as const

type ProjectRow = NonNullable<(typeof byId)['row']>

const bySlug = prepareQuery<{ slug: string; account: string }>()((db, param) =>
  selectWithMember(db, param)
    .innerJoin('slugs as asked', 'asked.project_id', 'projects.id')
    .where('asked.slug', '=', param('slug')),
)
const byId = prepareQuery<{ id: string }>()((db, param) =>
  projectsWithSlug(db).select(columns).where('projects.id', '=', param('id')),
)
type Page = { account: string; after: string; max: number }
const selectPage = (db: Kysely<PublishingTables>, param: Param<Page>) =>
  selectWithMember(db, param)
    .where('slugs.slug', '>', param('after'))
    .orderBy('slugs.slug')
    .limit(param('max'))
const pageOfAll = prepareQuery<Page>()(selectPage)
const pageOfAccount = prepareQuery<Page>()((db, param) =>
  selectPage(db, param).where('projects.id', 'in', selectProjectsOf(db, param('account'))),
)
const former = prepare.select(
  'slugs',
  ['slug'],
  { project_id: 'project', is_current: 0n },
  { orderBy: ['slug'], limit: 1000 },
)
const oneOfOwner = prepare.select('projects', ['id'], { owner_id: 'owner' }, { limit: 1 })

/** By its current slug or a former one, with the role of an account; undefined also if it has none. */
export async function findProjectOf(
  session: Session,
  account: AccountInQuery,
  slug: string,
): Promise<AccessibleProject | undefined> {
  const row = await findOne(session, bySlug, { slug, account: account.id })
  return row && toAccessible(account, row)
}

export async function findProjectById(
  session: Session,
  id: string,
): Promise<FoundProject | undefined> {
  const row = await findOne(session, byId, { id })
  return row && toProject(row)
}

/** Inside a write, for a project that may have been deleted since it was found. Throws `project_not_found`. */
export async function getProject(session: Session, id: string): Promise<FoundProject> {
  return (await findProjectById(session, id)) ?? throwDeleted()
}

/** Throws `project_not_found`. */
export function throwDeleted(): never {
  throw new AppError('project_not_found', 'The project has been deleted.')
}

/** Projects whose slug comes after `after`, ordered by slug: those of an account, or all for an operator. */
export async function listProjects(
  session: Session,
  account: AccountInQuery,
  after: string,
  max: number,
): Promise<AccessibleProject[]> {
  const query = account.role === 'operator' ? pageOfAll : pageOfAccount
  const rows = await session.all(query, { account: account.id, after, max })
  return rows.flatMap((row) => toAccessible(account, row) ?? [])
}

/** Former slugs, whose addresses redirect to the current one. */
export async function listFormerSlugs(session: Session, projectId: string): Promise<string[]> {
  return (await session.all(former, { project: projectId })).map(({ slug }) => slug)
}

/** Names for lists, by id. Projects that were deleted are missing. */
export async function nameProjects(
  session: Session,
  ids: readonly string[],
): Promise<Map<string, { slug: string; name: string }>> {
  const projects = await Promise.all([...new Set(ids)].map((id) => findProjectById(session, id)))
  return new Map(
    projects.flatMap((one) => (one ? [[one.id, { slug: one.slug, name: one.name }]] : [])),
  )
}

/** Such an account cannot be deleted. */
export async function ownsProjects(session: Session, accountId: string): Promise<boolean> {
  return (await findOne(session, oneOfOwner, { owner: accountId })) !== undefined
}

/** Projects and their current slugs. */
export function projectsWithSlug(db: Kysely<PublishingTables>) {
  return db
    .selectFrom('projects')
    .innerJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'projects.id').on('slugs.is_current', '=', 1n),
    )
}

/** With the role of an account as `member_role`, if it is a member. */
export function selectWithMember(db: Kysely<PublishingTables>, param: Param<{ account: string }>) {
  return projectsWithSlug(db)
    .leftJoin('project_members', (join) =>
      join
        .onRef('project_members.project_id', '=', 'projects.id')
        .on('project_members.account_id', '=', param('account')),
    )
    .select(columns)
    .select('project_members.role as member_role')
}

function toAccessible(
  account: AccountInQuery,
  row: ProjectRow & { member_role: string | null },
): AccessibleProject | undefined {
  const role = roleIn(account, row.owner_id, row.member_role)
  return role && { ...toProject(row), role }
}

function toProject({ member_role: _, ...row }: ProjectRow & { member_role?: string | null }) {
  const project = storedRow(row)
  return { ...project, visibility: toVisibility(project.visibility) }
}

/** A project as the audit log names it. */
export function targetOf({ id, ownerId, slug }: Pick<FoundProject, 'id' | 'ownerId' | 'slug'>) {
  return { id, name: slug, ownerId }
}

/** `account`: null for all. */
type Search = { pattern: string; start: string; account: string | null; max: number }

const isVisible = (db: Kysely<PublishingTables>, param: Param<Search>) =>
  sql<boolean>`(cast(${param('account')} as text) is null
    or projects.id in ${selectProjectsOf(db, param('account'))})`
const projects = prepareQuery<Search>()((db, param) =>
  projectsWithSlug(db)
    .select(['slugs.slug', 'projects.name'])
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(projects.name) like ${param('pattern')} escape '!'`,
        sql<boolean>`slugs.slug like ${param('pattern')} escape '!'`,
      ]),
    )
    .where(isVisible(db, param))
    // Names that begin with the text come first.
    .orderBy(
      sql`case when lower(projects.name) like ${param('start')} escape '!'
        or slugs.slug like ${param('start')} escape '!' then 0 else 1 end`,
    )
    .orderBy('slugs.slug')
    .limit(param('max')),
)
const domains = prepareQuery<Search>()((db, param) =>
  projectsWithSlug(db)
    .innerJoin('domains', 'domains.project_id', 'projects.id')
    .select(['domains.host', 'slugs.slug', 'projects.name'])
    .where(sql<boolean>`domains.host like ${param('pattern')} escape '!'`)
    .where(isVisible(db, param))
    .orderBy('domains.host')
    .limit(param('max')),
)

/** `account`: undefined for all. */
export async function searchProjects(
  session: Session,
  account: string | undefined,
  text: string,
): Promise<FoundProjects> {
  const pattern = text.trim().toLowerCase().replaceAll(/[!%_]/g, '!$&')
  if (pattern === '') return { projects: [], domains: [] }
  const search = {
    pattern: `%${pattern}%`,
    start: `${pattern}%`,
    account: account ?? null,
    max: maxFound,
  }
  const rows = await session.all(projects, search)
  const hosts = await session.all(domains, search)
  return {
    projects: rows.map(({ name, slug }) => ({ name, slug })),
    domains: hosts.map(({ host, name, slug }) => ({ host, project: { name, slug } })),
  }
}
