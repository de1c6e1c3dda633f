// Stores the steps of an order together with the domain's state. Requires the domain's lease.
import { isDatabaseOutage } from '#kit/errors.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { type KnownAuthorization, recordAuthorizations } from '../../database/authorizations.ts'
import type { DomainEvent } from '../../state/domain-state.ts'
import { nextOrderAt, readRateLimits, recordAttempt } from '../rate-limits/attempt-log.ts'
import type { Limits } from '../rate-limits/rate-limits.ts'
import { type CertificateOrder, findOrder, saveOrder } from '../records/order-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { isNewHost, isSiteHost, leasedWrite, requireIssuable } from './leased-write.ts'

const maxAttempts = 5
const pauseMs = 1000

/** Returns the stored order. Rejects with LeaseLostError when the order was replaced or the domain may not be issued a certificate. */
export async function saveOrderStep(
  { context: { clock, database, wait }, lease, signal }: IssuanceContext,
  order: CertificateOrder,
  event?: 'ordered' | 'validating' | DomainEvent,
  authorizations: readonly KnownAuthorization[] = [],
): Promise<CertificateOrder> {
  const now = clock()
  const happened = typeof event === 'string' ? ({ type: event, at: now } as const) : event
  const step = { lease, order, event: happened, authorizations, now }
  for (let attempt = 1; ; attempt++) {
    try {
      await database.write(saveOrderStepTransaction, step)
      return order
    } catch (error) {
      // The authority has accepted the step: if it is not stored, it has to be ordered again.
      // To store a step twice changes nothing.
      if (!isDatabaseOutage(error) || attempt === maxAttempts) throw error
      await wait(pauseMs, signal)
    }
  }
}

/** Records the attempt before the order is sent. Rejects with LeaseLostError when a rate limit is reached. */
export async function reserveOrder(
  { context: { clock, database, limitsOf }, lease }: IssuanceContext,
  order: CertificateOrder,
): Promise<void> {
  const limits = limitsOf(order.directory)
  await database.write(reserveOrderTransaction, { lease, order, limits, now: clock() })
}

/** Polls the order again at `lookAt`, or at once; domains that have waited longer come first. */
export async function postponeOrder(
  { context: { clock, database }, lease }: IssuanceContext,
  order: CertificateOrder,
  lookAt: number | undefined,
): Promise<void> {
  const now = clock()
  const event = { type: 'validating', at: now, lookAt } as const
  const step = { lease, order, event, authorizations: [], now }
  await database.write(saveOrderStepTransaction, step)
}

interface OrderStep {
  order: CertificateOrder
  event: DomainEvent | undefined
  /** What the authority keeps for our account. */
  authorizations: readonly KnownAuthorization[]
  now: number
}

const saveOrderStepTransaction = leasedWrite(
  async (session, domain, { authorizations, event, now, order }: OrderStep): Promise<void> => {
    const begun = await findOrder(session, domain.id)
    const isSame = begun && (begun.orderUrl === order.orderUrl || begun.orderUrl === null)
    if (!isSame) throw new LeaseLostError('the order was replaced')
    await saveOrder(session, order)
    await recordAuthorizations(session, authorizations, now)
    requireIssuable(domain)
    if (event) await applyEvent(session, domain, event)
  },
)

const reserveOrderTransaction = leasedWrite(
  async (
    session,
    domain,
    { limits, now, order }: { order: CertificateOrder; limits: Limits; now: number },
  ): Promise<void> => {
    const begun = await findOrder(session, domain.id)
    if (begun?.orderUrl !== null) throw new LeaseLostError('the order was replaced')
    requireIssuable(domain)
    const isNew = isNewHost(domain)
    const subject = { ...order, holder: domain.turnOwner }
    const budget = await readRateLimits(session, subject, limits, now)
    // Another process was faster; the next pass finds out until when.
    const counted = { isNew, isRenewal: order.replaces !== null, isSite: isSiteHost(domain) }
    if (nextOrderAt(budget, counted) !== undefined) {
      throw new LeaseLostError('the rate limit is reached')
    }
    const newFor = isNew ? domain.turnOwner : undefined
    await recordAttempt(session, order, { kind: 'order', at: now, newFor })
  },
)
