// Works on domains when they are due, beside the requests: their DNS is checked again, their certificates are
// issued and renewed.
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import { LeaseLostError, renewWhile } from '../../../platform/jobs/lease.ts'
import type { PollLoop } from '../../../platform/jobs/poll-loop.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'
import { type DomainLease, domainLeases } from './domain-lease.ts'

/** Both move the time at which the domain is due next, whatever happens. */
export interface DomainJobs {
  /** Checks the domain's DNS and records what is found. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<unknown>
  /** Does what is to be done for its certificate now. */
  processCertificate(domain: FoundDomain, lease: DomainLease, signal: AbortSignal): Promise<unknown>
}

const maxJobs = 24
const intervalMs = 1000

/** A job that is aborted goes on in another process, or after the next start. */
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
      // With any other error it stays due, and the lease keeps it from being retried at once.
      if (!(error instanceof LeaseLostError) && !stopping.aborted) throw error
    }
    await database.write(domainLeases.releaseTransaction, { lease }).catch(() => {})
  }

  async function workOn(lease: DomainLease, signal: AbortSignal): Promise<void> {
    const { read } = database
    // Another process may have done it, or removed the domain, before the lease was claimed.
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
      const now = clock()
      if (!(await domainLeases.isDue(database.read, { now }))) return []
      return await database.write(domainLeases.claimTransaction, { now, max })
    },
    run,
    describe: ({ id }) => ({ domainId: id }),
  })
}
