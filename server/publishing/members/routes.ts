// The operations on members of projects. Those that change something have no scope: a leaked token cannot let others in.

import { type Static, Type } from 'typebox'
import { parseEmail } from '#accounts/people/email-address.ts'
import { readEmail } from '#accounts/sign-in/sign-in.ts'
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import type { Account, Caller } from '#kit/caller.ts'
import { toTimestamp } from '#kit/clock.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { routesOf } from '#kit/management/route.ts'
import { nullable, text, toWire, words } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { isPermitted, type MemberRole, memberRoles } from '../projects/project-roles.ts'
import { projectRoutesOf, requirePermission } from '../projects/routes.ts'
import {
  answerInvitation,
  changeMember,
  type DomainTransfers,
  findTransferEffects,
  inviteMember,
  offerProject,
  removeMember,
  revokeInvitation,
} from './change-members-and-owner.ts'
import { findOwner, getMember, listInvitations, listMembers, listReceived } from './member-rows.ts'

const role = words(
  memberRoles,
  'editor: deploys, and changes domains and settings, too. viewer: sees everything, changes nothing.',
)
const time = (description: string) => Type.String({ format: 'date-time', description })

const invitationRole = words(
  ['owner', ...memberRoles],
  'owner: a member is offered the project itself.',
)
type InvitationRole = Static<typeof invitationRole>

const ProjectInvitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String({ description: 'An account with this address can accept it.' }),
    role: invitationRole,
    createdAt: time('When it was created or renewed.'),
    expiresAt: time('From then on it cannot be accepted.'),
  },
  { $id: 'ProjectInvitation', description: 'An invitation that has not been accepted yet.' },
)

const person = {
  accountId: Type.String(),
  name: Type.String(),
  email: Type.String(),
}

const ProjectMember = Type.Object(
  { ...person, role, joinedAt: time('When the invitation was accepted.') },
  { $id: 'ProjectMember', description: 'An account that has a role in a project.' },
)

const ProjectMembers = Type.Object(
  {
    owner: nullable(Type.Object(person), 'Null for a project that belongs to all operators.'),
    items: Type.Array(ProjectMember, { description: 'The others, ordered by name.' }),
    invitations: Type.Array(ProjectInvitation, {
      description: 'Only for the owner and operators; empty for others.',
    }),
  },
  { $id: 'ProjectMembers', description: 'Who has access to a project.' },
)

const NewProjectInvitation = Type.Object(
  {
    email: text(254, 'Whether an account has this address is not told.', 1),
    role,
  },
  { $id: 'NewProjectInvitation', description: 'Whom to invite.' },
)

const ProjectMemberPatch = Type.Object(
  { role },
  { $id: 'ProjectMemberPatch', description: 'The new role of a member.' },
)

const TransferEffects = Type.Object(
  {
    suspendedDomains: Type.Array(Type.String(), {
      description: 'Domains that are suspended because the new owner is on the free plan.',
    }),
    refusal: nullable(Type.String(), 'Why the account cannot own the project; null if it can.'),
  },
  { $id: 'TransferEffects', description: 'What the transfer of a project would do now.' },
)
type TransferEffects = Static<typeof TransferEffects>

const ReceivedInvitations = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        project: Type.Object({ slug: Type.String(), name: Type.String() }),
        role: invitationRole,
        invitedBy: nullable(Type.String(), 'Name of the account; null if it has been deleted.'),
        expiresAt: time('From then on it cannot be accepted.'),
        transfer: nullable(TransferEffects, 'If the project itself is offered; null otherwise.'),
      }),
    ),
  },
  { $id: 'ReceivedInvitations', description: 'Invitations to projects, newest first.' },
)
export type ReceivedInvitations = Static<typeof ReceivedInvitations>

type Context = PublishingContext & { domains: DomainTransfers }

const route = projectRoutesOf<Context>('projects')
const ownRoute = routesOf<Context>({ tag: 'account', access: 'account' })

export const memberRoutes = [
  route('GET /projects/{slug}/members', 'listProjectMembers', {
    summary: 'List the members of a project',
    needs: 'read',
    scope: 'projects:read',
    returns: ProjectMembers,
    async handle({ project }, { clock, database }) {
      const { id, role } = project
      // Together, so that they share a round trip.
      const [owner, members, invitations] = await Promise.all([
        findOwner(database.read, id),
        listMembers(database.read, id),
        isPermitted(role, 'own') ? listInvitations(database.read, id, clock()) : [],
      ])
      return {
        owner: owner ? { accountId: owner.id, name: owner.name, email: owner.email } : null,
        items: members.map((member) =>
          toWire(ProjectMember, { ...plainRow(member), role: member.role as MemberRole }),
        ),
        invitations: invitations.map((one) =>
          toWire(ProjectInvitation, { ...plainRow(one), role: one.role as InvitationRole }),
        ),
      }
    },
  }),
  route('PATCH /projects/{slug}/members/{accountId}', 'changeProjectMember', {
    summary: 'Change the role of a member',
    description: 'The deploy tokens that a new viewer created for the project are revoked.',
    needs: 'own',
    body: ProjectMemberPatch,
    errors: ['member_not_found'],
    async handle({ body, origin, params, project }, { database }) {
      await changeMember(database, project.id, params.accountId, body.role, origin)
    },
  }),
  route('DELETE /projects/{slug}/members/{accountId}', 'removeProjectMember', {
    summary: 'Remove a member, or leave a project',
    description:
      'Takes effect immediately. The deploy tokens that the member created for the project are revoked. Members can remove themselves.',
    needs: 'read',
    errors: ['role_required', 'member_not_found'],
    async handle({ caller, origin, params, project }, { database }) {
      const isLeaving = params.accountId === caller.account.id
      if (!isLeaving) requirePermission(project, 'own')
      await removeMember(database, project.id, params.accountId, origin)
    },
  }),
  route('GET /projects/{slug}/members/{accountId}/transfer', 'getTransferEffects', {
    summary: 'Get what a transfer of the project to a member would do',
    needs: 'own',
    returns: TransferEffects,
    errors: ['member_not_found'],
    async handle({ params: { accountId }, project }, context) {
      await getMember(context.database.read, project.id, accountId)
      return await effectsOf(context, project.id, accountId)
    },
  }),
  route('POST /projects/{slug}/members/{accountId}/transfer', 'offerProject', {
    summary: 'Offer the project to a member',
    description:
      'The member can accept within 14 days, as an invitation, and then owns the project with its domains; its plan and limits apply. The owner of before becomes an editor. An offer replaces an earlier one.',
    needs: 'own',
    status: 201,
    returns: ProjectInvitation,
    errors: ['member_not_found', 'limit_reached', 'conflict'],
    async handle({ origin, params, project }, { database, domains }) {
      const offer = { projectId: project.id, accountId: params.accountId, domains, origin }
      return toWire(ProjectInvitation, await offerProject(database, offer))
    },
  }),
  route('POST /projects/{slug}/invitations', 'createProjectInvitation', {
    summary: 'Invite a user to a project',
    description:
      'An account with this e-mail address can accept it within 14 days. It replaces an earlier invitation of the address.',
    needs: 'own',
    body: NewProjectInvitation,
    status: 201,
    returns: ProjectInvitation,
    errors: ['conflict', 'limit_reached'],
    async handle({ body, origin, project }, { database }) {
      const email = readEmail(body.email, 'email')
      const invited = await inviteMember(database, project.id, email, body.role, origin)
      return toWire(ProjectInvitation, invited)
    },
  }),
  route('DELETE /projects/{slug}/invitations/{invitationId}', 'revokeProjectInvitation', {
    summary: 'Revoke an invitation to a project',
    needs: 'own',
    errors: ['invitation_not_found'],
    async handle({ origin, params, project }, { database }) {
      await revokeInvitation(database, project.id, params.invitationId, origin)
    },
  }),
  ownRoute('GET /account/project-invitations', 'listReceivedInvitations', {
    summary: 'List the projects that you are invited to',
    returns: ReceivedInvitations,
    async handle({ caller }, context) {
      const { clock, database } = context
      const received = await listReceived(database.read, keyOf(caller.account), clock())
      return {
        items: await Promise.all(
          received.map(async ({ expires_at, id, invited_by, name, project_id, role, slug }) => ({
            id,
            project: { slug, name },
            role: role as InvitationRole,
            invitedBy: invited_by,
            expiresAt: toTimestamp(Number(expires_at)),
            transfer:
              role === 'owner' ? await effectsOf(context, project_id, caller.account.id) : null,
          })),
        ),
      }
    },
  }),
  ownRoute('POST /account/project-invitations/{invitationId}/accept', 'acceptProjectInvitation', {
    summary: 'Accept an invitation to a project, or the project itself',
    errors: ['invitation_not_found', 'limit_reached', 'conflict'],
    handle: async (call, context) => response(context, call, true),
  }),
  ownRoute('DELETE /account/project-invitations/{invitationId}', 'declineProjectInvitation', {
    summary: 'Decline an invitation to a project',
    errors: ['invitation_not_found'],
    handle: async (call, context) => response(context, call, false),
  }),
] as const

async function response(
  { database, domains, projectsChanged }: Context,
  call: { caller: Caller; origin: AuditOrigin; params: { invitationId: string } },
  isAccepted: boolean,
): Promise<void> {
  const { caller, origin, params } = call
  const { account } = caller
  await answerInvitation(database, {
    ...{ accountId: account.id, domains, email: keyOf(account), isAccepted },
    ...{ id: params.invitationId, origin },
  })
  projectsChanged()
}

/** `to`: an account. */
async function effectsOf(
  { database, domains }: Context,
  projectId: string,
  to: string,
): Promise<TransferEffects> {
  const effects = await findTransferEffects(database.read, domains, projectId, to)
  return toWire(TransferEffects, { ...effects, refusal: effects.refusal?.message })
}

const keyOf = ({ email }: Account): string => parseEmail(email)?.key ?? ''
