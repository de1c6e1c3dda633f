// The wire shapes of members of projects and of invitations to them.
import { type Static, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import { memberRoles } from '../projects/project-roles.ts'

const role = Type.Enum([...memberRoles], {
  type: 'string',
  description:
    'editor: deploys, and changes domains and settings, too. viewer: sees everything, changes nothing.',
})
const time = (description: string) => Type.String({ format: 'date-time', description })

const invitationRole = Type.Enum(['owner', ...memberRoles], {
  type: 'string',
  description: 'owner: a member is offered the project itself.',
})

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

export { ProjectInvitation }
export type ProjectInvitation = Static<typeof ProjectInvitation>

const person = {
  accountId: Type.String(),
  name: Type.String(),
  email: Type.String(),
}

const ProjectMember = Type.Object(
  { ...person, role, joinedAt: time('When the invitation was accepted.') },
  { $id: 'ProjectMember', description: 'An account that has a role in a project.' },
)

export const ProjectMembers = Type.Object(
  {
    owner: Type.Union([Type.Object(person), Type.Null()], {
      description: 'Null for a project that belongs to all operators.',
    }),
    items: Type.Array(ProjectMember, { description: 'The others, ordered by name.' }),
    invitations: Type.Array(ProjectInvitation, {
      description: 'Only for the owner and operators; empty for others.',
    }),
  },
  { $id: 'ProjectMembers', description: 'Who has access to a project.' },
)
export type ProjectMembers = Static<typeof ProjectMembers>

export const NewProjectInvitation = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Whether an account has this address is not told.',
    }),
    role,
  },
  { $id: 'NewProjectInvitation', description: 'Whom to invite.' },
)

export const ProjectMemberPatch = Type.Object(
  { role },
  { $id: 'ProjectMemberPatch', description: 'The new role of a member.' },
)

export const TransferEffects = Type.Object(
  {
    suspendedDomains: Type.Array(Type.String(), {
      description: 'Domains that are suspended because the new owner is on the free plan.',
    }),
    refusal: nullable(Type.String(), 'Why the account cannot own the project; null if it can.'),
  },
  { $id: 'TransferEffects', description: 'What the transfer of a project would do now.' },
)
export type TransferEffects = Static<typeof TransferEffects>

export const ReceivedInvitations = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        project: Type.Object({ slug: Type.String(), name: Type.String() }),
        role: invitationRole,
        invitedBy: Type.Union([Type.String(), Type.Null()], {
          description: 'Name of the account; null if it has been deleted.',
        }),
        expiresAt: time('From then on it cannot be accepted.'),
        transfer: nullable(TransferEffects, 'If the project itself is offered; null otherwise.'),
      }),
    ),
  },
  { $id: 'ReceivedInvitations', description: 'Invitations to projects, newest first.' },
)
export type ReceivedInvitations = Static<typeof ReceivedInvitations>
