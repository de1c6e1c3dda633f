// Saves invitations to projects, among them offers of a project: those with the role owner.
import { prepareQuery } from '../database/tables.ts'

export const invitationLifeMs = 14 * 24 * 3_600_000

/** Replaces an earlier one of the same address. */
export const saveInvitation = prepareQuery<{
  id: string
  project: string
  email: string
  key: string
  role: string
  by: string | null
  now: number
  expires: number
}>()((db, param) => {
  const renewed = {
    id: param('id'),
    email: param('email'),
    role: param('role'),
    created_by: param('by'),
    created_at: param('now'),
    expires_at: param('expires'),
  }
  return db
    .insertInto('project_invitations')
    .values({ ...renewed, project_id: param('project'), email_key: param('key') })
    .onConflict((conflict) => conflict.columns(['project_id', 'email_key']).doUpdateSet(renewed))
})
