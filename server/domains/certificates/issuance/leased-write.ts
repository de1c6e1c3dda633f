// Writes that require a domain's lease: under the lock, and nothing is written after the lease is lost.
// So are the steps of an order, stored together with the domain's state. And the dependencies of issuance in one process.

import type { ChallengeType } from '#acme/resources/orders.ts'
import { each, type Session, type Work } from '#kit/database/database.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { isDatabaseOutage } from '#kit/errors.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import type { PortByAddress } from '#kit/network/address-port.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { prepare } from '#publishing/database/tables.ts'
import { applyEvent } from '../../database/apply-event.ts'
import {
  abandonChallenge,
  type KnownAuthorization,
  recordAuthorizations,
} from '../../database/challenges.ts'
import { type FoundDomain, platformHolder } from '../../database/domain-row.ts'
import type { FormerChallenge } from '../../evidence/evidence.ts'
import { type DomainLease, getLeasedDomain } from '../../scheduling/domain-worker.ts'
import { type DomainEvent, mayIssue } from '../../state/domain-state.ts'
import type { Authorities } from '../authorities/authorities.ts'
import {
  type Limits,
  type LimitsOf,
  nextOrderAt,
  readRateLimits,
  recordAttempt,
} from '../rate-limits/attempt-log.ts'
import {
  type CertificateOrder,
  findOrder,
  removeOrder,
  saveOrder,
} from '../records/certificate-rows.ts'

/** `one` gets the domain's current row. The write rejects with LeaseLostError. */
export function leasedWrite<Input, Outcome>(
  one: (session: Session, domain: FoundDomain, input: Input) => Promise<Outcome>,
): Work<Input & { lease: DomainLease }, Outcome> {
  return each(async (session, input) => {
    await takeLock(session)
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

const update = prepare.update('domains', { problem: 'problem' }, { id: 'id' })

/** Stores why the last attempt failed; undefined clears it. Within the lock. */
export async function setProblem(session: Session, id: string, problem: FoundDomain['problem']) {
  await session.all(update, { id, problem: problem ? JSON.stringify(problem) : null })
}

export interface CertificatesContext extends Pick<PublishingContext, 'clock' | 'database' | 'log'> {
  secrets: Secrets
  authorities: Authorities
  /** A certificate profile of the first authority. */
  profile: string | undefined
  /** The hosts that the internal root may certify, in addition to those that it is asked for. */
  internalHosts: readonly string[]
  /** Logs once that an authority does not offer the profile. */
  noteMissingProfile(directory: string): void
  /** The challenge types that this server can answer, in order of preference. */
  methods: readonly ChallengeType[]
  /** Certificates are issued only when HTTPS is enabled. */
  servesHttps: boolean
  limitsOf: LimitsOf
  /** Checks a domain's DNS and stores the result. Returns the changed domain; undefined when it was removed. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<FoundDomain | undefined>
  /** Addresses that may be requested besides public ones on port 80. */
  probePorts: PortByAddress
  count(authority: string, result: 'issued' | 'renewed' | 'failed'): void
  /** From 0 to below 1. */
  random(): number
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** The processing of one domain by the holder of its lease. */
export interface IssuanceContext {
  context: CertificatesContext
  lease: DomainLease
  /** Aborts when the lease is lost or the program stops. */
  signal: AbortSignal
}

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
