// Adds an entry to the audit log, in the transaction of the change that it records: there is no change without its
// entry, and no entry without its change.

import type { Account, Caller } from '../caller.ts'
import type { Session } from '../database/database.ts'
import { createSequentialId } from '../identifiers.ts'
import { type AuditAction, areaOf } from './actions.ts'
import { type AuditSource, insertRow } from './tables.ts'

/** Who makes a change, by what, from where and when. */
export interface AuditOrigin {
  /** Milliseconds since the epoch. */
  at: number
  /** The account; null for the command line and for the program itself. */
  actorId: string | null
  /** Its e-mail address, or what else acts. */
  actorName: string
  via: AuditSource
  /** The id of the session or access token. */
  credentialId: string | null
  /** The client's IP address. */
  address: string | null
}

/** What was changed; the name is the one that it had. */
interface AuditTarget {
  id: string
  name: string
  /** The account that owns it, which may see the entry. */
  ownerId?: string | null
}

/** What else the entry says; never a secret. */
export type AuditDetail = Record<string, string | number | boolean | null>

const maxTextLength = 300

/** Call it inside the write that makes the change. */
export async function recordAudit(
  session: Session,
  { actorId, actorName, address, at, credentialId, via }: AuditOrigin,
  action: AuditAction,
  target: AuditTarget,
  detail: AuditDetail = {},
): Promise<void> {
  const entries = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? shortened(value) : value,
  ])
  await insertRow(session, 'audit_log', {
    id: createSequentialId('aud', at),
    ...{ at, area: areaOf(action), action },
    ...{ actorId, actorName: shortened(actorName), via, credentialId, address },
    targetId: target.id,
    targetName: shortened(target.name),
    ownerId: target.ownerId ?? null,
    detail: JSON.stringify(Object.fromEntries(entries)),
  })
}

/** The caller of a request. */
export function originOf(
  { address, caller }: { caller: Caller; address: string },
  at: number,
): AuditOrigin {
  const { account, by } = caller
  if (by.kind === 'command_line') return commandLineOrigin(at)
  return { ...originOfAccount(account, address, at), via: by.kind, credentialId: by.id }
}

/** An account that has just proven who it is, by a password or a link. */
export function originOfAccount(
  { email, id }: Pick<Account, 'email' | 'id'>,
  address: string,
  at: number,
  via: AuditSource = 'session',
): AuditOrigin {
  return { at, actorId: id, actorName: email, via, credentialId: null, address }
}

/** A command on the server itself. */
export function commandLineOrigin(at: number): AuditOrigin {
  return { ...programOrigin(at), actorName: 'command line', via: 'command_line' }
}

/** The program itself, such as its first start. */
export function programOrigin(at: number): AuditOrigin {
  const actorName = 'Animal Store'
  return { at, actorId: null, actorName, via: 'program', credentialId: null, address: null }
}

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text
}
