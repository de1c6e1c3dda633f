// The operations on projects, and how every operation finds its project. Passwords of sites and previews are hashed as
// those of accounts are, under the same rules.

import { randomBytes } from 'node:crypto'
import { findPasswordProblem, type Passwords } from '#accounts/people/passwords.ts'
import type { Caller } from '#kit/caller.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Operation, routesOf } from '#kit/management/route.ts'
import { toPage, toWire } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { findDeploy, findNewestDeploy } from '../deploys/records/deploy-row.ts'
import {
  changeProjectTransaction,
  changeVisibilityTransaction,
  createProjectTransaction,
  deleteProjectTransaction,
  type RemoveDomains,
} from './change-projects.ts'
import {
  type AccessibleProject,
  findProjectOf,
  listFormerSlugs,
  listProjects,
  searchProjects,
} from './find-project.ts'
import { planLimits } from './plan-limits.ts'
import { isPermitted, type ProjectPermission } from './project-roles.ts'
import {
  DeleteProjectQuery,
  type DomainsOfProject,
  FoundProjects,
  ListProjectsQuery,
  NewProject,
  Project,
  ProjectPatch,
  Projects,
  SearchQuery,
  Storage,
  VisibilitySettings,
} from './schema.ts'
import { isSlug, proposeSlug } from './slug.ts'
import { findStoredSpace, findUploadedSpace } from './stored-space.ts'

type Context = PublishingContext & {
  // Of other rooms, some of which import this one.
  hashPassword: HashPassword
  removeDomains: RemoveDomains
  summariseDomains(projectId: string): Promise<DomainsOfProject>
}

const route = routesOf<Context>({ tag: 'projects', access: 'account' })
const projectRoute = projectRoutesOf<Context>('projects')

export const projectRoutes = [
  route('GET /projects', 'listProjects', {
    summary: 'List projects',
    description:
      'Accounts see the projects that they own or are a member of, operators see all projects.',
    scope: 'projects:read',
    query: ListProjectsQuery,
    returns: Projects,
    async handle({ caller, query }, context) {
      const { database } = context
      const { after = '', limit } = query
      const projects = await listProjects(database.read, caller.account, after, limit + 1)
      const page = toPage(projects, limit, 'slug', (project) => show(context, project))
      return { ...page, items: await Promise.all(page.items) }
    },
  }),
  route('GET /search', 'searchProjects', {
    summary: 'Find projects and custom domains by a part of their names',
    description: 'Accounts find those that they own or are a member of, operators all.',
    scope: 'projects:read',
    query: SearchQuery,
    returns: FoundProjects,
    async handle({ caller, query }, { database }) {
      const account = caller.account.role === 'operator' ? undefined : caller.account.id
      return await searchProjects(database.read, account, query.text)
    },
  }),
  route('GET /storage', 'getStorage', {
    summary: 'Get what your projects store, and what your plan allows',
    description:
      'Each deploy counts with its sources and its site. When a deploy does not fit, the oldest superseded and failed deploys are removed.',
    scope: 'projects:read',
    returns: Storage,
    async handle({ caller }, { database }) {
      const { id, plan } = caller.account
      const { storedBytes: maxBytes, storedFiles: maxFiles } = planLimits[plan]
      const uploads = await findUploadedSpace(database.read, id)
      return { ...(await findStoredSpace(database.read, id)), maxBytes, maxFiles, uploads }
    },
  }),
  route('POST /projects', 'createProject', {
    summary: 'Create a project',
    scope: 'projects:write',
    body: NewProject,
    status: 201,
    returns: Project,
    errors: ['slug_taken', 'limit_reached'],
    async handle({ body, caller, origin }, context) {
      const { name } = body
      // A name without Latin letters gets a random one.
      const generated = `project-${randomBytes(4).toString('hex')}`
      const slug = body.slug ?? (proposeSlug(name) || generated)
      const { id: ownerId, plan } = caller.account
      const maxProjects = planLimits[plan].projects
      const input = { name, slug, ownerId, maxProjects, origin }
      const created = await createProjectTransaction(context.database, input)
      return await show(context, { ...created, role: 'owner' })
    },
  }),
  projectRoute('GET /projects/{slug}', 'getProject', {
    summary: 'Get a project',
    description: 'By its current slug or a former one.',
    scope: 'projects:read',
    needs: 'read',
    returns: Project,
    handle: async ({ project }, context) => show(context, project),
  }),
  projectRoute('PATCH /projects/{slug}', 'changeProject', {
    summary: 'Rename a project or change its slug',
    needs: 'edit',
    scope: 'projects:write',
    body: ProjectPatch,
    returns: Project,
    errors: ['slug_taken', 'limit_reached'],
    async handle({ body, origin, project }, context) {
      const { database, platformHost, projectsChanged } = context
      const { id, role } = project
      const changed = await changeProjectTransaction(database, id, body, platformHost, origin)
      projectsChanged()
      return await show(context, { ...changed, role })
    },
  }),
  projectRoute('PUT /projects/{slug}/visibility', 'setVisibility', {
    summary: 'Set who may see the site of a project',
    description:
      'Takes effect immediately, at every host of the project. Previews without a password of their own follow.',
    needs: 'own',
    body: VisibilitySettings,
    returns: Project,
    async handle(call, context) {
      const { database, hashPassword } = context
      const { body, project } = call
      const { id, role } = project
      const { password, visibility } = body
      if (password !== undefined && visibility !== 'password') {
        const message = 'password is only for the visibility "password".'
        throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
      }
      const passwordHash =
        password === undefined ? undefined : await hashVisitorPassword(hashPassword, call, password)
      const change = { id, visibility, passwordHash, origin: call.origin }
      const changed = await changeVisibilityTransaction(database, change)
      return await show(context, { ...changed, role })
    },
  }),
  projectRoute('DELETE /projects/{slug}', 'deleteProject', {
    summary: 'Delete a project',
    description:
      'Deletes the project with its deploys and files immediately. Its slugs stay reserved for its owner for 90 days.',
    needs: 'own',
    query: DeleteProjectQuery,
    async handle({ origin, project, query }, context) {
      const { builds, database, platformHost, projectsChanged, removeDomains } = context
      if (query.name !== project.name) {
        const message = `name must be the name of the project, ${JSON.stringify(project.name)}, to delete it.`
        throw new AppError('invalid_parameter', message, { details: [{ path: 'name', message }] })
      }
      const deletion = { id: project.id, platformHost, removeDomains, origin }
      await deleteProjectTransaction(database, deletion)
      builds.wake()
      projectsChanged()
    },
  }),
] as const

/**
 * Makes the function that declares operations on the project that `{slug}` names. Their handlers get it as `project` if the
 * caller has a role in it that permits what they need, and the origin of the change that they may make.
 */
export function projectRoutesOf<Context extends Pick<PublishingContext, 'database'>>(
  tag: Operation['tag'],
) {
  type Prepared = { project: AccessibleProject }
  return routesOf<Context, 'account', { needs: ProjectPermission }, Prepared>({
    tag,
    access: 'account',
    errors: ({ needs }) =>
      needs === 'read' ? ['project_not_found'] : ['project_not_found', 'role_required'],
    prepare: async ({ caller, params }, { database }, { needs }) => ({
      project: await getOwnProject(database.read, caller, params.slug ?? '', needs),
    }),
  })
}

/**
 * A project in which the caller has a role with this permission. Throws `project_not_found` for a caller without a role,
 * even if the project exists, `role_required`, and `insufficient_scope` for a deploy token of another project.
 */
export async function getOwnProject(
  session: Session,
  caller: Caller,
  slug: string,
  needs: ProjectPermission,
): Promise<AccessibleProject> {
  // The slug comes from the path of a request and may contain anything.
  const project = isSlug(slug) ? await findProjectOf(session, caller.account, slug) : undefined
  const { by } = caller
  // The same response for projects that do not exist: it tells nothing of others.
  if (by.kind === 'token' && by.projectId !== undefined && by.projectId !== project?.id) {
    const message =
      'This deploy token lacks the scope project:deploy for this project: it belongs to another one.'
    throw new AppError('insufficient_scope', message)
  }
  if (!project) {
    const message = 'The project does not exist, or you do not have access to it.'
    throw new AppError('project_not_found', message)
  }
  requirePermission(project, needs)
  return project
}

/** Throws `role_required`. */
export function requirePermission({ role }: AccessibleProject, needs: ProjectPermission): void {
  if (isPermitted(role, needs)) return
  const message =
    needs === 'own'
      ? 'Only the owner of the project and operators can do this. Ask the owner.'
      : 'You are a viewer of this project. Ask its owner to make you an editor.'
  throw new AppError('role_required', message)
}

async function show(
  { database: { read }, siteOrigin, summariseDomains }: Context,
  project: AccessibleProject,
): Promise<Project> {
  const { id, liveDeploy, slug } = project
  // Together, so that they share a round trip.
  const [live, last, formerSlugs, domains] = await Promise.all([
    liveDeploy === null ? undefined : findDeploy(read, id, liveDeploy),
    findNewestDeploy(read, id),
    listFormerSlugs(read, id),
    summariseDomains(id),
  ])
  const address = `${siteOrigin(slug)}/`
  const deploys = { liveDeploy: live, lastDeploy: last }
  return toWire(Project, { ...project, formerSlugs, address, ...deploys, domains })
}

export type HashPassword = Passwords['hashingOf']

/** Throws `invalid_body` for a password that is too weak. */
export async function hashVisitorPassword(
  hashingOf: HashPassword,
  { caller }: { caller: Caller },
  password: string,
): Promise<string> {
  const problem = findPasswordProblem(password, '')
  if (problem !== undefined) {
    const message = `password ${problem}.`
    throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
  }
  return await hashingOf({ network: caller.account.id, isKnown: true }).hash(password)
}
