// Runs the domain checks of one process: one at a time per domain, a few in parallel per account. Stores the
// result with the domain.
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { verificationRecordOf } from '../claims/verification-record.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findWantedChallenge } from '../database/find-challenge.ts'
import type { Plan } from '../doctor/read-plan.ts'
import { type PlatformFacts, reachableAddresses } from '../evidence/evidence.ts'
import { fetchPresentedCertificates } from '../evidence/fetch-presented-certificates.ts'
import { type GatheringContext, gatherEvidence } from '../evidence/gather-evidence.ts'
import type { Hostname } from '../host-names/hostname.ts'
import { checkDomain, noClaim, type platformFactsOf } from './diagnose-host.ts'
import { recordCheck } from './store-check.ts'

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
}

export function createCheckRunner({
  authorities,
  database,
  gathering: given,
  httpsPort,
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
