// The rows of previews. What a preview shows and whether it exists changes only in writes that change what is published:
//   empty  without a `number`: created by its first deploy, or by the request that sets its password before one
//   shown  `number` is its last deploy that was built; the one before it is removed. A deploy moves `expires_at`
//   ended  no row: by its owner, promoted to the site, expired, or beyond the limit of the plan. Its other deploys are
//          removed, and its host is withdrawn on every node. A deleted project takes its previews with it
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { findStored, type StoredRow, storedRow } from '#kit/database/plain-row.ts'
import { AppError } from '#kit/errors.ts'
import { changePublished, withdrawHost } from '../../database/publishing-state.ts'
import { prepare } from '../../database/tables.ts'
import { findLabelProblem, previewLabel } from './preview-name.ts'

/** `number`: the deploy that it shows; null until one is built. */
export type PreviewRow = StoredRow<NonNullable<(typeof oneRow)['row']>>

const columns = [
  'project_id',
  'name',
  'number',
  'password_hash',
  'created_at',
  'expires_at',
] as const

const oneRow = prepare.select('previews', columns, { project_id: 'project', name: 'name' })
const rowsOfProject = prepare.select(
  'previews',
  columns,
  { project_id: 'project' },
  { orderBy: ['expires_at desc', 'name'], limit: 'max' },
)
const upsert = prepare.upsert(
  'previews',
  { project_id: 'project', name: 'name' },
  { expires_at: 'until' },
  { number: null, password_hash: null, created_at: 'now' },
)
/** Inside a write that has changed what is published. Null: none is needed. */
export const setPreviewPassword = prepare.update(
  'previews',
  { password_hash: 'hash' },
  { project_id: 'project', name: 'name' },
)
const setNumber = prepare.update(
  'previews',
  { number: 'number' },
  { project_id: 'project', name: 'name' },
)
const deleteRow = prepare.delete('previews', { project_id: 'project', name: 'name' })
/** Of a deleted project, inside that write. */
export const deletePreviews = prepare.delete('previews', { project_id: 'project' })
const removeDeploys = prepare.update(
  'deploys',
  { state: { value: 'removed' }, lease: null },
  { project_id: 'project', preview: 'name', state: { '!=': { value: 'removed' } } },
)
const removeOneDeploy = prepare.update(
  'deploys',
  { state: { value: 'removed' } },
  { project_id: 'project', number: 'number', preview: 'name' },
)
const slugOfProject = prepare.select('slugs', ['slug'], { project_id: 'project', is_current: 1n })
const anySlug = prepare.select('slugs', ['slug'], { slug: 'slug', project_id: { 'is not': null } })
const expired = prepare.select(
  'previews',
  ['project_id', 'name'],
  { expires_at: { '<=': 'now' } },
  { orderBy: ['expires_at'], limit: 'max' },
)

/** Of any project at most this many are read. */
const maxRead = 1000

export const findPreview = (session: Session, project: string, name: string) =>
  findStored(session, oneRow, { project, name })

/** Throws `preview_not_found`. */
export async function getPreview(
  session: Session,
  project: string,
  name: string,
): Promise<PreviewRow> {
  const preview = await findPreview(session, project, name)
  if (preview) return preview
  throw new AppError('preview_not_found', 'The project has no such preview, or it has ended.')
}

/** Those that were deployed last first. */
export async function listPreviews(session: Session, project: string): Promise<PreviewRow[]> {
  return (await session.all(rowsOfProject, { project, max: maxRead })).map(storedRow)
}

/** Keys of previews that have expired, the oldest first. */
export async function listExpiredPreviews(session: Session, now: number, max: number) {
  return await session.all(expired, { now, max })
}

export interface PreviewOpening {
  name: string
  expiresAt: number
  /** How many the project may have. Beyond that, those end whose last deploy is the oldest. */
  maxPreviews: number
  platformHost: string
}

/**
 * Creates the preview, or lets it live on until `expiresAt`, inside a write. `target`: its project, by its slug. Throws
 * `conflict` if it cannot have an address.
 */
export async function openPreview(
  session: Session,
  target: { id: string; name: string; ownerId: string | null },
  { expiresAt: until, maxPreviews, name, platformHost }: PreviewOpening,
  origin: AuditOrigin,
): Promise<void> {
  await changePublished(session)
  const { id: project, name: slug } = target
  const problem = findLabelProblem(name, slug)
  if (problem !== undefined) {
    const message = `preview ${problem}. Choose a shorter name.`
    throw new AppError('conflict', message, { details: [{ path: 'preview', message }] })
  }
  if (await findOne(session, anySlug, { slug: previewLabel(name, slug) })) {
    const message = 'Another project has the address of this preview. Choose another name.'
    throw new AppError('conflict', message)
  }
  const previews = await listPreviews(session, project)
  const isNew = !previews.some((row) => row.name === name)
  for (const row of isNew ? previews.slice(Math.max(0, maxPreviews - 1)) : []) {
    await endPreview(session, row, platformHost, origin.at)
    const detail = { preview: row.name, reason: 'limit' }
    await recordAudit(session, origin, 'deploy.preview_ended', target, detail)
  }
  await session.all(upsert, { project, name, now: origin.at, until })
}

/** The deploy that was shown so far is removed. Inside a write that has changed what is published. */
export async function showDeploy(
  session: Session,
  { name, number: before, projectId: project }: PreviewRow,
  number: number,
): Promise<void> {
  await session.all(setNumber, { project, name, number })
  if (before !== null) await session.all(removeOneDeploy, { project, name, number: before })
}

/** Ends a preview, inside a write that has changed what is published. No node serves it from the commit on. */
export async function endPreview(
  session: Session,
  { name, projectId: project }: Pick<PreviewRow, 'name' | 'projectId'>,
  platformHost: string,
  now: number,
): Promise<void> {
  await session.all(deleteRow, { project, name })
  await session.all(removeDeploys, { project, name })
  const row = await findOne(session, slugOfProject, { project })
  if (row) await withdrawHost(session, `${previewLabel(name, row.slug)}.${platformHost}`, now)
}

/** Before their project is deleted or its slug changes, inside that write: no node serves their hosts from then on. */
export async function withdrawPreviews(
  session: Session,
  { id, slug }: { id: string; slug: string },
  platformHost: string,
  now: number,
): Promise<void> {
  for (const { name } of await listPreviews(session, id)) {
    await withdrawHost(session, `${previewLabel(name, slug)}.${platformHost}`, now)
  }
}
