// A write of whoever has a domain's lease: under the lock, and nothing is written once the lease is lost.
import { each, type Session, type Work } from '../../../platform/database/database.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'
import { type DomainLease, getLeased } from '../../domains/scheduling/domain-lease.ts'

/** `one` gets the domain as it is then. The write rejects with LostLease. */
export function leasedWrite<Input extends { lease: DomainLease }, Outcome>(
  one: (session: Session, domain: FoundDomain, input: Input) => Promise<Outcome>,
): Work<Input, Outcome> {
  return each(async (session, input: Input) => {
    await lockPublishing(session)
    return await one(session, await getLeased(session, input.lease), input)
  })
}
