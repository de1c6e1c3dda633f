// Changes who may see the site of a project. All its hosts on every node follow with the next request.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'

import { AppError } from '#kit/errors.ts'
import { publishingTransaction } from '../database/publishing-state.ts'
import { prepare } from '../database/tables.ts'
import { targetOf } from './change-projects.ts'
import { type FoundProject, findProjectById } from './find-project.ts'
import type { Visibility } from './visibilities.ts'

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

/** Undefined if the project was deleted. Throws `invalid_body` if a password is missing. */
export const changeVisibilityTransaction = publishingTransaction(
  async (session, change: VisibilityChange): Promise<FoundProject | undefined> => {
    const { id, origin, passwordHash, visibility } = change
    const project = await findProjectById(session, id)
    if (!project) return undefined
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
