// Gives a project to another account. The owner offers it to a member, who accepts as an invitation; nothing changes
// before. What is by owner follows in the same transaction: plan, quota, slugs and domains. The owner of before stays as
// an editor.
import { removeProjectTokens } from '#accounts/sessions/access-tokens.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { type Plan, siteScope } from '#kit/management/caller.ts'
import { changePublished } from '../database/publishing-state.ts'
import { prepare } from '../database/tables.ts'
import { type FoundProject, getProject, targetOf } from '../projects/find-project.ts'
import { planLimits } from '../projects/plan-limits.ts'
import { findProjectSpace, findStoredSpace } from '../projects/stored-space.ts'
import {
  deleteMember,
  getMember,
  listMembers,
  memberNotFound,
  saveMember,
  sendInvitation,
} from './member-rows.ts'

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

interface TransferEffects {
  /** Hosts that the plan of the new owner suspends. */
  suspendedDomains: string[]
  /** Why the account cannot take the project; undefined if it can. */
  refusal: AppError | undefined
}

/** What a transfer to the account would do now. Throws `member_not_found` without such an account. */
export async function findTransferEffects(
  session: Session,
  domains: DomainTransfers,
  project: Pick<FoundProject, 'id'>,
  accountId: string,
): Promise<TransferEffects> {
  const to = await findOne(session, receiver, { id: accountId })
  if (!to) throw memberNotFound()
  const { suspended, taken } = await domains.find(session, project.id, to)
  const refusal = await findRefusal(session, project.id, to, taken)
  return { suspendedDomains: suspended, refusal }
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
    const { refusal } = await findTransferEffects(session, domains, project, accountId)
    if (refusal) throw refusal
    await session.all(endOffers, { project: projectId })
    const offer = await sendInvitation(session, projectId, { key, text: email }, 'owner', origin)
    const detail = { accountId, email }
    await recordAudit(session, origin, 'project.transfer_offered', targetOf(project), detail)
    return offer
  },
)

interface Transfer {
  project: FoundProject
  accountId: string
  domains: DomainTransfers
  origin: AuditOrigin
}

/** Inside a write, when the offer was accepted. False if the account is no member any more. Throws as the offer. */
export async function transferProject(
  session: Session,
  { accountId, domains, origin, project }: Transfer,
): Promise<boolean> {
  await changePublished(session)
  const { id, ownerId: before } = project
  const to = await findOne(session, receiver, { id: accountId })
  const members = await listMembers(session, id)
  if (!to || !members.some((one) => one.account_id === accountId)) return false
  const effects = await findTransferEffects(session, domains, project, accountId)
  if (effects.refusal) throw effects.refusal
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
    suspendedDomains: effects.suspendedDomains.length,
  })
  return true
}
