// Handlers of the operations on members of projects.
import { parseEmail } from '#accounts/email-address.ts'
import { readEmail } from '#accounts/sign-in.ts'
import { wireTime } from '#accounts/wire.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import type { Account, Caller } from '#kit/management/caller.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { isPermitted, type MemberRole } from '../projects/project-roles.ts'
import { getOwnProject } from '../projects/routes.ts'
import {
  answerInvitation,
  changeMember,
  inviteMember,
  removeMember,
  revokeInvitation,
} from './change-members.ts'
import { findOwner, listInvitations, listMembers, listReceived } from './member-rows.ts'
import { operations, ownOperations } from './operations.ts'
import type { ProjectInvitation, TransferEffects } from './schema.ts'
import { type DomainTransfers, findTransferEffects, offerProject } from './transfer-project.ts'

type Context = Pick<PublishingContext, 'clock' | 'database' | 'projectsChanged'> & {
  domains: DomainTransfers
}

type InvitationRole = ProjectInvitation['role']

export function memberRoutes({ clock, database, domains, projectsChanged }: Context): Route[] {
  const { read } = database

  async function answer(
    call: { caller: Caller; address: string; params: { invitationId: string } },
    isAccepted: boolean,
  ): Promise<undefined> {
    const { account } = call.caller
    const isFound = await answerInvitation(database, {
      ...{ account, domains, email: keyOf(account), id: call.params.invitationId, isAccepted },
      origin: originOf(call, clock()),
    })
    if (!isFound) throw invitationNotFound()
    projectsChanged()
    return undefined
  }

  /** `to`: an account. */
  async function effectsOf(project: { id: string }, to: string): Promise<TransferEffects> {
    const effects = await findTransferEffects(read, domains, project, to)
    if (!effects) throw memberNotFound()
    const { refusal, suspendedDomains } = effects
    return { suspendedDomains, refusal: refusal?.message ?? null }
  }

  return [
    route(operations.listProjectMembers, async ({ caller, params }) => {
      const { id, role } = await getOwnProject(read, caller, params.slug, 'read')
      // Together, so that they share a round trip.
      const [owner, members, invitations] = await Promise.all([
        findOwner(read, id),
        listMembers(read, id),
        isPermitted(role, 'own') ? listInvitations(read, id, clock()) : [],
      ])
      return {
        owner: owner ? { accountId: owner.id, name: owner.name, email: owner.email } : null,
        items: members.map((member) => ({
          accountId: member.account_id,
          name: member.name,
          email: member.email,
          role: member.role as MemberRole,
          joinedAt: wireTime(Number(member.joined_at)),
        })),
        invitations: invitations.map((one) => ({
          id: one.id,
          email: one.email,
          role: one.role as InvitationRole,
          createdAt: wireTime(Number(one.created_at)),
          expiresAt: wireTime(Number(one.expires_at)),
        })),
      }
    }),
    route(operations.changeProjectMember, async (call) => {
      const { body, caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug, 'own')
      const origin = originOf(call, clock())
      if (!(await changeMember(database, id, params.accountId, body.role, origin))) {
        throw memberNotFound()
      }
      return undefined
    }),
    route(operations.removeProjectMember, async (call) => {
      const { caller, params } = call
      const isLeaving = params.accountId === caller.account.id
      const permission = isLeaving ? 'read' : 'own'
      const { id } = await getOwnProject(read, caller, params.slug, permission)
      const origin = originOf(call, clock())
      if (!(await removeMember(database, id, params.accountId, origin))) throw memberNotFound()
      return undefined
    }),
    route(operations.getTransferEffects, async ({ caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'own')
      const members = await listMembers(read, project.id)
      if (!members.some((one) => one.account_id === params.accountId)) throw memberNotFound()
      return await effectsOf(project, params.accountId)
    }),
    route(operations.offerProject, async (call) => {
      const { caller, params } = call
      const { id: projectId } = await getOwnProject(read, caller, params.slug, 'own')
      const { accountId } = params
      const origin = originOf(call, clock())
      const offered = await offerProject(database, { projectId, accountId, domains, origin })
      if (!offered) throw memberNotFound()
      return {
        ...offered,
        createdAt: wireTime(offered.createdAt),
        expiresAt: wireTime(offered.expiresAt),
      }
    }),
    route(operations.createProjectInvitation, async (call) => {
      const { body, caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug, 'own')
      const email = readEmail(body.email, 'email')
      const invitation = { projectId: id, email, role: body.role }
      const origin = originOf(call, clock())
      const invited = await inviteMember(database, { ...invitation, origin })
      if (!invited) throw new AppError('project_not_found', 'The project has been deleted.')
      return {
        ...invited,
        createdAt: wireTime(invited.createdAt),
        expiresAt: wireTime(invited.expiresAt),
      }
    }),
    route(operations.revokeProjectInvitation, async (call) => {
      const { caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug, 'own')
      const origin = originOf(call, clock())
      if (!(await revokeInvitation(database, id, params.invitationId, origin))) {
        throw invitationNotFound()
      }
      return undefined
    }),
    route(ownOperations.listReceivedInvitations, async ({ caller }) => {
      const received = await listReceived(read, keyOf(caller.account), clock())
      return {
        items: await Promise.all(
          received.map(async ({ expires_at, id, invited_by, name, project_id, role, slug }) => ({
            id,
            project: { slug, name },
            role: role as InvitationRole,
            invitedBy: invited_by,
            expiresAt: wireTime(Number(expires_at)),
            transfer:
              role === 'owner' ? await effectsOf({ id: project_id }, caller.account.id) : null,
          })),
        ),
      }
    }),
    route(ownOperations.acceptProjectInvitation, (call) => answer(call, true)),
    route(ownOperations.declineProjectInvitation, (call) => answer(call, false)),
  ]
}

const keyOf = ({ email }: Account): string => parseEmail(email)?.key ?? ''

function memberNotFound(): AppError {
  return new AppError('member_not_found', 'The project has no such member.')
}

function invitationNotFound(): AppError {
  const message = 'There is no such invitation, or it has expired. Ask the owner for another one.'
  return new AppError('invitation_not_found', message)
}
