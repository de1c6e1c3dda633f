// Changes members of projects and invitations to them, and gives a project to another account, each in one transaction with
// its entry in the audit log. The owner offers a project to a member, who accepts as an invitation; nothing changes before.
// What is by owner follows in the same transaction: plan, quota, slugs and domains. The owner of before stays as an editor.

import type { EmailAddress } from '#accounts/people/email-address.ts'
import { removeProjectTokens } from '#accounts/sessions/access-tokens.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Plan, siteScope } from '#kit/caller.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { changePublished } from '../database/publishing-state.ts'
import { prepare } from '../database/tables.ts'
import {
  type FoundProject,
  findProjectById,
  getProject,
  targetOf,
} from '../projects/find-project.ts'
import { planLimits } from '../projects/plan-limits.ts'
import type { MemberRole } from '../projects/project-roles.ts'
import { findProjectSpace, findStoredSpace } from '../projects/stored-space.ts'
import {
  deleteMember,
  findOwner,
  getMember,
  listInvitations,
  listMembers,
  maxMembers,
  memberNotFound,
  saveMember,
  sendInvitation,
} from './member-rows.ts'
import { queueNotice } from './project-notices.ts'

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
export const answerInvitation = locked(async (session, reply: Reply): Promise<void> => {
  const { accountId, email, id, isAccepted, origin } = reply
  const invitation = await findOne(session, takeInvitation, { id, email, now: origin.at })
  const project = invitation && (await findProjectById(session, invitation.project_id))
  if (!invitation || !project) throw invitationNotFound()
  /** Tells the owner of now what becomes of the offer. */
  const tellOwner = async (kind: 'accepted' | 'declined'): Promise<void> => {
    const { id: projectId, ownerId } = project
    if (invitation.role !== 'owner' || ownerId === null) return
    await queueNotice(session, { projectId, kind, to: { id: ownerId }, origin })
  }
  if (!isAccepted || project.ownerId === accountId) {
    if (!isAccepted) await tellOwner('declined')
    const detail = { email: invitation.email }
    await recordAudit(session, origin, 'project.invitation_ended', targetOf(project), detail)
    return
  }
  const { role } = invitation
  if (role === 'owner') {
    if (!(await transferProject(session, project, reply))) throw invitationNotFound()
    return await tellOwner('accepted')
  }
  const member = { project: project.id, account: accountId, role, now: origin.at }
  await session.all(saveMember, member)
  const detail = { email: invitation.email, role }
  await recordAudit(session, origin, 'project.member_joined', targetOf(project), detail)
})

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

/** What transfers need of the room of domains, which imports others that import this one. */
export interface DomainTransfers {
  find(
    session: Session,
    projectId: string,
    to: Receiver,
  ): Promise<{ suspended: string[]; taken: string[] }>
  move(session: Session, projectId: string, to: Receiver, now: number): Promise<void>
}

interface Receiver {
  id: string
  plan: Plan
}

const receiver = prepare.select('accounts', ['id', 'plan', 'email', 'name'], { id: 'id' })
const countOwned = prepare.count('projects', { owner_id: 'owner' })
const setOwner = prepare.update('projects', { owner_id: 'owner' }, { id: 'project' })
const setOwnerOfSlugs = prepare.update('slugs', { owner_id: 'owner' }, { project_id: 'project' })
const endOffers = prepare.delete('project_invitations', {
  project_id: 'project',
  role: { value: 'owner' },
})

/**
 * What a transfer to the account would do now: the hosts that its plan suspends, and why it cannot take the project, if so.
 * Throws `member_not_found` without such an account.
 */
export async function findTransferEffects(
  session: Session,
  domains: DomainTransfers,
  projectId: string,
  accountId: string,
) {
  const to = await findOne(session, receiver, { id: accountId })
  if (!to) throw memberNotFound()
  const { suspended, taken } = await domains.find(session, projectId, to)
  const refusal = await findRefusal(session, projectId, to, taken)
  return { suspendedDomains: suspended, refusal, to }
}

async function findRefusal(
  session: Session,
  projectId: string,
  { id: owner, plan }: Receiver,
  [taken]: string[],
): Promise<AppError | undefined> {
  const limits = planLimits[plan]
  const owned = Number((await findOne(session, countOwned, { owner }))?.count)
  if (owned >= limits.projects) {
    const message = `The new owner has ${owned} projects, and the plan allows ${limits.projects}. Delete one first.`
    return new AppError('limit_reached', message)
  }
  const stored = await findStoredSpace(session, owner)
  const added = await findProjectSpace(session, projectId)
  const isOver =
    stored.files + added.files > limits.storedFiles ||
    stored.bytes + added.bytes > limits.storedBytes
  if (isOver) {
    const message =
      'This project and those of the new owner together store more than the plan allows. Delete deploys or projects first.'
    return new AppError('limit_reached', message)
  }
  if (taken === undefined) return undefined
  const message = `The new owner has added ${taken} to another project. Remove it there first.`
  return new AppError('conflict', message)
}

interface Offer {
  projectId: string
  /** Of a member. */
  accountId: string
  domains: DomainTransfers
  origin: AuditOrigin
}

/**
 * Replaces an offer to another member. Throws `member_not_found`, and `limit_reached` and `conflict` if it could not accept
 * now.
 */
export const offerProject = locked(
  async (session, { accountId, domains, origin, projectId }: Offer) => {
    const project = await getProject(session, projectId)
    const { email, email_key: key } = await getMember(session, projectId, accountId)
    const { refusal } = await findTransferEffects(session, domains, projectId, accountId)
    if (refusal) throw refusal
    await session.all(endOffers, { project: projectId })
    const offer = await sendInvitation(session, projectId, { key, text: email }, 'owner', origin)
    const detail = { accountId, email }
    await recordAudit(session, origin, 'project.transfer_offered', targetOf(project), detail)
    return offer
  },
)

/** Inside a write, when the offer was accepted. False if the account is no member any more. Throws as the offer. */
async function transferProject(
  session: Session,
  project: FoundProject,
  { accountId, domains, origin }: Reply,
): Promise<boolean> {
  await changePublished(session)
  const { id, ownerId: before } = project
  const members = await listMembers(session, id)
  if (!members.some((one) => one.account_id === accountId)) return false
  const { refusal, suspendedDomains, to } = await findTransferEffects(
    session,
    domains,
    id,
    accountId,
  )
  if (refusal) throw refusal
  await session.all(setOwner, { project: id, owner: accountId })
  await session.all(setOwnerOfSlugs, { project: id, owner: accountId })
  await session.all(deleteMember, { project: id, account: accountId })
  if (before !== null) {
    await session.all(deleteMember, { project: id, account: before })
    const editor = { project: id, account: before, role: 'editor', now: origin.at }
    await session.all(saveMember, editor)
  }
  // Only the owner decides who may see the site.
  await removeProjectTokens(session, id, origin, { scope: siteScope })
  await domains.move(session, id, to, origin.at)
  await session.all(endOffers, { project: id })
  // The owner of before sees the entry as that of the own project, the new one as the actor.
  await recordAudit(session, origin, 'project.transferred', targetOf(project), {
    accountId,
    email: to.email,
    from: before,
    suspendedDomains: suspendedDomains.length,
  })
  return true
}
