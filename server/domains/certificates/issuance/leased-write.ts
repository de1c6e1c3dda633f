// What issuance writes, and what it needs from its process. Every write requires the lease of the domain, under the lock:
// once the lease is lost, nothing more is written. A step of an order is stored together with the state of its domain.

import type { ChallengeType } from '#acme/resources/orders.ts'
import type { Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { isDatabaseOutage } from '#kit/errors.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { prepare } from '#publishing/database/tables.ts'
import { recordAccepted } from '../../database/account-problems.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { type KnownAuthorization, recordAuthorizations } from '../../database/challenges.ts'
import { type FoundDomain, platformHolder } from '../../database/domain-row.ts'
import type { ProbePorts } from '../../evidence/fetch-at-address.ts'
import { type DomainLease, getLeasedDomain } from '../../scheduling/domain-worker.ts'
import { type DomainEvent, mayIssue } from '../../state/domain-state.ts'
import type { Authorities } from '../authorities/authorities.ts'
import {
  type LimitsOf,
  nextOrderAt,
  readRateLimits,
  recordAttempt,
} from '../rate-limits/attempt-log.ts'
import { type CertificateOrder, findOrder, saveOrder } from '../records/certificate-rows.ts'

/**
 * Runs `change` in a transaction under the lock, with the domain as it is now. Rejects with LeaseLostError when the lease is
 * lost.
 */
export function writeLeased<Outcome>(
  { context, lease }: IssuanceContext,
  change: (session: Session, domain: FoundDomain) => Promise<Outcome>,
): Promise<Outcome> {
  const write = locked(async (session) => change(session, await getLeasedDomain(session, lease)))
  return write(context.database)
}

/** The same for an event alone. */
export async function applyLeased(issuance: IssuanceContext, event: DomainEvent): Promise<void> {
  await writeLeased(issuance, (session, domain) => applyEvent(session, domain, event))
}

/** Throws LeaseLostError when no certificate may be issued for the domain any more. */
export function requireIssuable({ state }: FoundDomain): void {
  if (!mayIssue(state)) throw new LeaseLostError('the domain may no longer be issued a certificate')
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
  /** Addresses that may be requested besides public ones. */
  probePorts: ProbePorts
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

/**
 * Returns the stored order. Rejects with LeaseLostError when the order was replaced, or when no certificate may be issued
 * for the domain any more.
 */
export async function saveOrderStep(
  issuance: IssuanceContext,
  order: CertificateOrder,
  event?: DomainEvent,
  /** What the authority keeps for our account. */
  authorizations: readonly KnownAuthorization[] = [],
): Promise<CertificateOrder> {
  const { context, signal } = issuance
  const now = context.clock()
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeLeased(issuance, async (session, domain) => {
        const begun = await findOrder(session, domain.id)
        const isSame = begun && (begun.orderUrl === order.orderUrl || begun.orderUrl === null)
        if (!isSame) throw new LeaseLostError('the order was replaced')
        await saveOrder(session, order)
        await recordAuthorizations(session, authorizations, now)
        requireIssuable(domain)
        if (event) await applyEvent(session, domain, event)
        if (event?.type === 'ordered') await recordAccepted(session, order, now)
        return order
      })
    } catch (error) {
      // The authority has accepted the step: if it is not stored, it has to be ordered again.
      // To store a step twice changes nothing.
      if (!isDatabaseOutage(error) || attempt === maxAttempts) throw error
      await context.wait(pauseMs, signal)
    }
  }
}

/** Records the attempt before the order is sent. Rejects with LeaseLostError when a rate limit is reached. */
export async function reserveOrder(
  issuance: IssuanceContext,
  order: CertificateOrder,
): Promise<void> {
  const { clock, limitsOf } = issuance.context
  const now = clock()
  await writeLeased(issuance, async (session, domain) => {
    const begun = await findOrder(session, domain.id)
    if (begun?.orderUrl !== null) throw new LeaseLostError('the order was replaced')
    requireIssuable(domain)
    // Another process was faster; the next pass finds out until when.
    const until = await orderAllowedAt(session, domain, order, limitsOf, now)
    if (until !== undefined) throw new LeaseLostError('the rate limit is reached')
    const newFor = isNewHost(domain) ? domain.turnOwner : undefined
    await recordAttempt(session, order, { kind: 'order', at: now, newFor })
  })
}

/** When the limits of the authority allow the order; undefined when they allow it now. */
export async function orderAllowedAt(
  session: Session,
  domain: FoundDomain,
  order: CertificateOrder,
  limitsOf: LimitsOf,
  now: number,
): Promise<number | undefined> {
  const subject = { ...order, holder: domain.turnOwner }
  const budget = await readRateLimits(session, subject, limitsOf(order.directory), now)
  return nextOrderAt(budget, {
    isNew: isNewHost(domain),
    isRenewal: order.replaces !== null,
    isSite: domain.holder === platformHolder && domain.turnOwner !== platformHolder,
  })
}

/** Whether an order for the domain is no renewal: it counts for the share of its owner. */
function isNewHost({ state }: FoundDomain): boolean {
  return state.expiresAt === null
}
