// Sets and removes the uploaded images of a site. A file and its reference are written in one transaction; the last
// reference and the file are deleted in one.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { transactionsUnder } from '#kit/database/database.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { dropUnreferenced, insertContents } from '../deploys/files.ts'
import { targetOf } from '../projects/change-projects.ts'
import { findProjectById } from '../projects/find-project.ts'
import {
  findSiteImages,
  insertSiteImage,
  removeSiteImage,
  type SiteImageRow,
} from './records/image-rows.ts'
import type { ImageName } from './records/image-types.ts'

interface ImageChange {
  projectId: string
  name: ImageName
  /** Undefined: the image is removed. */
  image: { row: SiteImageRow; bytes: Uint8Array } | undefined
  origin: AuditOrigin
}

/** Undefined if the project was deleted; false if there was nothing to remove. */
export const changeSiteImage = transactionsUnder(lockPublishing)(
  async (session, { image, name, origin, projectId: id }: ImageChange) => {
    const project = await findProjectById(session, id)
    if (!project) return undefined
    const before = (await findSiteImages(session, id))[name]
    if (!image && !before) return false
    if (image?.row.hash === before?.hash) return true
    await removeSiteImage(session, id, name)
    if (image) {
      const { bytes, row } = image
      await insertContents(session, [{ hash: row.hash, bytes }])
      await insertSiteImage(session, id, row)
    }
    if (before) await dropUnreferenced(session, [before.hash], origin.at)
    const detail = { settings: name, file: image ? image.row.type : null }
    await recordAudit(session, origin, 'project.site_settings_changed', targetOf(project), detail)
    return true
  },
)
