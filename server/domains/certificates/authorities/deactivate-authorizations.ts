// Deactivates the authorizations of domains that were removed or lost (RFC 8555, section 7.5.2), in the background and with
// retries: the authority may be down when a domain is removed. Any process may do it.

import { AcmeProblem } from '#acme/requests/read-response.ts'
import { deactivateAuthorization } from '#acme/resources/orders.ts'
import { type Database, each, findOne, type WriteSession } from '#kit/database/database.ts'
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import { type Lease, leasesOf } from '#kit/jobs/lease.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { type PublishingTables, prepare } from '#publishing/database/tables.ts'
import type { Authorities } from './authorities.ts'

interface DeactivationContext {
  database: Database
  log: Logger
  authorities: Authorities
}

const minute = 60_000
/** Before each further attempt; the last one repeats. */
const backOffMs = [minute, 10 * minute, 60 * minute, 6 * 60 * minute] as const
const maxJobs = 2
const intervalMs = 5_000
/** Of one attempt. */
const timeoutMs = 20_000
const leaseMs = 60_000

type AuthorizationLease = Lease<{ url: string }>

const leases = leasesOf<PublishingTables>()()({
  table: 'acme_authorizations',
  key: ['url'],
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: leaseMs,
  lock: takeLock,
})
const leased = prepare.select('acme_authorizations', ['directory', 'account', 'host', 'tries'], {
  url: 'url',
  claim: 'token',
})
const drop = prepare.delete('acme_authorizations', { url: 'url', claim: 'token' })
const postpone = prepare.update(
  'acme_authorizations',
  { claim: null, due_at: 'at', tries: { add: 1n } },
  { url: 'url', claim: 'token' },
)

/** Deleted, or tried again at `at`. Without effect when a domain has it again. */
const finishTransaction = each(
  async (session: WriteSession, { at, ...lease }: AuthorizationLease & { at?: number }) => {
    await takeLock(session)
    if (at === undefined) await session.all(drop, lease)
    else await session.all(postpone, { ...lease, at })
  },
)

export function startDeactivation(context: DeactivationContext): PollLoop {
  const { database, log } = context
  return startJobRunner<AuthorizationLease>({
    name: 'deactivating authorizations',
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      const now = await readDatabaseClock(database)
      if (!(await leases.isDue(database.read, { now }))) return []
      return await database.write(leases.claimTransaction, { now, max })
    },
    run: (lease, stopping) => deactivate(context, lease, stopping),
  })
}

async function deactivate(
  { authorities, database, log }: DeactivationContext,
  lease: AuthorizationLease,
  stopping: AbortSignal,
): Promise<void> {
  const found = await findOne(database.read, leased, lease)
  if (!found) return
  const { account, directory, host } = found
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
  try {
    const session = await authorities.sessionOf(directory, account)
    // Without the account nobody can use it.
    if (session) await deactivateAuthorization({ ...session, signal }, lease.url)
  } catch (error) {
    if (stopping.aborted) return
    if (!isGone(error)) {
      log.warn(
        { event: 'authorization.not_deactivated', host, directory, err: error },
        'authorization not deactivated; will retry',
      )
      const waitMs = backOffMs[Math.min(Number(found.tries), backOffMs.length - 1)] as number
      const at = (await readDatabaseClock(database)) + waitMs
      await database.write(finishTransaction, { ...lease, at })
      return
    }
  }
  await database.write(finishTransaction, lease)
  log.info({ event: 'authorization.deactivated', host, directory }, 'authorization deactivated')
}

/** It has ended already, or the authority no longer knows it or its account. */
function isGone(error: unknown): boolean {
  if (!(error instanceof AcmeProblem)) return false
  return error.status < 429 && error.type !== 'badNonce'
}
