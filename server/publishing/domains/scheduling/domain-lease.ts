// The lease of a domain that is due: only its holder processes the domain, and every write requires it.
import type { Session } from '../../../platform/database/database.ts'
import { type Lease, LeaseLostError, leasesOf } from '../../../platform/jobs/lease.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import type { PublishingTables } from '../../database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'

export type DomainLease = Lease<{ id: string }>

/** The longest due first. */
export const domainLeases = leasesOf<PublishingTables>()()({
  table: 'domains',
  key: ['id'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 15_000,
  lock: lockPublishing,
  due: (db, param) =>
    db
      .selectFrom('domains')
      .select('id')
      .where('due_at', '<=', param('now'))
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', param('now'))]))
      .orderBy('due_at')
      .limit(param('max')),
})

/** The domain as it is now, inside a write that has the lock. Throws LeaseLostError. */
export async function getLeasedDomain(session: Session, lease: DomainLease): Promise<FoundDomain> {
  await domainLeases.requireLease(session, lease)
  const domain = await findDomainById(session, lease.id)
  if (!domain) throw new LeaseLostError('the domain was removed')
  return domain
}
