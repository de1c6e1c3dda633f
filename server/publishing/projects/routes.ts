// Handlers of the operations on projects.

import { originOf } from '../../platform/audit/record-audit.ts'
import type { Session } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { type Caller, mayActFor } from '../../platform/management/caller.ts'
import { type Route, route } from '../../platform/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import {
  changeProjectTransaction,
  createProjectTransaction,
  deleteProjectTransaction,
  type RemoveDomains,
} from './change-projects.ts'
import {
  type FoundProject,
  findDeploy,
  findProject,
  listFormerSlugs,
  listProjects,
} from './find-project.ts'
import { operations } from './operations.ts'
import { planLimits } from './plan-limits.ts'
import type { Project } from './schema.ts'
import { isSlug, proposeSlug } from './slug.ts'
import { findStoredSpace, findUploadedSpace } from './stored-space.ts'

export function projectRoutes(context: PublishingContext, removeDomains: RemoveDomains): Route[] {
  const { clock, database, siteOrigin } = context
  const { read } = database

  async function show(project: FoundProject): Promise<Project> {
    const { createdAt, id, liveDeploy, name, ownerId, slug } = project
    const live = liveDeploy === null ? null : ((await findDeploy(read, id, liveDeploy)) ?? null)
    return {
      id,
      slug,
      formerSlugs: await listFormerSlugs(read, id),
      name,
      ownerId,
      address: `${siteOrigin(slug)}/`,
      liveDeploy: live,
      createdAt: new Date(createdAt).toISOString(),
    }
  }

  return [
    route(operations.listProjects, async ({ caller, query }) => {
      const { after = '', limit } = query
      const owner = caller.account.role === 'operator' ? undefined : caller.account.id
      const found = await listProjects(read, owner, after, limit + 1)
      const shown = found.slice(0, limit)
      const items: Project[] = []
      for (const project of shown) items.push(await show(project))
      return { items, next: found.length > limit ? (shown.at(-1)?.slug ?? null) : null }
    }),
    route(operations.getStorage, async ({ caller }) => {
      const { id, plan } = caller.account
      const { storedBytes: maxBytes, storedFiles: maxFiles } = planLimits[plan]
      const uploads = await findUploadedSpace(read, id)
      return { ...(await findStoredSpace(read, id)), maxBytes, maxFiles, uploads }
    }),
    route(operations.createProject, async (call) => {
      const { body, caller } = call
      const { name, slug = proposeSlug(name) } = body
      if (slug === '') {
        const message = 'slug is required: it cannot be derived from this name.'
        throw new AppError('invalid_body', message, { details: [{ path: 'slug', message }] })
      }
      const { id: ownerId, plan } = caller.account
      const maxProjects = planLimits[plan].projects
      const input = { name, slug, ownerId, maxProjects, origin: originOf(call, clock()) }
      return await show(await database.write(createProjectTransaction, input))
    }),
    route(operations.getProject, async ({ caller, params }) =>
      show(await getOwnProject(read, caller, params.slug)),
    ),
    route(operations.changeProject, async (call) => {
      const { body, caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug)
      const change = { id, change: body, origin: originOf(call, clock()) }
      const changed = await database.write(changeProjectTransaction, change)
      if (!changed) throw projectNotFound()
      context.projectsChanged()
      return await show(changed)
    }),
    route(operations.deleteProject, async (call) => {
      const { caller, params, query } = call
      const project = await getOwnProject(read, caller, params.slug)
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

/** A project that the caller has access to. Otherwise throws `project_not_found`, even if it exists. */
export async function getOwnProject(
  session: Session,
  caller: Caller,
  slug: string,
): Promise<FoundProject> {
  // The slug comes from the path of a request and may contain anything.
  const project = isSlug(slug) ? await findProject(session, slug) : undefined
  if (!project || !mayActFor(caller, project.ownerId)) throw projectNotFound()
  return project
}

function projectNotFound(): AppError {
  return new AppError(
    'project_not_found',
    'The project does not exist, or you do not have access to it.',
  )
}
