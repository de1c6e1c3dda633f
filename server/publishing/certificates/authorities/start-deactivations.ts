// What a certificate authority is asked to deactivate, in the background and with retries: it may be down when a domain is
// removed. Any process may do it.
import type { Database } from '../../../platform/database/database.ts'
import { readDatabaseClock } from '../../../platform/database/read-clock.ts'
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import type { Lease, LeaseTable } from '../../../platform/jobs/lease.ts'
import type { PollLoop } from '../../../platform/jobs/poll-loop.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Authorities } from './authorities.ts'

export interface DeactivationContext {
  database: Database
  log: Logger
  authorities: Authorities
}

const minute = 60_000
/** Before each further attempt; the last one repeats. */
const backOffMs = [minute, 10 * minute, 60 * minute, 6 * 60 * minute] as const
const maxJobs = 2
const intervalMs = 5_000
const timeoutMs = 20_000
export const leaseMs = 60_000

/** Calls `run` for each row that is due. The signal aborts when the program stops. */
export function startDeactivations<Key>(
  { database, log }: DeactivationContext,
  name: string,
  leases: LeaseTable<Key>,
  run: (lease: Lease<Key>, stopping: AbortSignal) => Promise<void>,
): PollLoop {
  return startJobRunner<Lease<Key>>({
    name,
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      const now = await readDatabaseClock(database)
      if (!(await leases.isDue(database.read, { now }))) return []
      return await database.write(leases.claimTransaction, { now, max })
    },
    run,
  })
}

/** Of one attempt. */
export const attemptSignal = (stopping: AbortSignal): AbortSignal =>
  AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])

/** When to try again after `tries` attempts and this one, in milliseconds since the epoch. */
export async function nextAttemptAt(database: Database, tries: bigint): Promise<number> {
  const waitMs = backOffMs[Math.min(Number(tries), backOffMs.length - 1)] as number
  return (await readDatabaseClock(database)) + waitMs
}
