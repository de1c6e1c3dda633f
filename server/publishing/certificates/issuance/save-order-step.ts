// The steps of an order, kept by whoever has the domain's lease, with what the domain's state makes of them.
import { AppError } from '../../../platform/errors.ts'
import { LeaseLostError } from '../../../platform/jobs/lease.ts'
import { applyEvent } from '../../domains/database/apply-event.ts'
import { type DomainEvent, mayIssue } from '../../domains/state/domain-state.ts'
import { nextOrderAt, readRateLimits, recordAttempt } from '../rate-limits/attempt-log.ts'
import type { Limits } from '../rate-limits/rate-limits.ts'
import { type CertificateOrder, changeOrder, findOrder } from '../records/order-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { leasedWrite } from './leased-write.ts'

const maxTries = 5
const pauseMs = 1000

type Lease = IssuanceContext['lease']

/** Gives what is kept. Rejects with LeaseLostError when the order is another one, or none may be asked for any more. */
export async function saveOrderStep(
  { context: { clock, database, wait }, lease, signal }: IssuanceContext,
  order: CertificateOrder,
  event?: 'ordered' | 'validating',
): Promise<CertificateOrder> {
  const happened = event && ({ type: event, at: clock() } as const)
  for (let tries = 1; ; tries++) {
    try {
      await database.write(saveOrderStepTransaction, { lease, order, event: happened })
      return order
    } catch (error) {
      // The authority knows of it: what is not kept now would have to be ordered again.
      const mayTryAgain = error instanceof AppError && error.code === 'unavailable'
      if (!mayTryAgain || tries === maxTries) throw error
      await wait(pauseMs, signal)
    }
  }
}

/** What the order needs of the budget, entered before the authority hears of it. LeaseLostError when it is spent. */
export async function reserveOrder(
  { context: { clock, database, limitsOf }, lease }: IssuanceContext,
  order: CertificateOrder,
): Promise<void> {
  const limits = limitsOf(order.directory)
  await database.write(reserveOrderTransaction, { lease, order, limits, now: clock() })
}

/** It is looked at again at `lookAt`, at once unless it is said; those that wait longer come first. */
export async function postponeOrder(
  { context: { clock, database }, lease }: IssuanceContext,
  order: CertificateOrder,
  lookAt: number | undefined,
): Promise<void> {
  const event = { type: 'validating', at: clock(), lookAt } as const
  await database.write(saveOrderStepTransaction, { lease, order, event })
}

const saveOrderStepTransaction = leasedWrite(
  async (
    session,
    domain,
    { event, order }: { lease: Lease; order: CertificateOrder; event: DomainEvent | undefined },
  ): Promise<void> => {
    const begun = await findOrder(session, domain.id)
    const isSame = begun && (begun.orderUrl === order.orderUrl || begun.orderUrl === null)
    if (!isSame) throw new LeaseLostError('the order is another one now')
    await changeOrder(session, order)
    if (!mayIssue(domain.state))
      throw new LeaseLostError('no certificate may be asked for any more')
    if (event) await applyEvent(session, domain, event)
  },
)

const reserveOrderTransaction = leasedWrite(
  async (
    session,
    domain,
    { limits, now, order }: { lease: Lease; order: CertificateOrder; limits: Limits; now: number },
  ): Promise<void> => {
    const begun = await findOrder(session, domain.id)
    if (begun?.orderUrl !== null) throw new LeaseLostError('the order is another one now')
    if (!mayIssue(domain.state))
      throw new LeaseLostError('no certificate may be asked for any more')
    const budget = await readRateLimits(session, order, limits, now)
    // Somebody else was quicker; the next look says until when.
    if (nextOrderAt(budget, order.replaces !== null) !== undefined) {
      throw new LeaseLostError('the budget is spent')
    }
    await recordAttempt(session, order, { kind: 'order', at: now })
  },
)
