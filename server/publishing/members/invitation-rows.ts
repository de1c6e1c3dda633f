// Saves invitations to projects, among them offers of a project: those with the role owner.
import { prepare } from '../database/tables.ts'

export const invitationLifeMs = 14 * 24 * 3_600_000

/** Replaces an earlier one of the same address. */
export const saveInvitation = prepare.upsert(
  'project_invitations',
  { project_id: 'project', email_key: 'key' },
  {
    id: 'id',
    email: 'email',
    role: 'role',
    created_by: 'by',
    created_at: 'now',
    expires_at: 'expires',
  },
)
