// Changes members of projects and invitations to them, each in one transaction with its entry in the audit log.

import type { EmailAddress } from '#accounts/people/email-address.ts'
import { removeProjectTokens } from '#accounts/sessions/access-tokens.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { prepare } from '../database/tables.ts'
import { findProjectById, getProject, targetOf } from '../projects/find-project.ts'
import type { MemberRole } from '../projects/project-roles.ts'
import {
  deleteMember,
  findOwner,
  getMember,
  listInvitations,
  listMembers,
  maxMembers,
  saveMember,
  sendInvitation,
} from './member-rows.ts'
import { queueNotice } from './project-notices.ts'
import { type DomainTransfers, transferProject } from './transfer-project.ts'

const deleteInvitation = prepare.delete(
  'project_invitations',
  { id: 'id', project_id: 'project' },
  ['email'],
)
const deleteOffer = prepare.delete('project_invitations', {
  project_id: 'project',
  email_key: 'email',
  role: { value: 'owner' },
})
const takeInvitation = prepare.delete(
  'project_invitations',
  { id: 'id', email_key: 'email', expires_at: { '>': 'now' } },
  ['project_id', 'role', 'email'],
)
/** Throws `project_not_found`, `conflict` for a member and `limit_reached`. */
export const inviteMember = locked(
  async (
    session,
    projectId: string,
    email: EmailAddress,
    role: MemberRole,
    origin: AuditOrigin,
  ) => {
    const project = await getProject(session, projectId)
    const owner = await findOwner(session, projectId)
    const members = await listMembers(session, projectId)
    if ([...members, owner].some((one) => one?.email_key === email.key)) {
      const message = `${email.text} is a member of this project already. Change the role instead.`
      throw new AppError('conflict', message)
    }
    const open = await listInvitations(session, projectId, origin.at)
    const others = open.filter((one) => one.email_key !== email.key)
    if (members.length + others.length >= maxMembers) {
      const message = `A project has at most ${maxMembers} members and invitations. Remove one first.`
      throw new AppError('limit_reached', message)
    }
    const invitation = await sendInvitation(session, projectId, email, role, origin)
    const detail = { email: email.text, role }
    await recordAudit(session, origin, 'project.member_invited', targetOf(project), detail)
    return invitation
  },
)

/** Throws `invitation_not_found`. */
export const revokeInvitation = locked(
  async (session, projectId: string, id: string, origin: AuditOrigin): Promise<void> => {
    const ended = await findOne(session, deleteInvitation, { id, project: projectId })
    if (!ended) throw invitationNotFound()
    const target = targetOf(await getProject(session, projectId))
    const detail = { email: ended.email }
    await recordAudit(session, origin, 'project.invitation_ended', target, detail)
  },
)

interface Reply {
  domains: DomainTransfers
  id: string
  accountId: string
  /** The key of its e-mail address. */
  email: string
  isAccepted: boolean
  origin: AuditOrigin
}

/**
 * Ends an invitation by the account that has its address. Throws `invitation_not_found`, and `limit_reached` and `conflict`
 * for a project that the account cannot own.
 */
export const answerInvitation = locked(
  async (session, { accountId, domains, email, id, isAccepted, origin }: Reply): Promise<void> => {
    const taken = await findOne(session, takeInvitation, { id, email, now: origin.at })
    const project = taken && (await findProjectById(session, taken.project_id))
    if (!taken || !project) throw invitationNotFound()
    /** Tells the owner of now what becomes of the offer. */
    const tellOwner = async (kind: 'accepted' | 'declined'): Promise<void> => {
      const { id: projectId, ownerId } = project
      if (taken.role !== 'owner' || ownerId === null) return
      await queueNotice(session, { projectId, kind, to: { id: ownerId }, origin })
    }
    if (!isAccepted || project.ownerId === accountId) {
      if (!isAccepted) await tellOwner('declined')
      const detail = { email: taken.email }
      await recordAudit(session, origin, 'project.invitation_ended', targetOf(project), detail)
      return
    }
    const { role } = taken
    if (role === 'owner') {
      const isTransferred = await transferProject(session, { project, accountId, domains, origin })
      if (!isTransferred) throw invitationNotFound()
      return await tellOwner('accepted')
    }
    const member = { project: project.id, account: accountId, role, now: origin.at }
    await session.all(saveMember, member)
    const detail = { email: taken.email, role }
    await recordAudit(session, origin, 'project.member_joined', targetOf(project), detail)
  },
)

/** The deploy tokens of a new viewer are revoked. Throws `member_not_found`. */
export const changeMember = locked(
  async (
    session,
    projectId: string,
    accountId: string,
    role: MemberRole,
    origin: AuditOrigin,
  ): Promise<void> => {
    const member = await getMember(session, projectId, accountId)
    if (member.role === role) return
    await session.all(saveMember, { project: projectId, account: accountId, role, now: origin.at })
    if (role === 'viewer') await removeProjectTokens(session, projectId, origin, { accountId })
    const target = targetOf(await getProject(session, projectId))
    const detail = { accountId, email: member.email, from: member.role, to: role }
    await recordAudit(session, origin, 'project.member_changed', target, detail)
  },
)

/** Its deploy tokens for the project are revoked. Throws `member_not_found`. */
export const removeMember = locked(
  async (session, projectId: string, accountId: string, origin: AuditOrigin): Promise<void> => {
    const member = await getMember(session, projectId, accountId)
    await session.all(deleteMember, { project: projectId, account: accountId })
    await session.all(deleteOffer, { project: projectId, email: member.email_key })
    await removeProjectTokens(session, projectId, origin, { accountId })
    const target = targetOf(await getProject(session, projectId))
    const detail = { accountId, email: member.email }
    await recordAudit(session, origin, 'project.member_removed', target, detail)
  },
)

function invitationNotFound(): AppError {
  const message = 'There is no such invitation, or it has expired. Ask the owner for another one.'
  return new AppError('invitation_not_found', message)
}
