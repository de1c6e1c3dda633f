// Writes that require a domain's lease: under the lock, and nothing is written after the lease is lost.
import { each, type Session, type Work } from '#kit/database/database.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { abandonChallenge } from '../../database/abandon-challenge.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { type FoundDomain, platformHolder } from '../../database/domain-row.ts'
import type { FormerChallenge } from '../../evidence/evidence.ts'
import { type DomainLease, getLeasedDomain } from '../../scheduling/domain-lease.ts'
import { type DomainEvent, mayIssue } from '../../state/domain-state.ts'
import { removeOrder } from '../records/order-rows.ts'

/** `one` gets the domain's current row. The write rejects with LeaseLostError. */
export function leasedWrite<Input, Outcome>(
  one: (session: Session, domain: FoundDomain, input: Input) => Promise<Outcome>,
): Work<Input & { lease: DomainLease }, Outcome> {
  return each(async (session, input) => {
    await lockPublishing(session)
    return await one(session, await getLeasedDomain(session, input.lease), input)
  })
}

interface EventInput {
  /** Its order is deleted. `because`: why a TXT record that was asked for is not valid any more. */
  abandonsOrder?: { because: FormerChallenge['because']; at: number }
  event?: DomainEvent
}

/** Applies an event, if any, to the domain. */
export const applyEventTransaction = leasedWrite(
  async (session, domain, { abandonsOrder, event }: EventInput): Promise<void> => {
    if (abandonsOrder) {
      const { at, because } = abandonsOrder
      await abandonChallenge(session, domain, because, at)
      await removeOrder(session, domain.id)
    }
    if (event) await applyEvent(session, domain, event)
  },
)

/** Throws LeaseLostError when no certificate may be issued for the domain any more. */
export function requireIssuable({ state }: FoundDomain): void {
  if (!mayIssue(state)) throw new LeaseLostError('the domain may no longer be issued a certificate')
}

/** Whether an order for the domain is no renewal: it counts for the share of its owner. */
export function isNewHost({ state }: FoundDomain): boolean {
  return state.expiresAt === null
}

/** Whether it is the platform host of an owner's site, which shares the platform's registrable domain. */
export function isSiteHost({ holder, turnOwner }: FoundDomain): boolean {
  return holder === platformHolder && turnOwner !== platformHolder
}

const update = prepareQuery<{ id: string; problem: string | null }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ problem: param('problem') })
    .where('id', '=', param('id')),
)

/** Stores why the last attempt failed; undefined clears it. Within the lock. */
export async function setProblem(session: Session, id: string, problem: FoundDomain['problem']) {
  await session.all(update, { id, problem: problem ? JSON.stringify(problem) : null })
}
