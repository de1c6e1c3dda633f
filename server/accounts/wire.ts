// Accounts, sessions, tokens and invitations as sent to clients.

import type { Account as AnyAccount } from '#kit/management/caller.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import type { AccessToken as StoredToken } from './access-tokens.ts'
import type { ProjectName } from './account-context.ts'
import type { AccountLink } from './links.ts'
import { AccessToken, Account, Invitation, Session } from './schema.ts'
import type { AccountSession } from './sessions.ts'

/** RFC 3339, of milliseconds since the epoch. */
export function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export const wireAccount = (account: AnyAccount): Account => toWire(Account, account)

/** `currentId` is the id of the request's session. */
export const wireSession = (session: AccountSession, currentId: string | undefined): Session =>
  toWire(Session, { ...session, isCurrent: session.id === currentId })

/** `project` is the one of a deploy token. */
export const wireToken = (token: StoredToken, project?: ProjectName): AccessToken =>
  toWire(AccessToken, { ...token, project })

export function wireInvitation(link: AccountLink): Invitation {
  const { email = '', plan = 'free', role = 'member' } = link
  return toWire(Invitation, { ...link, email, plan, role })
}
