// Creates, renames and deletes projects, changes their slugs, and who may see their sites. The published site changes in
// the same transaction: all its hosts on every node follow with the next request.

import { randomUUID } from 'node:crypto'
import { removeProjectTokens } from '#accounts/sessions/access-tokens.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { publishingTransaction } from '../database/publishing-state.ts'
import { insertRow, type PublishingTables, prepare } from '../database/tables.ts'
import { deletePreviews, withdrawPreviews } from '../previews/records/preview-rows.ts'
import { findSiteImages } from '../site-settings/records/rows.ts'
import { type FoundProject, findProjectById, getProject, targetOf } from './find-project.ts'
import type { Visibility } from './project-roles.ts'
import type { ProjectPatch } from './schema.ts'
import { releaseSlugs, takeSlug } from './take-slug.ts'

const countOfOwner = prepare.count('projects', { owner_id: 'owner' })
const setName = prepare.update('projects', { name: 'name' }, { id: 'id' })
const removeDeploys = prepare.update(
  'deploys',
  { state: { value: 'removed' }, lease: null },
  { project_id: 'project' },
)
const expireUploads = prepare.update('uploads', { uploaded_at: 0n }, { project_id: 'project' })
const insertUploads = rowInserter<PublishingTables>()('uploads')
const deleteProjectRow = prepare.delete('projects', { id: 'id' })

interface ProjectCreation {
  name: string
  slug: string
  ownerId: string | null
  /** Maximum number of projects of the owner. */
  maxProjects: number
  origin: AuditOrigin
}

/** Throws `slug_taken`, `limit_reached` and `invalid_body`. */
export const createProjectTransaction = locked(createProjectInTransaction)

/** The same inside a larger transaction that has the lock. */
export async function createProjectInTransaction(
  session: Session,
  { name, slug, ownerId, maxProjects, origin }: ProjectCreation,
): Promise<FoundProject> {
  const now = origin.at
  if (ownerId !== null) {
    const owned = await findOne(session, countOfOwner, { owner: ownerId })
    if (Number(owned?.count) >= maxProjects) {
      const message = `The plan allows ${maxProjects} projects. Delete one first.`
      throw new AppError('limit_reached', message)
    }
  }
  const id = randomUUID()
  const row = { id, ownerId, name, lastDeploy: 0, createdAt: now, visibility: 'public' }
  await insertRow(session, 'projects', row)
  await takeSlug(session, slug, id, ownerId, now)
  const target = { id, name: slug, ownerId }
  await recordAudit(session, origin, 'project.created', target, { name, ownerId })
  return { id, slug, name, ownerId, createdAt: now, liveDeploy: null, visibility: 'public' }
}

/** Returns the changed project. Throws `project_not_found`, `slug_taken`, `limit_reached` and `invalid_body`. */
export const changeProjectTransaction = publishingTransaction(
  async (session, id: string, change: ProjectPatch, platformHost: string, origin: AuditOrigin) => {
    const project = await getProject(session, id)
    const { name = project.name, slug = project.slug } = change
    if (name !== project.name) await session.all(setName, { id: project.id, name })
    if (slug !== project.slug) {
      await withdrawPreviews(session, project, platformHost, origin.at)
      await takeSlug(session, slug, id, project.ownerId, origin.at)
    }
    if (name !== project.name || slug !== project.slug) {
      await recordAudit(session, origin, 'project.changed', targetOf(project), {
        ...(name !== project.name && { name }),
        ...(slug !== project.slug && { slug }),
      })
    }
    return { ...project, name, slug }
  },
)

/** Removes the custom domains of a project, inside the transaction that deletes the project. */
export type RemoveDomains = (
  session: Session,
  projectId: string,
  origin: AuditOrigin,
) => Promise<void>

interface ProjectDeletion {
  id: string
  platformHost: string
  origin: AuditOrigin
  removeDomains: RemoveDomains
}

/**
 * Deletes a project. From the commit on nothing of it is served. The builder deletes its files afterwards, in
 * batches.
 */
export const deleteProjectTransaction = publishingTransaction(
  async (session, { id, origin, platformHost, removeDomains }: ProjectDeletion): Promise<void> => {
    const project = await findProjectById(session, id)
    if (!project) return
    const owner = project.ownerId
    await releaseSlugs(session, id, owner, origin.at)
    await removeDomains(session, id, origin)
    await removeProjectTokens(session, id, origin)
    await session.all(removeDeploys, { project: id })
    await withdrawPreviews(session, project, platformHost, origin.at)
    await session.all(deletePreviews, { project: id })
    await session.all(expireUploads, { project: id })
    // As uploads that are deleted soon, their files with them.
    const images = Object.entries(await findSiteImages(session, id))
    const uploads = images.map(([archive, { hash, size }]) => {
      return { project_id: id, hash, archive, size, uploaded_at: 0 }
    })
    await insertUploads(session, uploads)
    await session.all(deleteProjectRow, { id })
    const detail = { name: project.name, ownerId: owner }
    await recordAudit(session, origin, 'project.deleted', targetOf(project), detail)
  },
)

const save = prepare.update(
  'projects',
  { visibility: 'visibility', site_password_hash: 'hash' },
  { id: 'id' },
)

interface VisibilityChange {
  id: string
  visibility: Visibility
  /** Of a new password; undefined to keep the one that there is. */
  passwordHash: string | undefined
  origin: AuditOrigin
}

/** Throws `project_not_found`, and `invalid_body` if a password is missing. */
export const changeVisibilityTransaction = publishingTransaction(
  async (session, change: VisibilityChange): Promise<FoundProject> => {
    const { id, origin, passwordHash, visibility } = change
    const project = await getProject(session, id)
    if (visibility === project.visibility && passwordHash === undefined) return project
    if (visibility === 'password' && passwordHash === undefined) {
      const message = 'password is required: the site has none yet.'
      throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
    }
    await session.all(save, { id, visibility, hash: passwordHash ?? null })
    await recordAudit(session, origin, 'project.visibility_changed', targetOf(project), {
      from: project.visibility,
      to: visibility,
      ...(passwordHash !== undefined && { password: true }),
    })
    return { ...project, visibility }
  },
)
