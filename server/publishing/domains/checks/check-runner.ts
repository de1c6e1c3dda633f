// Checks of domains in one process: one at a time for each domain, few at once for each account, and what
// is found becomes part of the domain.
import { createFairSemaphore } from '../../../platform/fair-semaphore.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { proofOf } from '../claims/verification-record.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import type { Plan } from '../doctor/read-plan.ts'
import type { Ours } from '../evidence/evidence.ts'
import { seeCertificates } from '../evidence/fetch-presented-certificates.ts'
import { type GatheringContext, gatherEvidence } from '../evidence/gather-evidence.ts'
import type { Hostname } from '../host-names/hostname.ts'
import { type Check, checkDomain, noClaim, type oursOf } from './diagnose-host.ts'
import { checkRecording } from './store-check.ts'

/** Each has up to 40 questions and 6 requests on their way, then as many handshakes. */
const limits = { maxPermits: 32, maxPermitsPerOwner: 8, maxWaiting: 512, maxWaitMs: 20_000 }

export interface DomainChecks {
  /**
   * Checks a domain and records what is found; the domain as it is then, undefined when it has been
   * removed meanwhile. `isWanted`: a person asked for it.
   */
  check(domain: FoundDomain, name: Hostname, isWanted: boolean): Promise<FoundDomain | undefined>
  /** Checks a host that is not added, as if `by` had asked; as it would be with a plan. */
  look(name: Hostname, by: string, plan: Plan | undefined): Promise<Check>
}

interface Running {
  isWanted: boolean
  done: Promise<FoundDomain | undefined>
}

export interface ChecksContext extends Pick<PublishingContext, 'database'> {
  ours: Omit<ReturnType<typeof oursOf>, 'authorities'>
  /** Who issues, as far as it is known. */
  authorities(): Promise<Ours['authorities']>
  gathering: GatheringContext
  /** Where visitors reach HTTPS; undefined where it is not served here. */
  httpsPort: number | undefined
}

export function createDomainChecks({
  authorities,
  database,
  gathering,
  httpsPort,
  ours: own,
}: ChecksContext): DomainChecks {
  const permits = createFairSemaphore(limits)
  const running = new Map<string, { isWanted: boolean; done: Promise<FoundDomain | undefined> }>()

  async function run(
    domain: FoundDomain,
    subject: Hostname,
    isWanted: boolean,
  ): Promise<FoundDomain | undefined> {
    const release = await permits.acquire(domain.holder)
    try {
      const known = { ...own, authorities: await authorities(), proof: proofOf(domain) }
      const asked = { subject, ours: known, claim: noClaim }
      const evidence = await gatherEvidence(gathering, asked)
      const isSecure = domain.state.serving === 'https' && httpsPort !== undefined
      // At addresses that are not ours DNS is what has to be mended.
      const ours = evidence.probes.filter(({ outcome }) => outcome.kind === 'ours')
      const seen = isSecure
        ? await seeCertificates(
            domain.host,
            ours.map(({ address }) => address),
            httpsPort,
            gathering.probePorts,
          )
        : []
      return await database.write(checkRecording, { id: domain.id, evidence, seen, isWanted })
    } finally {
      release()
    }
  }

  return {
    check(domain, name, isWanted) {
      const { id } = domain
      const begun = running.get(id)
      if (begun && (begun.isWanted || !isWanted)) return begun.done
      // What a person wants to know begins now, after what was begun by itself.
      const before = begun?.done.catch(() => {}) ?? Promise.resolve()
      const mine: Running = { isWanted, done: before.then(() => run(domain, name, isWanted)) }
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
        const ours = { ...own, authorities: await authorities() }
        return await checkDomain(gathering, { subject, ours, claim: noClaim }, plan)
      } finally {
        release()
      }
    },
  }
}
