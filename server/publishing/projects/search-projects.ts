// Finds projects and custom domains by a part of their names, in upper or lower case: of one account, or of all for operators.
import { sql } from 'kysely'
import type { Session } from '#kit/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { projectsWithSlug } from './find-project.ts'
import { selectProjectsOf } from './project-roles.ts'
import { type FoundProjects, maxFound } from './schema.ts'

/** `account`: null for all. */
type Search = { pattern: string; start: string; account: string | null; max: number }

const projects = prepareQuery<Search>()((db, param) =>
  projectsWithSlug(db)
    .select(['slugs.slug', 'projects.name'])
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(projects.name) like ${param('pattern')} escape '!'`,
        sql<boolean>`slugs.slug like ${param('pattern')} escape '!'`,
      ]),
    )
    .where((eb) =>
      eb.or([
        sql<boolean>`cast(${param('account')} as text) is null`,
        eb('projects.id', 'in', selectProjectsOf(db, param('account'))),
      ]),
    )
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
    .where((eb) =>
      eb.and([
        sql<boolean>`domains.host like ${param('pattern')} escape '!'`,
        eb.or([
          sql<boolean>`cast(${param('account')} as text) is null`,
          eb('projects.id', 'in', selectProjectsOf(db, param('account'))),
        ]),
      ]),
    )
    .orderBy('domains.host')
    .limit(param('max')),
)

/** `account`: undefined for all. */
export async function searchProjects(
  session: Session,
  account: string | undefined,
  text: string,
): Promise<FoundProjects> {
  const wanted = text.trim().toLowerCase().replaceAll(/[!%_]/g, '!$&')
  if (wanted === '') return { projects: [], domains: [] }
  const search = {
    pattern: `%${wanted}%`,
    start: `${wanted}%`,
    account: account ?? null,
    max: maxFound,
  }
  const found = await session.all(projects, search)
  const hosts = await session.all(domains, search)
  return {
    projects: found.map(({ name, slug }) => ({ name, slug })),
    domains: hosts.map(({ host, name, slug }) => ({ host, project: { name, slug } })),
  }
}
