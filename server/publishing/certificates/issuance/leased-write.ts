// Writes that require a domain's lease: under the lock, and nothing is written after the lease is lost.
import { each, type Session, type Work } from '../../../platform/database/database.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'
import { type DomainLease, getLeasedDomain } from '../../domains/scheduling/domain-lease.ts'

/** `one` gets the domain's current row. The write rejects with LeaseLostError. */
export function leasedWrite<Input extends { lease: DomainLease }, Outcome>(
  one: (session: Session, domain: FoundDomain, input: Input) => Promise<Outcome>,
): Work<Input, Outcome> {
  return each(async (session, input: Input) => {
    await lockPublishing(session)
    return await one(session, await getLeasedDomain(session, input.lease), input)
  })
}

const update = prepareQuery<{ id: string; problem: string | null }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ problem: param('problem') })
    .where('id', '=', param('id')),
)

/** Stores why the last attempt failed; undefined clears it. Within the lock. */
export async function setProblem(
  session: Session,
  id: string,
  problem: FoundDomain['problem'],
): Promise<void> {
  await session.all(update, { id, problem: problem ? JSON.stringify(problem) : null })
}
