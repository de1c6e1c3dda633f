// Handlers of the operations on projects.

import { randomBytes } from 'node:crypto'
import { originOf } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import type { Caller } from '#kit/management/caller.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { findNewestDeploy } from '../deploys/records/deploy-row.ts'
import {
  changeProjectTransaction,
  createProjectTransaction,
  deleteProjectTransaction,
  type RemoveDomains,
} from './change-projects.ts'
import { changeVisibilityTransaction } from './change-visibility.ts'
import {
  type AccessibleProject,
  findDeploy,
  findProjectOf,
  listFormerSlugs,
  listProjects,
} from './find-project.ts'
import { operations } from './operations.ts'
import { planLimits } from './plan-limits.ts'
import { isPermitted, type ProjectPermission } from './project-roles.ts'
import type { DomainsOfProject, Project } from './schema.ts'
import { searchProjects } from './search-projects.ts'
import { isSlug, proposeSlug } from './slug.ts'
import { findStoredSpace, findUploadedSpace } from './stored-space.ts'
import { type HashPassword, hashVisitorPassword } from './visitor-password.ts'

/** What projects need of other rooms, some of which import this one. */
interface Parts {
  hashPassword: HashPassword
  removeDomains: RemoveDomains
  summariseDomains(projectId: string): Promise<DomainsOfProject>
}

type Context = Pick<
  PublishingContext,
  'builds' | 'clock' | 'database' | 'projectsChanged' | 'siteOrigin'
>

export function projectRoutes(
  context: Context,
  { hashPassword, removeDomains, summariseDomains }: Parts,
): Route[] {
  const { clock, database, siteOrigin } = context
  const { read } = database

  async function show(project: AccessibleProject): Promise<Project> {
    const { createdAt, id, liveDeploy, name, ownerId, role, slug, visibility } = project
    // Together, so that they share a round trip.
    const [live, last, formerSlugs, domains] = await Promise.all([
      liveDeploy === null ? undefined : findDeploy(read, id, liveDeploy),
      findNewestDeploy(read, id),
      listFormerSlugs(read, id),
      summariseDomains(id),
    ])
    return {
      id,
      slug,
      formerSlugs,
      name,
      ownerId,
      role,
      address: `${siteOrigin(slug)}/`,
      visibility,
      liveDeploy: live ?? null,
      lastDeploy: last ?? null,
      domains,
      createdAt: new Date(createdAt).toISOString(),
    }
  }

  return [
    route(operations.listProjects, async ({ caller, query }) => {
      const { after = '', limit } = query
      const found = await listProjects(read, caller.account, after, limit + 1)
      const shown = found.slice(0, limit)
      const items = await Promise.all(shown.map(show))
      return { items, next: found.length > limit ? (shown.at(-1)?.slug ?? null) : null }
    }),
    route(operations.searchProjects, async ({ caller, query }) => {
      const account = caller.account.role === 'operator' ? undefined : caller.account.id
      return await searchProjects(read, account, query.text)
    }),
    route(operations.getStorage, async ({ caller }) => {
      const { id, plan } = caller.account
      const { storedBytes: maxBytes, storedFiles: maxFiles } = planLimits[plan]
      const uploads = await findUploadedSpace(read, id)
      return { ...(await findStoredSpace(read, id)), maxBytes, maxFiles, uploads }
    }),
    route(operations.createProject, async (call) => {
      const { body, caller } = call
      const { name } = body
      // A name without Latin letters gets a random one.
      const generated = `project-${randomBytes(4).toString('hex')}`
      const slug = body.slug ?? (proposeSlug(name) || generated)
      const { id: ownerId, plan } = caller.account
      const maxProjects = planLimits[plan].projects
      const input = { name, slug, ownerId, maxProjects, origin: originOf(call, clock()) }
      const created = await database.write(createProjectTransaction, input)
      return await show({ ...created, role: 'owner' })
    }),
    route(operations.getProject, async ({ caller, params }) =>
      show(await getOwnProject(read, caller, params.slug, 'read')),
    ),
    route(operations.changeProject, async (call) => {
      const { body, caller, params } = call
      const { id, role } = await getOwnProject(read, caller, params.slug, 'edit')
      const change = { id, change: body, origin: originOf(call, clock()) }
      const changed = await database.write(changeProjectTransaction, change)
      if (!changed) throw projectNotFound()
      context.projectsChanged()
      return await show({ ...changed, role })
    }),
    route(operations.setVisibility, async (call) => {
      const { body, caller, params } = call
      const { id, role } = await getOwnProject(read, caller, params.slug, 'own')
      const { password, visibility } = body
      if (password !== undefined && visibility !== 'password') {
        const message = 'password is only for the visibility "password".'
        throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
      }
      const passwordHash =
        password === undefined ? undefined : await hashVisitorPassword(hashPassword, call, password)
      const change = { id, visibility, passwordHash, origin: originOf(call, clock()) }
      const changed = await database.write(changeVisibilityTransaction, change)
      if (!changed) throw projectNotFound()
      return await show({ ...changed, role })
    }),
    route(operations.deleteProject, async (call) => {
      const { caller, params, query } = call
      const project = await getOwnProject(read, caller, params.slug, 'own')
      if (query.name !== project.name) {
        const message = `name must be the name of the project, ${JSON.stringify(project.name)}, to delete it.`
        throw new AppError('invalid_parameter', message, { details: [{ path: 'name', message }] })
      }
      const deletion = { id: project.id, origin: originOf(call, clock()), removeDomains }
      await database.write(deleteProjectTransaction, deletion)
      context.builds.wake()
      context.projectsChanged()
      return undefined
    }),
  ]
}

/**
 * A project in which the caller has a role with this permission. Throws `project_not_found` for a caller without a role,
 * even if the project exists, `role_required`, and `insufficient_scope` for a deploy token of another project.
 */
export async function getOwnProject(
  session: Session,
  caller: Caller,
  slug: string,
  permission: ProjectPermission,
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
  if (!project) throw projectNotFound()
  if (!isPermitted(project.role, permission)) {
    const message =
      permission === 'own'
        ? 'Only the owner of the project and operators can do this. Ask the owner.'
        : 'You are a viewer of this project. Ask its owner to make you an editor.'
    throw new AppError('role_required', message)
  }
  return project
}

function projectNotFound(): AppError {
  return new AppError(
    'project_not_found',
    'The project does not exist, or you do not have access to it.',
  )
}
