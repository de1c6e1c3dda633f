// Runs the domain checks of one process: one at a time per domain, a few in parallel per account. A check is
// stored in one transaction: it is judged with the current claims, a dispute is settled, the state is updated, the evidence
// kept. An account may request a limited number of them: each sends up to 40 DNS queries to the servers of others. Checks in
// the background have their own schedule and are not counted.

import {
  type CertificateFacts,
  type Evidence,
  type PlatformFacts,
  reachableAddresses,
} from '#doctor/evidence.ts'
import type { Hostname } from '#doctor/hostname.ts'
import { judgeOwnership, settleDispute } from '#doctor/ownership.ts'
import type { Plan } from '#doctor/plan-records.ts'
import {
  isChallengeComplete,
  type Reading,
  readChallenge,
  readEvidence,
  type VerificationCheck,
} from '#doctor/reading.ts'
import { findPreparationBlocker, judgeReading } from '#doctor/rules/judge.ts'
import { spendAllowance } from '#kit/allowances/spend-allowance.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database, Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { rateLimited } from '#kit/errors.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { prepare } from '#publishing/database/tables.ts'
import {
  type ClaimsOnHost,
  claimFactsOf,
  findClaimsOn,
  verificationRecordOf,
} from '../claims/claims-on-host.ts'
import { makePrimaryIfFirst } from '../claims/configure-domains.ts'
import { applyEvent } from '../database/apply-event.ts'
import { findWantedChallenge } from '../database/challenges.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { type DomainDetails, findDomainById, findDomainDetails } from '../database/find-domains.ts'
import { fetchPresentedCertificates } from '../evidence/fetch-at-address.ts'
import {
  checkDomain,
  type GatheringContext,
  gatherEvidence,
  noClaim,
  type platformFactsOf,
} from '../evidence/gather-evidence.ts'
import { keptCheck, lastCheckOf } from './check-result.ts'

/** Each check has up to 40 queries and 6 requests open, then as many TLS handshakes. */
const limits = { maxPermits: 32, maxPermitsPerOwner: 8, maxWaiting: 512, maxWaitMs: 20_000 }

export type CheckRunner = ReturnType<typeof createCheckRunner>

interface Running {
  isRequested: boolean
  done: Promise<FoundDomain | undefined>
}

export interface CheckRunnerContext extends Pick<PublishingContext, 'database'> {
  platform: Omit<ReturnType<typeof platformFactsOf>, 'authorities'>
  /** The certificate authorities, as far as known; with the account of this holder. */
  authorities(): Promise<PlatformFacts['authorities']>
  gathering: GatheringContext
  /** Where visitors reach HTTPS; undefined where it is not served here. */
  httpsPort: number | undefined
  /** Called after each check of a domain: a job may be due. */
  onChecked?: (() => void) | undefined
}

export function createCheckRunner({
  authorities,
  database,
  gathering: given,
  httpsPort,
  onChecked,
  platform: own,
}: CheckRunnerContext) {
  const permits = createFairSemaphore(limits)
  const running = new Map<string, Running>()

  async function run(domain: FoundDomain, subject: Hostname, isRequested: boolean) {
    const { holder, host, id, state } = domain
    const release = await permits.acquire(holder)
    try {
      const verification = verificationRecordOf(domain)
      const platform = { ...own, authorities: await authorities(), verification }
      const context = { ...given, owner: holder }
      const challenge = await findWantedChallenge(database.read, domain)
      const gathering = { subject, platform, claim: noClaim, challenge }
      const evidence = await gatherEvidence(context, gathering)
      // When the addresses are not ours, DNS must be fixed first.
      const addresses = reachableAddresses(evidence)
      const seen =
        state.serving === 'https' && httpsPort !== undefined
          ? await fetchPresentedCertificates(host, addresses, httpsPort, given.probePorts)
          : []
      return await recordCheck(database, { id, evidence, seen, isRequested })
    } finally {
      release()
      onChecked?.()
    }
  }

  return {
    /**
     * Checks a domain and stores the result. Returns the domain after the check, undefined when it was removed
     * meanwhile. `isRequested`: a user requested it.
     */
    check(domain: FoundDomain, name: Hostname, isRequested: boolean) {
      const { id } = domain
      const begun = running.get(id)
      if (begun && (begun.isRequested || !isRequested)) return begun.done
      // A requested check starts now, after the running background check.
      const before = begun?.done.catch(() => {}) ?? Promise.resolve()
      const mine: Running = { isRequested, done: before.then(() => run(domain, name, isRequested)) }
      running.set(id, mine)
      const over = (): void => {
        if (running.get(id) === mine) running.delete(id)
      }
      mine.done.then(over, over)
      return mine.done
    },
    /** Checks a host that is not added, for the account `by`; optionally with planned records. */
    async look(subject: Hostname, by: string, plan: Plan | undefined) {
      const release = await permits.acquire(by)
      try {
        const platform = { ...own, authorities: await authorities() }
        const context = { ...given, owner: by }
        return await checkDomain(context, { subject, platform, claim: noClaim }, plan)
      } finally {
        release()
      }
    },
  }
}

const keep = prepare.upsert(
  'domain_checks',
  { domain_id: 'id' },
  { at: 'at', judged: 'judged', evidence: 'evidence' },
)
const maxBundleCharacters = 256 * 1024
/** A stored check that is later by more than this dates from before the clock was set back. */
const longestCheckMs = 60_000

interface RecordCheck {
  id: string
  evidence: Evidence
  /** The certificates that its addresses present. */
  seen: CertificateFacts['seen']
  /** A user requested it. */
  isRequested: boolean
}

/** Returns the domain after the check; undefined when it was removed meanwhile. */
const recordCheck = locked(
  async (
    session,
    { evidence, id, isRequested, seen }: RecordCheck,
  ): Promise<FoundDomain | undefined> => {
    const { at } = evidence
    const row = await findDomainById(session, id)
    if (!row) return undefined
    const domain = isRequested
      ? await applyEvent(session, row, { type: 'verification_requested', at })
      : row
    // Ignores a check that started before the stored one.
    const later = (domain.state.checkedAt ?? at) - at
    if (later > 0 && later < longestCheckMs) return domain
    const claims = await findClaimsOn(session, domain.host, at)
    const details = await findDomainDetails(session, id)
    const certificate = certificateFactsOf(domain, details, { at, seen })
    const evidenceWithCertificate = certificate ? { ...evidence, certificate } : evidence
    const reading = await settled(session, domain, claims, readEvidence(evidenceWithCertificate))
    const judged = judgeReading(reading)
    const { isDisputed, provenBy, verification } = judgeOwnership(reading)
    const after = await applyEvent(session, domain, {
      type: 'checked',
      at,
      result: judged.result,
      isUnresolvable: judged.isUnresolvable,
      pointsToUs: pointsHere(reading),
      provenBy,
      isDisputed,
      txt: txtOf(verification),
      isPreparable: findPreparationBlocker(judged) === undefined,
      isRecordSeen: isChallengeComplete(readChallenge(reading)),
    })
    const stored = JSON.stringify(keptCheck(judged, lastCheckOf(details)))
    const { claim, platform } = reading
    const own = bundle({ ...evidenceWithCertificate, claim, platform })
    await session.all(keep, { id, at, judged: stored, evidence: own })
    const isNew = domain.state.ownership !== 'proven' && after.state.ownership === 'proven'
    return isNew ? await makePrimaryIfFirst(session, after, at) : after
  },
)

/** The reading with the current claim, after settling a dispute with the holder of the host. */
async function settled(
  session: Session,
  domain: FoundDomain,
  claims: ClaimsOnHost,
  reading: Reading,
): Promise<Reading> {
  const { proven } = claims
  const own = asClaim(domain, claims, reading)
  if (!proven || proven.id === domain.id) return own
  const holder = judgeOwnership(asClaim(proven, claims, reading))
  if (settleDispute(holder, judgeOwnership(own)) === 'challenger') {
    await applyEvent(session, proven, { type: 'ownership_lost', at: reading.at })
    return own
  }
  const { kind } = holder.verification
  // In doubt the holder's TXT record counts as present.
  const isThere = kind === 'proven' || kind === 'partial' || kind === 'unknown'
  return isThere ? { ...own, claim: { ...own.claim, heldByOther: 'proves' } } : own
}

/** A record that some name servers do not have yet, or any more, changes nothing that was known. */
function txtOf({ kind }: VerificationCheck): 'found' | 'missing' | undefined {
  if (kind === 'proven') return 'found'
  return kind === 'absent' || kind === 'wrong' ? 'missing' : undefined
}

/** Answers may be long: the judged evidence is kept whole, and only the first raw answers. */
function bundle(evidence: Evidence): string {
  const text = JSON.stringify(evidence)
  if (text.length <= maxBundleCharacters) return text
  const { exchanges } = evidence
  if (exchanges.length === 0) return text
  return bundle({ ...evidence, exchanges: exchanges.slice(0, Math.floor(exchanges.length / 2)) })
}

/** Where the host points does not depend on who claims it. */
function asClaim(domain: FoundDomain, claims: ClaimsOnHost, reading: Reading): Reading {
  return {
    ...reading,
    platform: { ...reading.platform, verification: verificationRecordOf(domain) },
    claim: claimFactsOf(domain, claims, pointsHere(reading), reading.at),
  }
}

/** At one name server at least. */
const pointsHere = ({ state }: Reading): boolean => state === 'right' || state === 'partial'

/**
 * `seen`: which ones its addresses showed, from `at` on. Undefined while there is neither a certificate nor an
 * answer by which there is none.
 */
function certificateFactsOf(
  { problem, state }: FoundDomain,
  details: DomainDetails | undefined,
  { at, seen }: { at: number; seen: CertificateFacts['seen'] },
): CertificateFacts | undefined {
  const { certificateAt = null } = details ?? {}
  const fingerprint = details?.fingerprint ?? undefined
  if (fingerprint === undefined && problem === undefined) return undefined
  return {
    problem,
    retryAt: (problem && state.issueAt) ?? undefined,
    expiresAt: state.expiresAt ?? undefined,
    fingerprint,
    // A certificate issued during the check could not be presented yet.
    seen: certificateAt !== null && Number(certificateAt) < at ? seen : [],
  }
}

/** `host`: of any host, added or not. `domain`: of domains that the account has added. */
const allowances = {
  host: { requests: 20, windowSeconds: 60 },
  domain: { requests: 120, windowSeconds: 60 },
} satisfies Record<string, RateLimit>

export type SpendCheck = ReturnType<typeof checkAllowance>

/** Counts a check that an account requests. Throws `rate_limited` when none is left. */
export function checkAllowance(database: Database) {
  return async (accountId: string, of: keyof typeof allowances): Promise<void> => {
    const limit = allowances[of]
    const key = `${of} checks of ${accountId}`
    const { isSpent, retryInSeconds } = await spendAllowance(database, key, limit)
    if (isSpent) return
    const message = `An account can request ${limit.requests} checks a minute. Retry in ${retryInSeconds} s.`
    throw rateLimited(message, retryInSeconds)
  }
}
