// Who works on a domain that is due: whoever has its lease, and says so again before it lapses. The lease is a
// fencing token: a write for the work shows it, and nothing is written by who has lost it.
import { each, findOne, type Session } from '../../../platform/database/database.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'

/** What a dead process had is taken up after so long; a living one says three times as often that it lives. */
export const leaseMs = 15_000

/** The right to work on one domain. */
export interface DomainLease {
  id: string
  token: string
}

/** The domain was removed, or its lease taken over: nothing more of this work counts. */
export class LostLease extends Error {
  override readonly name = 'LostLease'
}

const due = prepareQuery<{ now: number; most: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('due_at', '<=', param('now'))
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', param('now'))]))
    .orderBy('due_at')
    .limit(param('most')),
)
const take = prepareQuery<{ id: string; token: string; until: number }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ lease: param('token'), lease_until: param('until') })
    .where('id', '=', param('id')),
)
const extend = prepareQuery<{ id: string; token: string; until: number }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ lease_until: param('until') })
    .where('id', '=', param('id'))
    .where('lease', '=', param('token'))
    .returning('id'),
)
const release = prepareQuery<{ id: string; token: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ lease: null, lease_until: null })
    .where('id', '=', param('id'))
    .where('lease', '=', param('token')),
)
const leased = prepareQuery<{ id: string; token: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('id', '=', param('id'))
    .where('lease', '=', param('token')),
)

/** What is due and nobody works on, without taking it. */
export const dueDomains = due

/** Takes up to `most` that are due, those first that are due longest. For a group commit. */
export const leaseDueDomainsTransaction = each(
  async (
    session,
    { most, now, token }: { most: number; now: number; token: string },
  ): Promise<DomainLease[]> => {
    await lockPublishing(session)
    const found = await session.all(due, { now, most })
    for (const { id } of found) await session.all(take, { id, token, until: now + leaseMs })
    return found.map(({ id }) => ({ id, token }))
  },
)

/** Says that the work goes on. False when it is no longer ours. For a group commit. */
export const extendLeaseTransaction = each(
  async (session, { lease, now }: { lease: DomainLease; now: number }): Promise<boolean> =>
    (await findOne(session, extend, { ...lease, until: now + leaseMs })) !== undefined,
)

/** Whoever comes next need not wait for the lease to lapse. For a group commit. */
export const releaseLeaseTransaction = each(async (session, lease: DomainLease): Promise<void> => {
  await session.all(release, { ...lease })
})

/** The domain as it is now, inside a write that has the lock. Throws LostLease when it is not ours any more. */
export async function getLeasedDomain(session: Session, lease: DomainLease): Promise<FoundDomain> {
  const isOurs = await findOne(session, leased, { ...lease })
  const domain = isOurs && (await findDomainById(session, lease.id))
  if (!domain) throw new LostLease(`domain ${lease.id} is not ours to work on any more`)
  return domain
}
