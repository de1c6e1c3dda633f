// Runs the domain checks of one process: one at a time per domain, a few in parallel per account. Stores the
// result with the domain.
import { createFairSemaphore } from '../../../platform/fair-semaphore.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { verificationRecordOf } from '../claims/verification-record.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import type { Plan } from '../doctor/read-plan.ts'
import type { PlatformFacts } from '../evidence/evidence.ts'
import { fetchPresentedCertificates } from '../evidence/fetch-presented-certificates.ts'
import { type GatheringContext, gatherEvidence } from '../evidence/gather-evidence.ts'
import type { Hostname } from '../host-names/hostname.ts'
import { type Check, checkDomain, noClaim, type platformFactsOf } from './diagnose-host.ts'
import { recordCheckTransaction } from './store-check.ts'

/** Each check has up to 40 queries and 6 requests open, then as many TLS handshakes. */
const limits = { maxPermits: 32, maxPermitsPerOwner: 8, maxWaiting: 512, maxWaitMs: 20_000 }

export interface CheckRunner {
  /**
   * Checks a domain and stores the result. Returns the domain after the check, undefined when it was removed
   * meanwhile. `isRequested`: a user requested it.
   */
  check(domain: FoundDomain, name: Hostname, isRequested: boolean): Promise<FoundDomain | undefined>
  /** Checks a host that is not added, for the account `by`; optionally with planned records. */
  look(name: Hostname, by: string, plan: Plan | undefined): Promise<Check>
}

interface Running {
  isRequested: boolean
  done: Promise<FoundDomain | undefined>
}

export interface CheckRunnerContext extends Pick<PublishingContext, 'database'> {
  platform: Omit<ReturnType<typeof platformFactsOf>, 'authorities'>
  /** The certificate authorities, as far as known. */
  authorities(): Promise<PlatformFacts['authorities']>
  gathering: GatheringContext
  /** Where visitors reach HTTPS; undefined where it is not served here. */
  httpsPort: number | undefined
}

export function createCheckRunner({
  authorities,
  database,
  gathering,
  httpsPort,
  platform: own,
}: CheckRunnerContext): CheckRunner {
  const permits = createFairSemaphore(limits)
  const running = new Map<string, Running>()

  async function run(
    domain: FoundDomain,
    subject: Hostname,
    isRequested: boolean,
  ): Promise<FoundDomain | undefined> {
    const release = await permits.acquire(domain.holder)
    try {
      const known = {
        ...own,
        authorities: await authorities(),
        verification: verificationRecordOf(domain),
      }
      const asked = { subject, platform: known, claim: noClaim }
      const evidence = await gatherEvidence(gathering, asked)
      const isSecure = domain.state.serving === 'https' && httpsPort !== undefined
      // When the addresses are not ours, DNS must be fixed first.
      const platform = evidence.probes.filter(({ outcome }) => outcome.kind === 'platform')
      const seen = isSecure
        ? await fetchPresentedCertificates(
            domain.host,
            platform.map(({ address }) => address),
            httpsPort,
            gathering.probePorts,
          )
        : []
      return await database.write(recordCheckTransaction, {
        id: domain.id,
        evidence,
        seen,
        isRequested,
      })
    } finally {
      release()
    }
  }

  return {
    check(domain, name, isRequested) {
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
    async look(subject, by, plan) {
      const release = await permits.acquire(by)
      try {
        const platform = { ...own, authorities: await authorities() }
        return await checkDomain(gathering, { subject, platform, claim: noClaim }, plan)
      } finally {
        release()
      }
    },
  }
}
