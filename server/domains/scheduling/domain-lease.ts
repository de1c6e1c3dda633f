// The lease of a domain that is due: only its holder processes the domain, and every write requires it.
import { sql } from 'kysely'
import type { Session } from '#kit/database/database.ts'
import { type Lease, LeaseLostError, leasesOf } from '#kit/jobs/lease.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import type { PublishingTables } from '#publishing/database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'

export type DomainLease = Lease<{ id: string }>

/** Domains of one owner that are processed at once, by all processes. */
const maxPerOwner = 12n
/** Due domains that a claim looks at: enough for the next turns of several owners. */
const maxCandidates = 100

/**
 * Owners share the work: the next domain is one of the owner with the fewest leased ones, and of its domains the one
 * that is longest due.
 */
export const domainLeases = leasesOf<PublishingTables>()()({
  table: 'domains',
  key: ['id'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 15_000,
  lock: lockPublishing,
  due: (db, param, isFree) => {
    const busy = db
      .selectFrom('domains')
      .select((eb) => ['turn_owner', eb.fn.countAll<bigint>().as('count')])
      .where('lease', 'is not', null)
      .where('lease_until', '>=', param('now'))
      .groupBy('turn_owner')
      .as('busy')
    const busyCount = sql<bigint>`coalesce(busy.count, 0)`
    const candidates = db
      .selectFrom('domains')
      .leftJoin(busy, (join) => join.onRef('busy.turn_owner', '=', 'domains.turn_owner'))
      .select(['domains.id', 'domains.turn_owner', 'domains.due_at', busyCount.as('busy')])
      .where('domains.due_at', '<=', param('now'))
      .where(isFree('domains.lease_until'))
      .where(busyCount, '<', sql.lit(maxPerOwner))
      .orderBy('domains.due_at')
      .limit(sql.lit(maxCandidates))
      .as('candidates')
    const turn = sql<bigint>`busy + row_number() over (partition by turn_owner order by due_at)`
    const turns = db
      .selectFrom(candidates)
      .select(['candidates.id', 'candidates.due_at', turn.as('turn')])
      .as('due')
    return db
      .selectFrom(turns)
      .select('due.id')
      .where('due.turn', '<=', sql.lit(maxPerOwner))
      .orderBy('due.turn')
      .orderBy('due.due_at')
      .limit(param('max'))
  },
})

/** The domain as it is now, inside a write that has the lock. Throws LeaseLostError. */
export async function getLeasedDomain(session: Session, lease: DomainLease): Promise<FoundDomain> {
  await domainLeases.requireLease(session, lease)
  const domain = await findDomainById(session, lease.id)
  if (!domain) throw new LeaseLostError('the domain was removed')
  return domain
}
