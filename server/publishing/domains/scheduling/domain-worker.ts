// Sees to domains when they are due, beside the requests: their DNS is checked again, their certificates are
// issued and renewed. Each process takes some at a time; what a dead one had is taken up by others.
import { randomUUID } from 'node:crypto'
import type { PublishingContext } from '../../database/publishing-context.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'
import {
  type DomainLease,
  dueDomains,
  extendLeaseTransaction,
  LostLease,
  leaseDueDomainsTransaction,
  leaseMs,
  releaseLeaseTransaction,
} from './domain-lease.ts'

/** Both move the time at which the domain is due next, whatever happens. */
export interface Work {
  /** Checks the domain's DNS and records what is found. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<unknown>
  /** Sees to its certificate: what is to be done for it now, and the state that follows. */
  processCertificate(domain: FoundDomain, lease: DomainLease, signal: AbortSignal): Promise<unknown>
}

export interface DomainWorker {
  /** Something may be due now. */
  wake(): void
  /** Takes nothing more and gives up what is under way; it goes on elsewhere, or after the next start. */
  stop(): Promise<void>
}

export interface DomainWorkerOptions {
  /** At work side by side in this process. */
  most?: number
  /** Looks for what is due so often. */
  lookEveryMs?: number
}

export function startDomainWorker(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  work: Work,
  { lookEveryMs = 1000, most = 24 }: DomainWorkerOptions = {},
): DomainWorker {
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let again = false

  async function look(): Promise<void> {
    do {
      again = false
      const free = most - underWay.size
      if (free <= 0 || stopping.signal.aborted) return
      const now = clock()
      if ((await database.read.all(dueDomains, { now, most: 1 })).length === 0) continue
      for (const lease of await database.write(leaseDueDomainsTransaction, {
        now,
        most: free,
        token: randomUUID(),
      })) {
        const done = see(lease).finally(() => {
          underWay.delete(done)
          wake()
        })
        underWay.add(done)
      }
    } while (again)
  }

  function wake(): void {
    again = true
    if (looking || stopping.signal.aborted) return
    looking = look()
      .catch((error) =>
        log.warn({ err: error }, 'looking for due domains failed; tried again in a while'),
      )
      .finally(() => {
        looking = undefined
        if (again) wake()
      })
  }

  async function see(lease: DomainLease): Promise<void> {
    const lost = new AbortController()
    const heartbeat = setInterval(() => void keep(lease, lost), leaseMs / 3)
    heartbeat.unref()
    try {
      const signal = AbortSignal.any([lost.signal, stopping.signal])
      const { read } = database
      // It may have been seen to, or removed, before the lease was ours.
      const domain = await findDomainById(read, lease.id)
      const isDue = (at: number | null | undefined) => typeof at === 'number' && at <= clock()
      if (isDue(domain?.state.checkAt)) await work.check(domain as FoundDomain, signal)
      signal.throwIfAborted()
      const checked = await findDomainById(read, lease.id)
      if (isDue(checked?.state.issueAt))
        await work.processCertificate(checked as FoundDomain, lease, signal)
    } catch (error) {
      if (!(error instanceof LostLease || stopping.signal.aborted || lost.signal.aborted)) {
        // It stays due, and the lease keeps it from being tried again at once.
        log.error({ domainId: lease.id, err: error }, 'seeing to a domain failed')
        return
      }
    } finally {
      clearInterval(heartbeat)
    }
    await database.write(releaseLeaseTransaction, lease).catch(() => {})
  }

  async function keep(lease: DomainLease, lost: AbortController): Promise<void> {
    // Without an answer nothing is known; the next one comes before the lease lapses.
    const isOurs = await database
      .write(extendLeaseTransaction, { lease, now: clock() })
      .catch(() => true)
    if (!isOurs) lost.abort(new LostLease('taken over'))
  }

  const timer = setInterval(wake, lookEveryMs)
  timer.unref()
  wake()
  return {
    wake,
    async stop() {
      clearInterval(timer)
      stopping.abort(new LostLease('stopping'))
      await looking
      await Promise.all(underWay)
    },
  }
}
