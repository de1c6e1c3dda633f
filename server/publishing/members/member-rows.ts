// The rows of members of projects, and of invitations to them. An offer of a project is an invitation with the role owner.

import type { EmailAddress } from '#accounts/people/email-address.ts'
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import { findOne, type Session, type WriteSession } from '#kit/database/database.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { projectsWithSlug } from '../projects/find-project.ts'
import type { MemberRole } from '../projects/project-roles.ts'
import { queueNotice } from './project-notices.ts'

/** Of a project, together with invitations that are open. */
export const maxMembers = 100
/** Shown to one account. */
const maxReceived = 100

const ofProject = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('project_members')
    .innerJoin('accounts', 'accounts.id', 'project_members.account_id')
    .select(['account_id', 'name', 'email', 'email_key', 'project_members.role', 'joined_at'])
    .where('project_id', '=', param('project'))
    .orderBy('name')
    .orderBy('account_id')
    .limit(maxMembers),
)
const ownerOf = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('accounts', 'accounts.id', 'projects.owner_id')
    .select(['accounts.id', 'accounts.name', 'email', 'email_key'])
    .where('projects.id', '=', param('project')),
)
const invitationsOf = prepare.select(
  'project_invitations',
  ['id', 'email', 'email_key', 'role', 'created_at', 'expires_at'],
  { project_id: 'project', expires_at: { '>': 'now' } },
  { orderBy: ['created_at desc', 'id'], limit: maxMembers },
)
const receivedBy = prepareQuery<{ email: string; now: number }>()((db, param) =>
  projectsWithSlug(db)
    .innerJoin('project_invitations as invitations', 'invitations.project_id', 'projects.id')
    .leftJoin('accounts', 'accounts.id', 'invitations.created_by')
    .select([
      'invitations.id',
      'invitations.project_id',
      'invitations.role',
      'invitations.expires_at',
      'projects.name',
      'slugs.slug',
      'accounts.name as invited_by',
    ])
    .where('invitations.email_key', '=', param('email'))
    .where('invitations.expires_at', '>', param('now'))
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id')
    .limit(maxReceived),
)

export const saveMember = prepare.upsert(
  'project_members',
  { project_id: 'project', account_id: 'account' },
  { role: 'role' },
  { joined_at: 'now' },
)
export const deleteMember = prepare.delete('project_members', {
  project_id: 'project',
  account_id: 'account',
})

export const listMembers = (session: Session, project: string) =>
  session.all(ofProject, { project })

/** Undefined for a project that belongs to all operators. */
export const findOwner = (session: Session, project: string) =>
  findOne(session, ownerOf, { project })

/** That can be accepted at `now`, newest first. */
export const listInvitations = (session: Session, project: string, now: number) =>
  session.all(invitationsOf, { project, now })

/** `email`: the key of an EmailAddress. */
export const listReceived = (session: Session, email: string, now: number) =>
  session.all(receivedBy, { email, now })

export const deleteExpiredInvitations = oldRowsOf<PublishingTables>()({
  table: 'project_invitations',
  key: ['id'],
  time: 'expires_at',
  lock: takeLock,
})

/** Throws `member_not_found`. */
export async function getMember(session: Session, project: string, accountId: string) {
  const member = (await listMembers(session, project)).find((one) => one.account_id === accountId)
  if (!member) throw memberNotFound()
  return member
}

export function memberNotFound(): AppError {
  return new AppError('member_not_found', 'The project has no such member.')
}

const invitationLifeMs = 14 * 24 * 3_600_000

const upsertInvitation = prepare.upsert(
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

/** Replaces an earlier one of the same address. An account that has confirmed the address gets a mail. */
export async function sendInvitation<Role extends 'owner' | MemberRole>(
  session: WriteSession,
  project: string,
  { key, text: email }: Pick<EmailAddress, 'key' | 'text'>,
  role: Role,
  origin: AuditOrigin,
) {
  const { actorId: by, at: now } = origin
  const id = createRecordId('inv', now)
  const expires = now + invitationLifeMs
  await session.all(upsertInvitation, { id, project, role, by, now, expires, email, key })
  const kind = role === 'owner' ? 'offered' : 'invited'
  await queueNotice(session, { projectId: project, kind, to: { emailKey: key }, origin })
  return { id, email, role, createdAt: now, expiresAt: expires }
}
