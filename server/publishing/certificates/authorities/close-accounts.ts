// Deactivates the accounts of holders whose last domain with a persistent record ended (RFC 8555, section 7.3.6), in the
// background and with retries: then every such record is void.
import { each, findOne, type WriteSession } from '../../../platform/database/database.ts'
import { readDatabaseClock } from '../../../platform/database/read-clock.ts'
import { type Lease, leasesOf } from '../../../platform/jobs/lease.ts'
import type { PollLoop } from '../../../platform/jobs/poll-loop.ts'
import { deactivateAccount, findAccount, isAccountGone } from '../../acme/resources/accounts.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import {
  attemptSignal,
  type DeactivationContext,
  leaseMs,
  nextAttemptAt,
  startDeactivations,
} from './start-deactivations.ts'

type AccountLease = Lease<{ id: string }>

const leases = leasesOf<PublishingTables>()()({
  table: 'holder_accounts',
  key: ['id'],
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: leaseMs,
  lock: lockPublishing,
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

export function startClosingAccounts(context: DeactivationContext): PollLoop {
  return startDeactivations(context, 'closing accounts', leases, (lease, signal) =>
    close(context, lease, signal),
  )
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
  try {
    await deactivate(context, lease.id, directory, attemptSignal(stopping))
  } catch (error) {
    if (stopping.aborted) return
    log.warn(
      { event: 'account.not_deactivated', directory, err: error },
      'account not deactivated; will retry',
    )
    const at = await nextAttemptAt(database, found.tries)
    await database.write(finishTransaction, { ...lease, at, closedAt: null })
    return
  }
  const closedAt = await readDatabaseClock(database)
  await database.write(finishTransaction, { ...lease, at: null, closedAt })
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
