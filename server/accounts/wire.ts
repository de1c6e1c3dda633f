// Accounts, sessions, tokens and invitations as sent to clients. Fields are copied one by one, so that no
// stored field is sent by accident.

import type { Account as AnyAccount } from '#kit/management/caller.ts'
import type { AccessToken as StoredToken } from './access-tokens.ts'
import type { ProjectName } from './account-context.ts'
import type { AccountLink } from './links.ts'
import type { AccessToken, Account, Invitation, Session } from './schema.ts'
import type { AccountSession } from './sessions.ts'

/** RFC 3339, of milliseconds since the epoch. */
export function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function wireAccount({ createdAt, email, id, name, plan, role }: AnyAccount): Account {
  return { id, email, name, role, plan, createdAt: wireTime(createdAt) }
}

/** `currentId` is the id of the request's session. */
export function wireSession(session: AccountSession, currentId: string | undefined): Session {
  const { address, createdAt, expiresAt, id, seenAt, signedInBy, userAgent } = session
  return {
    id,
    address,
    userAgent,
    signedInBy,
    createdAt: wireTime(createdAt),
    seenAt: wireTime(seenAt),
    expiresAt: wireTime(expiresAt),
    isCurrent: id === currentId,
  }
}

/** `project` is the one of a deploy token. */
export function wireToken(token: StoredToken, project?: ProjectName): AccessToken {
  const { createdAt, expiresAt, id, label, lastUsedAt, scopes } = token
  return {
    id,
    label,
    scopes,
    project: project ?? null,
    createdAt: wireTime(createdAt),
    expiresAt: wireTime(expiresAt),
    lastUsedAt: lastUsedAt === undefined ? null : wireTime(lastUsedAt),
  }
}

export function wireInvitation(link: AccountLink): Invitation {
  const { createdAt, createdBy, email = '', expiresAt, id, plan = 'free', role = 'member' } = link
  return {
    id,
    email,
    role,
    plan,
    createdBy: createdBy ?? null,
    createdAt: wireTime(createdAt),
    expiresAt: wireTime(expiresAt),
  }
}
