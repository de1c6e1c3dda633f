// Processes domains that are due, in the background: checks their DNS, issues and renews their certificates.
// A domain is due at the earlier of `checkAt` and `issueAt` of its state. A process claims it by a lease of 15 s, renews
// that while it works, and releases it afterwards; only the holder processes the domain, and every write for its
// certificate requires the lease. That of a process that died expires, and another continues. A check needs no lease:
// users request some, and one that began before the stored one is ignored.

import { sql } from 'kysely'
import type { Session } from '#kit/database/database.ts'
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import { type Lease, LeaseLostError, leasesOf, renewWhile } from '#kit/jobs/lease.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import type { PublishingTables } from '#publishing/database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'

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

export type DomainLease = Lease<{ id: string }>

/** Domains of one owner that are processed at once, by all processes. */
const maxPerOwner = 12n
/** Due domains that a claim looks at: enough for the next turns of several owners. */
const maxCandidates = 100

/**
 * Owners share the work: the next domain is one of the owner with the fewest leased ones, and of its domains the one
 * that is longest due.
 */
export const domainLeases = leasesOf<PublishingTables>()()({
  table: 'domains',
  key: ['id'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 15_000,
  lock: takeLock,
  due: (db, param, isFree) => {
    const busy = db
      .selectFrom('domains')
      .select((eb) => ['turn_owner', eb.fn.countAll<bigint>().as('count')])
      .where('lease', 'is not', null)
      .where('lease_until', '>=', param('now'))
      .groupBy('turn_owner')
      .as('busy')
    const busyCount = sql<bigint>`coalesce(busy.count, 0)`
    const candidates = db
      .selectFrom('domains')
      .leftJoin(busy, (join) => join.onRef('busy.turn_owner', '=', 'domains.turn_owner'))
      .select(['domains.id', 'domains.turn_owner', 'domains.due_at', busyCount.as('busy')])
      .where('domains.due_at', '<=', param('now'))
      .where(isFree('domains.lease_until'))
      .where(busyCount, '<', sql.lit(maxPerOwner))
      .orderBy('domains.due_at')
      .limit(sql.lit(maxCandidates))
      .as('candidates')
    const turn = sql<bigint>`busy + row_number() over (partition by turn_owner order by due_at)`
    const turns = db
      .selectFrom(candidates)
      .select(['candidates.id', 'candidates.due_at', turn.as('turn')])
      .as('due')
    return db
      .selectFrom(turns)
      .select('due.id')
      .where('due.turn', '<=', sql.lit(maxPerOwner))
      .orderBy('due.turn')
      .orderBy('due.due_at')
      .limit(param('max'))
  },
})

/** The domain as it is now, inside a write that has the lock. Throws LeaseLostError. */
export async function getLeasedDomain(session: Session, lease: DomainLease): Promise<FoundDomain> {
  await domainLeases.requireLease(session, lease)
  const domain = await findDomainById(session, lease.id)
  if (!domain) throw new LeaseLostError('the domain was removed')
  return domain
}
