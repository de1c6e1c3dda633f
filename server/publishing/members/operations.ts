// The operations on members of projects. Those that change something have no scope: a leaked token cannot let others in.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'projects', access: 'account', errors: ['project_not_found'] },
  {
    listProjectMembers: {
      route: 'GET /projects/{slug}/members',
      summary: 'List the members of a project',
      scope: 'projects:read',
      returns: schema.ProjectMembers,
    },
    changeProjectMember: {
      route: 'PATCH /projects/{slug}/members/{accountId}',
      summary: 'Change the role of a member',
      description: 'The deploy tokens that a new viewer created for the project are revoked.',
      body: schema.ProjectMemberPatch,
      errors: ['role_required', 'member_not_found'],
    },
    removeProjectMember: {
      route: 'DELETE /projects/{slug}/members/{accountId}',
      summary: 'Remove a member, or leave a project',
      description:
        'Takes effect immediately. The deploy tokens that the member created for the project are revoked. Members can remove themselves.',
      errors: ['role_required', 'member_not_found'],
    },
    getTransferEffects: {
      route: 'GET /projects/{slug}/members/{accountId}/transfer',
      summary: 'Get what a transfer of the project to a member would do',
      returns: schema.TransferEffects,
      errors: ['role_required', 'member_not_found'],
    },
    offerProject: {
      route: 'POST /projects/{slug}/members/{accountId}/transfer',
      summary: 'Offer the project to a member',
      description:
        'The member can accept within 14 days, as an invitation, and then owns the project with its domains; its plan and limits apply. The owner of before becomes an editor. An offer replaces an earlier one.',
      status: 201,
      returns: schema.ProjectInvitation,
      errors: ['role_required', 'member_not_found', 'limit_reached', 'conflict'],
    },
    createProjectInvitation: {
      route: 'POST /projects/{slug}/invitations',
      summary: 'Invite a user to a project',
      description:
        'An account with this e-mail address can accept it within 14 days. It replaces an earlier invitation of the address.',
      body: schema.NewProjectInvitation,
      status: 201,
      returns: schema.ProjectInvitation,
      errors: ['role_required', 'conflict', 'limit_reached'],
    },
    revokeProjectInvitation: {
      route: 'DELETE /projects/{slug}/invitations/{invitationId}',
      summary: 'Revoke an invitation to a project',
      errors: ['role_required', 'invitation_not_found'],
    },
  },
)

export const ownOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    listReceivedInvitations: {
      route: 'GET /account/project-invitations',
      summary: 'List the projects that you are invited to',
      returns: schema.ReceivedInvitations,
    },
    acceptProjectInvitation: {
      route: 'POST /account/project-invitations/{invitationId}/accept',
      summary: 'Accept an invitation to a project, or the project itself',
      errors: ['invitation_not_found', 'limit_reached', 'conflict'],
    },
    declineProjectInvitation: {
      route: 'DELETE /account/project-invitations/{invitationId}',
      summary: 'Decline an invitation to a project',
      errors: ['invitation_not_found'],
    },
  },
)
