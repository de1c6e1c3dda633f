// Processes the certificate of a domain: issues, renews, or continues an open order. Every outcome sets the time at
// which the domain is due next.

import { AcmeProblem } from '#acme/requests/acme-error.ts'
import { isDatabaseOutage } from '#kit/errors.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { isEarlyProblem } from '../../doctor/preparation-rules.ts'
import type { FormerChallenge } from '../../evidence/evidence.ts'
import type { DomainLease } from '../../scheduling/domain-lease.ts'
import {
  type DomainState,
  hasCertificate,
  mayIssue,
  mayIssueAhead,
} from '../../state/domain-state.ts'
import { internalDirectory } from '../authorities/authority-clients.ts'
import { failuresBeforeFallback, usesFallback } from '../authorities/choose-authority.ts'
import { internalIssuer, issueFromInternalRoot } from '../authorities/internal-authority.ts'
import { type CurrentCertificate, findCurrentCertificate } from '../records/certificate-rows.ts'
import { type CertificateOrder, findOrder } from '../records/order-rows.ts'
import { advanceOrder } from './advance-order.ts'
import { RecordExpired, refuseEarlyOrder } from './await-record.ts'
import { fetchRenewalTime } from './fetch-renewal-time.ts'
import { finishOrder } from './finish-order.ts'
import type { CertificatesContext, IssuanceContext } from './issuance-context.ts'
import { applyEventTransaction } from './leased-write.ts'
import { prepareEarlyOrder } from './prepare-early-order.ts'
import { blockIssuance, continueByTraffic, prepareOrder } from './prepare-order.ts'
import { classifyFailure, recordFailure } from './record-failure.ts'

/** A missing order that is older than this has expired. */
const expiredOrderMs = 3_600_000
/** How often it is checked whether HTTPS has been enabled. */
const httpsDisabledRetryMs = 3_600_000

const inProgress: readonly DomainState['certificate'][] = ['ordering', 'validating', 'renewing']

/** Rejects with LeaseLostError, and when the database is unavailable; other failures are stored with the domain. */
export async function processCertificate(
  context: CertificatesContext,
  domain: FoundDomain,
  lease: DomainLease,
  signal: AbortSignal,
): Promise<void> {
  const issuance: IssuanceContext = { context, lease, signal }
  const { authorities, clock, database, log } = context
  // Read again: what was read before the lease may be outdated.
  const order = await findOrder(database.read, domain.id)
  const [first = internalDirectory] = authorities.directories
  let directory = order?.directory ?? first
  try {
    const current = await findCurrentCertificate(database.read, domain.id)
    if (!(await isDue(issuance, domain, order, current))) return
    // Without HTTPS a certificate would not be used.
    if (!context.servesHttps) {
      await blockIssuance(issuance, { by: 'https_off', until: clock() + httpsDisabledRetryMs })
      return
    }
    if (first === internalDirectory) return await issueInternalCertificate(issuance, domain)
    const isOpen = order?.orderUrl && (await shouldContinueOrder(issuance, domain, order))
    const ready = isOpen
      ? await continueOrder(issuance, domain, order, current)
      : await prepare(issuance, domain, current)
    if (!ready) return
    directory = ready.directory
    await completeOrder(issuance, domain, ready, current)
  } catch (error) {
    const isAborted = error instanceof LeaseLostError || signal.aborted
    if (isAborted || isDatabaseOutage(error)) throw error
    const name = authorities.nameOf(directory)
    const failure = classifyFailure(error, { directory, name, now: clock() })
    if (failure?.problem && isEarlyProblem(failure.problem.type)) {
      await refuseEarlyOrder(issuance, failure.problem)
      return
    }
    if (!failure)
      log.error(
        { event: 'certificate.failed', host: domain.host, err: error },
        'certificate processing failed',
      )
    await recordFailure(issuance, domain.host, failure)
  }
}

/** A new order, in the way that the state of DNS allows. */
async function prepare(
  issuance: IssuanceContext,
  domain: FoundDomain,
  current: CurrentCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const isAhead = mayIssueAhead(domain.state)
  return await (isAhead ? prepareEarlyOrder : prepareOrder)(issuance, domain, current)
}

/** An open order. One that waits for a TXT record goes on without it once DNS points to us. */
async function continueOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder,
  current: CurrentCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const { challengeType, step } = order
  const isAwaiting = challengeType === 'dns-01' && step === 'ordered'
  if (!isAwaiting || mayIssueAhead(domain.state)) return order
  const continued = await continueByTraffic(issuance, domain, order)
  if (continued !== 'no') return continued
  await abandonOrder(issuance, 'canceled')
  return await prepare(issuance, domain, current)
}

async function isDue(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder | undefined,
  current: CurrentCertificate | undefined,
): Promise<boolean> {
  const { authorities, clock, database } = issuance.context
  const { state } = domain
  const now = clock()
  if (!mayIssue(state)) {
    const event = { type: 'tick', at: now } as const
    await database.write(applyEventTransaction, { lease: issuance.lease, event })
    return false
  }
  if (order || !current || !hasCertificate(state, now)) return true
  // A publicly trusted certificate replaces one of the internal authority as soon as possible.
  if (current.directory === internalDirectory && authorities.directories[0] !== internalDirectory)
    return true
  if (state.renewAt !== null && state.renewAt <= now) return true
  return (await fetchRenewalTime(issuance, domain, current)) <= now
}

async function issueInternalCertificate(issuance: IssuanceContext, domain: FoundDomain) {
  const issued = await issueFromInternalRoot(issuance.context, domain.host)
  const named = { issuer: internalIssuer, directory: internalDirectory, order: undefined }
  await finishOrder(issuance, domain, { ...issued, ...named })
}

/** After failures, an order is abandoned for one at the other authority, because this authority may be down. */
async function shouldContinueOrder(
  issuance: IssuanceContext,
  { state }: FoundDomain,
  { challengeType, directory }: CertificateOrder,
): Promise<boolean> {
  const { directories } = issuance.context.authorities
  const isKnown = directories.includes(directory)
  // Its owner may have set the record.
  if (isKnown && challengeType === 'dns-01') return true
  const isNext = directory === directories[usesFallback(state.failures) ? 1 : 0]
  const isInProgress = inProgress.includes(state.certificate)
  const isBelowLimit = directories.length < 2 || state.failures < failuresBeforeFallback
  if (isKnown && (isBelowLimit || isInProgress || isNext)) return true
  await abandonOrder(issuance, 'expired')
  return false
}

async function abandonOrder(
  { context, lease }: IssuanceContext,
  because: FormerChallenge['because'],
): Promise<void> {
  const abandonsOrder = { because, at: context.clock() }
  await context.database.write(applyEventTransaction, { lease, abandonsOrder })
}

async function completeOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder,
  current: CurrentCertificate | undefined,
): Promise<void> {
  const { authorities, clock } = issuance.context
  const { directory } = order
  // The display name is stored and shown.
  await authorities.identitiesOf(directory)
  let certified: Awaited<ReturnType<typeof advanceOrder>>
  try {
    certified = await advanceOrder(issuance, order)
  } catch (error) {
    if (!(error instanceof RecordExpired)) await requireOver(error)
    await abandonOrder(issuance, 'expired')
    const retried = await prepare(issuance, domain, current)
    if (!retried) return
    certified = await advanceOrder(issuance, retried)
  }
  if (!certified) return
  const named = { issuer: authorities.nameOf(directory), directory: certified.order.directory }
  await finishOrder(issuance, domain, { ...certified, ...named })

  /** Throws the error again, unless the authority no longer knows the order or the account. */
  async function requireOver(error: unknown): Promise<void> {
    if (!(error instanceof AcmeProblem)) throw error
    const hasNoAccount = error.type === 'accountDoesNotExist'
    if (hasNoAccount) {
      const account = await authorities.accountAt(directory)
      await authorities.forgetAccount(directory, account)
    }
    const isExpired = error.operation === 'get order' && clock() - order.begunAt > expiredOrderMs
    if (!hasNoAccount && !(isExpired && error.status < 429)) throw error
  }
}
