// Deactivates the authorizations that a domain must not leave behind (RFC 8555, section 7.5.2): it was removed, lost its
// ownership, or its preparation was canceled or refused. In the background and with retries, because the authority may be
// down at that moment.
// An authorization is kept without `due_at` while its domain may use it. Its release makes it due, as a row of an outbox
// that any process claims; a new order of a domain for the same authorization takes it back. It is deleted once the
// authority has deactivated it or no longer knows it, and after 100 days in any case.

import { AcmeProblem } from '#acme/requests/read-response.ts'
import { deactivateAuthorization } from '#acme/resources/orders.ts'
import { type Database, getOne } from '#kit/database/database.ts'
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { outboxOf } from '#kit/outbox/outbox.ts'
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

const content = prepare.select('acme_authorizations', ['directory', 'account', 'host', 'tries'], {
  url: 'url',
})
/** Those that were released. An outcome is without effect when a domain has the authorization again. */
const authorizations = outboxOf<PublishingTables>()()({
  table: 'acme_authorizations',
  key: ['url'],
  lock: takeLock,
  ended: 'deleted',
  read: (session, lease) => getOne(session, content, lease),
})
type Released = Awaited<ReturnType<typeof authorizations.claim>>[number]

export function startDeactivation(context: DeactivationContext): PollLoop {
  const { database, log } = context
  return startJobRunner<Released>({
    name: 'deactivating authorizations',
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      const now = await readDatabaseClock(database)
      return await authorizations.claimDue(database, { now, max })
    },
    run: (released, stopping) => deactivate(context, released, stopping),
  })
}

async function deactivate(
  { authorities, database, log }: DeactivationContext,
  { account, directory, host, lease, tries }: Released,
  stopping: AbortSignal,
): Promise<void> {
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
      const waitMs = backOffMs[Math.min(Number(tries), backOffMs.length - 1)] as number
      const at = (await readDatabaseClock(database)) + waitMs
      await authorizations.finishTransaction(database, lease, at)
      return
    }
  }
  await authorizations.finishTransaction(database, lease, undefined)
  log.info({ event: 'authorization.deactivated', host, directory }, 'authorization deactivated')
}

/** It has ended already, or the authority no longer knows it or its account. */
function isGone(error: unknown): boolean {
  if (!(error instanceof AcmeProblem)) return false
  return error.status < 429 && error.type !== 'badNonce'
}
