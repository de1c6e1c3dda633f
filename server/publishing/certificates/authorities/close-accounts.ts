// Deactivates the accounts of holders whose last domain with a persistent record ended (RFC 8555, section 7.3.6), in the
// background and with retries: then every such record is void.
import { each, findOne, type WriteSession } from '../../../platform/database/database.ts'
import { readDatabaseClock } from '../../../platform/database/read-clock.ts'
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import { type Lease, leasesOf } from '../../../platform/jobs/lease.ts'
import type { PollLoop } from '../../../platform/jobs/poll-loop.ts'
import { deactivateAccount, findAccount, isAccountGone } from '../../acme/resources/accounts.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import { backOffMs, type DeactivationContext } from './deactivate-authorizations.ts'

type AccountLease = Lease<{ id: string }>

const maxJobs = 2
const intervalMs = 5_000
const timeoutMs = 20_000

const leases = leasesOf<PublishingTables>()()({
  table: 'holder_accounts',
  key: ['id'],
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: 60_000,
  lock: lockPublishing,
  due: (db, param) =>
    db
      .selectFrom('holder_accounts')
      .select('id')
      .where('due_at', '<=', param('now'))
      .orderBy('due_at')
      .limit(param('max')),
})
const leased = prepareQuery<AccountLease>()((db, param) =>
  db
    .selectFrom('holder_accounts')
    .select(['directory', 'tries'])
    .where('id', '=', param('id'))
    .where('claim', '=', param('token')),
)
const finish = prepareQuery<AccountLease & { at: number | null; closedAt: number | null }>()(
  (db, param) =>
    db
      .updateTable('holder_accounts')
      .set((eb) => ({
        claim: null,
        due_at: param('at'),
        closed_at: param('closedAt'),
        tries: eb('tries', '+', 1n),
      }))
      .where('id', '=', param('id'))
      .where('claim', '=', param('token')),
)
const finishTransaction = each(
  async (
    session: WriteSession,
    finished: AccountLease & { at: number | null; closedAt: number | null },
  ) => {
    await lockPublishing(session)
    await session.all(finish, finished)
  },
)

/** Any process may do it. */
export function startClosingAccounts(context: DeactivationContext): PollLoop {
  const { database, log } = context
  return startJobRunner<AccountLease>({
    name: 'closing accounts',
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      const now = await readDatabaseClock(database)
      if (!(await leases.isDue(database.read, { now }))) return []
      return await database.write(leases.claimTransaction, { now, max })
    },
    run: (lease, signal) => close(context, lease, signal),
  })
}

async function close(
  context: DeactivationContext,
  lease: AccountLease,
  stopping: AbortSignal,
): Promise<void> {
  const { database, log } = context
  const found = await findOne(database.read, leased, lease)
  if (!found) return
  const { directory } = found
  const now = () => readDatabaseClock(database)
  try {
    const timeout = AbortSignal.timeout(timeoutMs)
    await deactivate(context, lease.id, directory, AbortSignal.any([stopping, timeout]))
  } catch (error) {
    if (stopping.aborted) return
    const tries = Number(found.tries)
    const waitMs = backOffMs[Math.min(tries, backOffMs.length - 1)] ?? 0
    log.warn(
      { event: 'account.not_deactivated', directory, err: error },
      'account not deactivated; will retry',
    )
    const at = (await now()) + waitMs
    await database.write(finishTransaction, { ...lease, at, closedAt: null })
    return
  }
  await database.write(finishTransaction, { ...lease, at: null, closedAt: await now() })
  log.info({ event: 'account.deactivated', directory }, 'account deactivated')
}

/** Nothing where the authority has no such account any more. */
async function deactivate(
  { authorities }: DeactivationContext,
  id: string,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const account = await authorities.findHolderAccount(id)
  if (!account) return
  const client = authorities.clientOf(directory)
  try {
    // Its URL was lost if the program ended while the authority created it.
    const { privateKey } = account
    const url = account.url || (await findAccount(client, privateKey, { signal })).url
    await deactivateAccount(client, { privateKey, url }, { signal })
  } catch (error) {
    if (!isAccountGone(error)) throw error
  }
}
