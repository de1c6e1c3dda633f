// Processes domains that are due, in the background: their DNS is checked again, their certificates are
// issued and renewed.
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import { LeaseLostError, renewWhile } from '#kit/jobs/lease.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'
import { type DomainLease, domainLeases } from './domain-lease.ts'

/** Both set when the domain is due next, even if they fail. */
interface DomainJobs {
  /** Checks the domain's DNS and stores the result. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<unknown>
  /** Takes the next step for its certificate. */
  processCertificate(domain: FoundDomain, lease: DomainLease, signal: AbortSignal): Promise<unknown>
}

const maxJobs = 24
const intervalMs = 1000

/** An aborted job continues in another process, or after the next start. */
export function startDomainWorker(
  context: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  jobs: DomainJobs,
): PollLoop {
  const { clock, database, log } = context

  async function run(lease: DomainLease, stopping: AbortSignal): Promise<void> {
    try {
      await renewWhile(domainLeases, lease, { ...context, signal: stopping }, (signal) =>
        workOn(lease, signal),
      )
    } catch (error) {
      // After any other error the domain stays due; the lease delays the retry.
      if (!(error instanceof LeaseLostError) && !stopping.aborted) throw error
    }
    await database.write(domainLeases.releaseTransaction, { lease }).catch(() => {})
  }

  async function workOn(lease: DomainLease, signal: AbortSignal): Promise<void> {
    const { read } = database
    // Before the lease was claimed, another process may have processed or removed the domain.
    const domain = await findDomainById(read, lease.id)
    const isDue = (at: number | null | undefined) => typeof at === 'number' && at <= clock()
    if (domain && isDue(domain.state.checkAt)) await jobs.check(domain, signal)
    signal.throwIfAborted()
    const checked = await findDomainById(read, lease.id)
    if (checked && isDue(checked.state.issueAt))
      await jobs.processCertificate(checked, lease, signal)
  }

  return startJobRunner<DomainLease>({
    name: 'working on a domain',
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      if (!(await domainLeases.isDue(database.read, { now: clock() }))) return []
      const now = await readDatabaseClock(database)
      return await database.write(domainLeases.claimTransaction, { now, max })
    },
    run,
    describe: ({ id }) => ({ domainId: id }),
  })
}
