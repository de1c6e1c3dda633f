// Processes the certificate of a domain that is due: issues, renews, or continues an open order (its steps:
// advance-order.ts). Every outcome, a failure too, is stored with the domain and sets the time at which it is due next.
import { AcmeNoResponse, AcmeProblem } from '#acme/requests/read-response.ts'
import {
  chooseRenewalTime,
  getRenewalInfo,
  pointInWindow,
  type RenewalInfo,
} from '#acme/resources/renewal-info.ts'
import { type CertificateWithKey, readCertificate } from '#acme/x509/certificate.ts'
import type { FormerChallenge } from '#doctor/evidence.ts'
import { isAboutAccount, type Problem } from '#doctor/rules/certificate-rules.ts'
import { isEarlyProblem } from '#doctor/rules/preparation-rules.ts'
import { isDatabaseOutage } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { changePublished } from '#publishing/database/publishing-state.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { abandonOrder } from '../../database/challenges.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import type { DomainLease } from '../../scheduling/domain-worker.ts'
import {
  type DomainState,
  hasCertificate,
  mayIssue,
  mayIssueAhead,
} from '../../state/domain-state.ts'
import {
  failuresBeforeFallback,
  internalDirectory,
  usesFallback,
} from '../authorities/authorities.ts'
import { internalIssuer, issueFromInternalRoot } from '../authorities/internal-authority.ts'
import { recordAttempt } from '../rate-limits/attempt-log.ts'
import {
  type CertificateOrder,
  findCurrentCertificate,
  findOrder,
  keyContext,
  type StoredCertificate,
  showCertificate,
} from '../records/certificate-rows.ts'
import { advanceOrder } from './advance-order.ts'
import { RecordExpired, refuseEarlyOrder } from './await-record.ts'
import {
  applyLeased,
  type CertificatesContext,
  type IssuanceContext,
  setProblem,
  writeLeased,
} from './leased-write.ts'
import { blockIssuance, continueByTraffic, prepareOrder } from './prepare-order.ts'
import { classifyFailure, recordFailure } from './record-failure.ts'

const hour = 3_600_000
/** When renewal information is requested again where there is none. */
const noInfoRetryMs = 12 * hour
const failedRetryMs = hour

/**
 * The renewal time, which is stored with the domain. Renewal information is requested repeatedly (RFC 9773), because the
 * authority may revoke the certificate; without it, the remaining lifetime decides.
 */
async function fetchRenewalTime(
  issuance: IssuanceContext,
  { host, state }: FoundDomain,
  certificate: StoredCertificate,
): Promise<number> {
  const { context } = issuance
  const now = context.clock()
  const response = await ask(issuance, certificate)
  const info = response === 'failed' ? undefined : response
  const point = pointInWindow(certificate.fingerprint)
  const renewAt = info
    ? limitEarlyRenewal(chooseRenewalTime(certificate, info.window, point), certificate)
    : (state.renewAt ?? chooseRenewalTime(certificate, undefined, point))
  const lookAt = info?.askAgainAt ?? now + (response === 'failed' ? failedRetryMs : noInfoRetryMs)
  await applyLeased(issuance, { type: 'renewal', at: now, renewAt, lookAt })
  if (renewAt <= now && state.renewAt !== null && state.renewAt > now) {
    const explanation = info?.explanationUrl
    context.log.info(
      { event: 'certificate.early_renewal', host, explanation },
      'the authority suggests an early renewal',
    )
  }
  return renewAt
}

/**
 * A certificate is used for at least an hour, or half of its lifetime if that is shorter, so that neither a faulty
 * authority nor a wrong clock causes a renewal loop.
 */
function limitEarlyRenewal(
  renewAt: number,
  { issuedAt, notAfter }: Pick<StoredCertificate, 'issuedAt' | 'notAfter'>,
): number {
  const used = Math.min(hour, Math.floor((notAfter - issuedAt) / 2))
  return Math.max(renewAt, issuedAt + used)
}

async function ask(
  { context, signal }: IssuanceContext,
  { directory, renewalId }: StoredCertificate,
): Promise<RenewalInfo | 'failed' | undefined> {
  if (directory === internalDirectory || renewalId === null) return undefined
  const client = context.authorities.clientOf(directory)
  try {
    return await getRenewalInfo(client, renewalId, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AcmeProblem || error instanceof AcmeNoResponse) return 'failed'
    throw error
  }
}

/** When renewal information is requested for the first time. */
const firstLookAfterMs = 12 * 3_600_000

interface NewCertificate extends CertificateWithKey {
  /** The authority's display name. */
  issuer: string
  directory: string
  /** Undefined for the internal authority. */
  order: CertificateOrder | undefined
}

/**
 * Stores a new certificate, serves it, and updates the state of its domain, all in one write. The chain must match the
 * host and the key.
 */
async function finishOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  { chain, directory, issuer, key, order }: NewCertificate,
): Promise<void> {
  const { clock, count, log, secrets } = issuance.context
  const now = clock()
  const id = createRecordId('crt', now)
  const facts = readCertificate(chain)
  const { fingerprint, notAfter, notBefore, renewalId = null, serial } = facts
  const stored: StoredCertificate = {
    ...{ id, domainId: domain.id, host: domain.host, issuer, directory, chain, issuedAt: now },
    privateKey: secrets.encrypt(Buffer.from(key), keyContext('certificate', id)),
    ...{ fingerprint, serial, notBefore, notAfter, renewalId },
  }
  const usual = chooseRenewalTime(facts, undefined, pointInWindow(fingerprint))
  const renewAt = limitEarlyRenewal(usual, stored)
  const isRenewal = await writeLeased(issuance, async (session, before) => {
    if (before.state.ownership !== 'proven')
      throw new LeaseLostError('the domain is no longer proven')
    if (order) {
      const begun = await findOrder(session, domain.id)
      if (begun?.orderUrl !== order.orderUrl) throw new LeaseLostError('the order was replaced')
      // The value was used: a renewal by DNS needs another one.
      await abandonOrder(session, domain, 'renewal', now)
      const kind = order.replaces === null ? 'certificate' : 'renewal'
      await recordAttempt(session, order, { kind, at: now })
    }
    await showCertificate(session, stored)
    await setProblem(session, domain.id, undefined)
    await changePublished(session)
    const lookAt = now + firstLookAfterMs
    let changed = before
    // The internal authority needs no order.
    for (const type of order ? [] : (['begun', 'ordered'] as const)) {
      changed = await applyEvent(session, changed, { type, at: now })
    }
    const issued = { type: 'issued', at: now, expiresAt: notAfter, renewAt, lookAt } as const
    await applyEvent(session, changed, issued)
    return before.state.expiresAt !== null
  })
  count(issuer, isRenewal ? 'renewed' : 'issued')
  const until = new Date(notAfter).toISOString()
  log.info(
    {
      event: isRenewal ? 'certificate.renewed' : 'certificate.issued',
      host: domain.host,
      authority: issuer,
      until,
    },
    isRenewal ? 'certificate renewed' : 'certificate issued',
  )
}

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
      : await prepareOrder(issuance, domain, current)
    if (!ready) return
    directory = ready.directory
    await completeOrder(issuance, domain, ready, current)
  } catch (error) {
    const isAborted = error instanceof LeaseLostError || signal.aborted
    if (isAborted || isDatabaseOutage(error)) throw error
    const authority = authorities.nameOf(directory)
    const failure = classifyFailure(error, { directory, authority, at: clock() })
    if (failure?.problem && isEarlyProblem(failure.problem.type)) {
      await refuseEarlyOrder(issuance, failure.problem)
      return
    }
    if (!failure)
      log.error(
        { event: 'certificate.failed', host: domain.host, err: error },
        'certificate processing failed',
      )
    const isOfAccount = failure?.problem && (await isAccountRefused(issuance, failure.problem))
    await recordFailure(issuance, domain.host, failure, isOfAccount)
  }
}

/** Whether operators have to act. `unauthorized` may be about the account: the authority is asked for it. */
async function isAccountRefused({ context }: IssuanceContext, problem: Problem): Promise<boolean> {
  const { directory, operation, type } = problem
  if (type !== 'unauthorized' || !operation || !directory) return isAboutAccount(problem)
  const isNew = operation === 'new account'
  return isNew || (await context.authorities.askAccount(directory)) === 'refused'
}

/** An open order. One that waits for a TXT record goes on without it once DNS points to us. */
async function continueOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder,
  current: StoredCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const { challengeType, step } = order
  const isAwaiting = challengeType === 'dns-01' && step === 'ordered'
  if (!isAwaiting || mayIssueAhead(domain.state)) return order
  const continued = await continueByTraffic(issuance, domain, order)
  if (continued !== 'no') return continued
  await abandon(issuance, 'canceled')
  return await prepareOrder(issuance, domain, current)
}

async function isDue(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder | undefined,
  current: StoredCertificate | undefined,
): Promise<boolean> {
  const { authorities, clock } = issuance.context
  const { state } = domain
  const now = clock()
  if (!mayIssue(state)) {
    await applyLeased(issuance, { type: 'tick', at: now })
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
  await abandon(issuance, 'expired')
  return false
}

async function abandon(issuance: IssuanceContext, because: FormerChallenge['because']) {
  const at = issuance.context.clock()
  await writeLeased(issuance, (session, domain) => abandonOrder(session, domain, because, at))
}

async function completeOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder,
  current: StoredCertificate | undefined,
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
    await abandon(issuance, 'expired')
    const retried = await prepareOrder(issuance, domain, current)
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
