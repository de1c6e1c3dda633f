// Clicks on Connect: what was started at which DNS provider, and how it returned. The provider's response decides nothing:
// the state of a domain comes from DNS alone. The states of a connection:
//   open      from the click on, for an hour; of a domain at most 20, the oldest are deleted
//   returned  once, in time, by the account and the session that started it: `outcome` is done, cancelled or failed. Kept
//             for 23 hours, to be shown
//   deleted   when `expires_at` has passed, whether it returned or not

import { hash, randomBytes } from 'node:crypto'
import { findDomainById } from '#domains/database/find-domains.ts'
import { type EventSubject, recordEvent } from '#domains/database/record-event.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Caller } from '#kit/caller.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { type StoredRow, storedRow } from '#kit/database/plain-row.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { insertRow, type PublishingTables, prepare } from '#publishing/database/tables.ts'
import type { TemplateGroup } from '../links/connect-template.ts'

const returnMs = 3_600_000
/** How long a finished connection is kept, and shown. */
const keptMs = 23 * 3_600_000
/** Open ones of a domain; the oldest are deleted. */
const maxOpen = 20
/** Of a domain within a day, those that matter. */
const maxRecent = 100

type ConnectOutcome = 'done' | 'cancelled' | 'failed'

export type Connection = Pick<
  StoredRow<PublishingTables['domain_connections']>,
  'domainId' | 'error' | 'provider' | 'recordGroups' | 'startedAt'
> & { returnedAt: number; outcome: ConnectOutcome }

const open = prepare.select(
  'domain_connections',
  ['id'],
  { domain_id: 'domain', returned_at: null },
  { orderBy: ['started_at desc'], limit: maxOpen + 1 },
)
const remove = prepare.delete('domain_connections', { id: 'id' })
const byId = prepare.select('domain_connections', 'all', { id: 'id' })
const recent = prepare.select(
  'domain_connections',
  'all',
  { domain_id: 'domain', expires_at: { '>': 'now' } },
  { orderBy: ['started_at desc'], limit: maxRecent },
)
const finish = prepare.update(
  'domain_connections',
  { returned_at: 'at', outcome: 'outcome', error: 'error', expires_at: 'until' },
  { id: 'id', returned_at: null },
)

const markLinked = prepare.update('domains', { connect_linked_at: 'at' }, { id: 'domain' })

interface StartConnection {
  domain: EventSubject
  ownerId: string | null
  state: string
  caller: Caller
  provider: string
  groups: TemplateGroup[]
  origin: AuditOrigin
}

/** 128 random bits. Only its hash is stored. */
export const createState = (): string => randomBytes(16).toString('base64url')
const idOf = (state: string): string => hash('sha256', state, 'hex')

export const startConnection = locked(
  async (session, input: StartConnection): Promise<{ expiresAt: number }> => {
    const { caller, domain, groups, origin, ownerId, provider, state } = input
    const expiresAt = origin.at + returnMs
    const excess = (await session.all(open, { domain: domain.id })).slice(maxOpen - 1)
    for (const { id } of excess) await session.all(remove, { id })
    await insertRow(session, 'domain_connections', {
      id: idOf(state),
      domainId: domain.id,
      accountId: caller.account.id,
      sessionId: caller.by.kind === 'session' ? caller.by.id : null,
      provider,
      recordGroups: groups.join(','),
      startedAt: origin.at,
      expiresAt,
    })
    if (groups.includes('ownership'))
      await session.all(markLinked, { domain: domain.id, at: origin.at })
    const target = { id: domain.id, name: domain.host, ownerId }
    await recordAudit(session, origin, 'domain.connect_started', target, { provider })
    const happening = { type: 'connect_started', detail: { provider }, isNotice: false } as const
    await recordEvent(session, domain, { ...happening, origin })
    return { expiresAt }
  },
)

/** An error of OAuth 2 (RFC 6749, section 4.1.2.1) as the provider returned it; null for success. */
export function readOutcome(
  error: string | null,
  description: string,
): Pick<Connection, 'outcome' | 'error'> {
  if (error === null) return { outcome: 'done', error: null }
  const isCancelled = error === 'access_denied' && /^\s*user_cancel/.test(description)
  return { outcome: isCancelled ? 'cancelled' : 'failed', error }
}

interface FinishConnection extends Pick<Connection, 'outcome' | 'error'> {
  state: string
  caller: Caller
  origin: AuditOrigin
}

/** Once, and only by the account and the session that started it. Undefined for any other. */
export const finishConnection = locked(
  async (session, input: FinishConnection): Promise<Connection | undefined> => {
    const { caller, error, origin, outcome, state } = input
    const { at } = origin
    const id = idOf(state)
    const row = await findOne(session, byId, { id })
    if (!row) return undefined
    const { accountId, expiresAt, returnedAt, sessionId, ...found } = storedRow(row)
    // One that a token has started is finished by any session of its account, in whose browser the link was opened.
    const isOther = sessionId !== null && sessionId !== caller.by.id
    if (accountId !== caller.account.id || isOther || returnedAt !== null || expiresAt <= at)
      return undefined
    await session.all(finish, { id, at, outcome, error, until: at + keptMs })
    const domain = await findDomainById(session, found.domainId)
    if (domain) {
      const detail = { provider: found.provider, outcome }
      const happening = { type: 'connect_returned', detail, isNotice: false } as const
      await recordEvent(session, domain, { ...happening, origin })
    }
    return { ...found, returnedAt: at, outcome, error }
  },
)

/**
 * `open`: the last one that was started, unless it has returned. `returned`: the last one that returned, within a day.
 */
export async function findRecentConnections(session: Session, domain: string, now: number) {
  const connections = (await session.all(recent, { domain, now })).map(storedRow)
  const returned = connections.filter((each) => each.returnedAt !== null) as Connection[]
  const [last] = connections
  return {
    open: last?.returnedAt === null ? last : undefined,
    returned: returned.toSorted((a, b) => b.returnedAt - a.returnedAt).at(0),
  }
}

export const deleteExpiredConnections = oldRowsOf<PublishingTables>()({
  table: 'domain_connections',
  key: ['id'],
  time: 'expires_at',
  lock: takeLock,
})
