// Changes members of projects and invitations to them, each in one transaction with its entry in the audit log.

import type { EmailAddress } from '#accounts/people/email-address.ts'
import { removeProjectTokens } from '#accounts/sessions/access-tokens.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import type { Account } from '#kit/management/caller.ts'
import { prepare } from '../database/tables.ts'
import { findProjectById, getProject, targetOf } from '../projects/find-project.ts'
import type { MemberRole } from '../projects/project-roles.ts'
import {
  deleteMember,
  findOwner,
  invitationLifeMs,
  listInvitations,
  listMembers,
  maxMembers,
  saveInvitation,
  saveMember,
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
interface Invitation {
  projectId: string
  email: EmailAddress
  role: MemberRole
  origin: AuditOrigin
}

/** Throws `project_not_found`, `conflict` for a member and `limit_reached`. */
export const inviteMember = locked(
  async (session, { email, origin, projectId, role }: Invitation) => {
    const project = await getProject(session, projectId)
    const { at: now, actorId } = origin
    const owner = await findOwner(session, projectId)
    const members = await listMembers(session, projectId)
    if ([...members, owner].some((one) => one?.email_key === email.key)) {
      const message = `${email.text} is a member of this project already. Change the role instead.`
      throw new AppError('conflict', message)
    }
    const open = await listInvitations(session, projectId, now)
    const others = open.filter((one) => one.email_key !== email.key)
    if (members.length + others.length >= maxMembers) {
      const message = `A project has at most ${maxMembers} members and invitations. Remove one first.`
      throw new AppError('limit_reached', message)
    }
    const id = createRecordId('inv', now)
    const expires = now + invitationLifeMs
    const saved = { id, project: projectId, role, by: actorId, now, expires }
    await session.all(saveInvitation, { ...saved, email: email.text, key: email.key })
    const to = { emailKey: email.key }
    await queueNotice(session, { projectId, kind: 'invited', to, origin })
    const detail = { email: email.text, role }
    await recordAudit(session, origin, 'project.member_invited', targetOf(project), detail)
    return { id, email: email.text, role, createdAt: now, expiresAt: expires }
  },
)

/** False if there is no such invitation. */
export const revokeInvitation = locked(
  async (session, projectId: string, id: string, origin: AuditOrigin): Promise<boolean> => {
    const ended = await findOne(session, deleteInvitation, { id, project: projectId })
    if (!ended) return false
    await record(session, origin, 'project.invitation_ended', projectId, { email: ended.email })
    return true
  },
)

interface Answer {
  domains: DomainTransfers
  id: string
  account: Pick<Account, 'id'>
  /** The key of its e-mail address. */
  email: string
  isAccepted: boolean
  origin: AuditOrigin
}

/**
 * Ends an invitation by the account that has its address. False if there is none that can be accepted. Throws
 * `limit_reached` and `conflict` for a project that the account cannot own.
 */
export const answerInvitation = locked(
  async (
    session,
    { account, domains, email, id, isAccepted, origin }: Answer,
  ): Promise<boolean> => {
    const taken = await findOne(session, takeInvitation, { id, email, now: origin.at })
    const project = taken && (await findProjectById(session, taken.project_id))
    if (!taken || !project) return false
    /** Tells the owner of now what becomes of the offer. */
    const tellOwner = async (kind: 'accepted' | 'declined'): Promise<void> => {
      const { id: projectId, ownerId } = project
      if (taken.role !== 'owner' || ownerId === null) return
      await queueNotice(session, { projectId, kind, to: { id: ownerId }, origin })
    }
    if (!isAccepted || project.ownerId === account.id) {
      if (!isAccepted) await tellOwner('declined')
      const detail = { email: taken.email }
      await recordAudit(session, origin, 'project.invitation_ended', targetOf(project), detail)
      return true
    }
    const { role } = taken
    if (role === 'owner') {
      const transfer = { project, accountId: account.id, domains, origin }
      const isTransferred = await transferProject(session, transfer)
      if (isTransferred) await tellOwner('accepted')
      return isTransferred
    }
    const member = { project: project.id, account: account.id, role, now: origin.at }
    await session.all(saveMember, member)
    const detail = { email: taken.email, role }
    await recordAudit(session, origin, 'project.member_joined', targetOf(project), detail)
    return true
  },
)

/** False if the account is not a member. The deploy tokens of a new viewer are revoked. */
export const changeMember = locked(
  async (
    session,
    projectId: string,
    accountId: string,
    role: MemberRole,
    origin: AuditOrigin,
  ): Promise<boolean> => {
    const member = await findMember(session, projectId, accountId)
    if (!member) return false
    if (member.role === role) return true
    await session.all(saveMember, { project: projectId, account: accountId, role, now: origin.at })
    if (role === 'viewer') await removeProjectTokens(session, projectId, origin, { accountId })
    const detail = { accountId, email: member.email, from: member.role, to: role }
    await record(session, origin, 'project.member_changed', projectId, detail)
    return true
  },
)

/** False if the account is not a member. Its deploy tokens for the project are revoked. */
export const removeMember = locked(
  async (session, projectId: string, accountId: string, origin: AuditOrigin): Promise<boolean> => {
    const member = await findMember(session, projectId, accountId)
    if (!member) return false
    await session.all(deleteMember, { project: projectId, account: accountId })
    await session.all(deleteOffer, { project: projectId, email: member.email_key })
    await removeProjectTokens(session, projectId, origin, { accountId })
    const detail = { accountId, email: member.email }
    await record(session, origin, 'project.member_removed', projectId, detail)
    return true
  },
)

async function findMember(session: Session, projectId: string, accountId: string) {
  return (await listMembers(session, projectId)).find((one) => one.account_id === accountId)
}

async function record(
  session: Session,
  origin: AuditOrigin,
  action: Parameters<typeof recordAudit>[2],
  projectId: string,
  detail: Record<string, string>,
): Promise<void> {
  await recordAudit(session, origin, action, targetOf(await getProject(session, projectId)), detail)
}
