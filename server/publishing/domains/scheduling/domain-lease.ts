// The lease of a domain that is due: only its holder processes the domain, and every write requires it.
import { sql } from 'kysely'
import type { Session } from '../../../platform/database/database.ts'
import { type Lease, LeaseLostError, leasesOf } from '../../../platform/jobs/lease.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import type { PublishingTables } from '../../database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'

export type DomainLease = Lease<{ id: string }>

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
  due: (db, param) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('domains')
          .leftJoin(
            (leased) =>
              leased
                .selectFrom('domains')
                .select((eb) => ['holder', eb.fn.countAll<bigint>().as('count')])
                .where('lease', 'is not', null)
                .where('lease_until', '>=', param('now'))
                .groupBy('holder')
                .as('busy'),
            (join) => join.onRef('busy.holder', '=', 'domains.holder'),
          )
          .select([
            'domains.id',
            'domains.due_at',
            sql<bigint>`coalesce(busy.count, 0) + row_number() over (partition by domains.holder order by domains.due_at)`.as(
              'turn',
            ),
          ])
          .where('domains.due_at', '<=', param('now'))
          .where((eb) =>
            eb.or([
              eb('domains.lease_until', 'is', null),
              eb('domains.lease_until', '<', param('now')),
            ]),
          )
          .as('due'),
      )
      .select('due.id')
      .orderBy('due.turn')
      .orderBy('due.due_at')
      .limit(param('max')),
})

/** The domain as it is now, inside a write that has the lock. Throws LeaseLostError. */
export async function getLeasedDomain(session: Session, lease: DomainLease): Promise<FoundDomain> {
  await domainLeases.requireLease(session, lease)
  const domain = await findDomainById(session, lease.id)
  if (!domain) throw new LeaseLostError('the domain was removed')
  return domain
}
