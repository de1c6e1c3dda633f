// Changes of previews by their owner, and the end of those that have expired.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, each } from '#kit/database/database.ts'
import { deleteInBatches } from '#kit/jobs/delete-old-rows.ts'
import { changePublished, publishingTransaction } from '../database/publishing-state.ts'
import { getProject, targetOf } from '../projects/find-project.ts'
import {
  endPreview,
  findPreview,
  getPreview,
  listExpiredPreviews,
  openPreview,
  type PreviewOpening,
  type PreviewRow,
  setPreviewPassword,
} from './records/preview-rows.ts'

interface PreviewChange {
  project: string
  opening: PreviewOpening
  /** Null: none. Undefined: unchanged. */
  passwordHash: string | null | undefined
  origin: AuditOrigin
}

/** Creates it if there is none. Throws `project_not_found` and `conflict`. */
export const putPreviewTransaction = publishingTransaction(
  async (session, change: PreviewChange): Promise<PreviewRow> => {
    const { opening, origin, passwordHash, project: id } = change
    const target = targetOf(await getProject(session, id))
    const { name } = opening
    const before = await findPreview(session, id, name)
    // A new password does not let it live longer.
    if (!before || before.expiresAt <= origin.at) {
      await openPreview(session, target, opening, origin)
    }
    if (passwordHash !== undefined && passwordHash !== (before?.passwordHash ?? null)) {
      await session.all(setPreviewPassword, { project: id, name, hash: passwordHash })
      const detail = { preview: name, password: passwordHash !== null }
      await recordAudit(session, origin, 'deploy.preview_password_changed', target, detail)
    }
    return await getPreview(session, id, name)
  },
)

interface PreviewEnd {
  project: string
  name: string
  platformHost: string
  origin: AuditOrigin
}

/** Throws `preview_not_found`. */
export const endPreviewTransaction = publishingTransaction(
  async (session, { name, origin, platformHost, project: id }: PreviewEnd): Promise<void> => {
    const project = await getProject(session, id)
    const preview = await getPreview(session, id, name)
    await endPreview(session, preview, platformHost, origin.at)
    const detail = { preview: name }
    await recordAudit(session, origin, 'deploy.preview_ended', targetOf(project), detail)
  },
)

const maxEnded = 100

const endExpiredTransaction = each(
  async (session, { now, platformHost }: { now: number; platformHost: string }) => {
    const found = await listExpiredPreviews(session, now, maxEnded)
    if (found.length === 0) return false
    await changePublished(session)
    for (const { name, project_id: projectId } of found) {
      await endPreview(session, { name, projectId }, platformHost, now)
    }
    return found.length === maxEnded
  },
)

/** Removes those whose time is over, which no node serves any more. Returns whether there were any. */
export async function endExpiredPreviews(
  database: Database,
  platformHost: string,
  now: number,
): Promise<boolean> {
  if ((await listExpiredPreviews(database.read, now, 1)).length === 0) return false
  await deleteInBatches(() => database.write(endExpiredTransaction, { now, platformHost }))
  return true
}
