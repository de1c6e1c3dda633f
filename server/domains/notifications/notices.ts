// Pending notices, and their leases: a process leases a notice for as long as an attempt can take, so that two
// processes never send it at the same time, and the notice of a crashed process becomes due again. Notices of
// one domain to one recipient are sent in order.

import { transaction } from '#accounts/lock-accounts.ts'
import { each, findOne, getOne, type WriteSession } from '#kit/database/database.ts'
import { assignments, storedRow } from '#kit/database/plain-row.ts'
import type { Param } from '#kit/database/query.ts'
import { type Lease, leasesOf } from '#kit/jobs/lease.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'

export type Channel = 'mail' | 'webhook'

/** `recipient`: the account that receives the e-mail; empty for the webhook of the project. */
export type Notice = Awaited<ReturnType<typeof leaseNotices>>[number]

const key = ['position', 'channel', 'recipient'] as const
/** Only the earliest notice of a domain, channel and recipient is due. A lease lasts as long as an attempt can take. */
const noticeLeases = leasesOf<PublishingTables>()<{ channel: Channel }>()({
  table: 'domain_notices',
  key,
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: 60_000,
  lock: lockPublishing,
  due: (db, param) =>
    db
      .selectFrom('domain_notices as n')
      .select(['n.position', 'n.channel', 'n.recipient'])
      .where('channel', '=', param('channel'))
      .where('due_at', '<=', param('now'))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('domain_notices as before')
              .select('before.position')
              .whereRef('before.domain_id', '=', 'n.domain_id')
              .whereRef('before.channel', '=', 'n.channel')
              .whereRef('before.recipient', '=', 'n.recipient')
              .whereRef('before.position', '<', 'n.position'),
          ),
        ),
      )
      .orderBy('due_at')
      .orderBy('position')
      .limit(param('max')),
})
type Leased = Lease<{ position: bigint; channel: string; recipient: string }>
const underLease = (param: Param<Leased>) => ({
  ...assignments(key, param),
  claim: param('token'),
})
const leased = prepareQuery<Leased>()((db, param) =>
  db
    .selectFrom('domain_notices')
    .select(['project_id', 'created_at', 'tries'])
    .where((eb) => eb.and(underLease(param))),
)
const drop = prepareQuery<Leased>()((db, param) =>
  db
    .deleteFrom('domain_notices')
    .where((eb) => eb.and(underLease(param)))
    .returning('position'),
)
const postpone = prepareQuery<Leased & { at: number }>()((db, param) =>
  db
    .updateTable('domain_notices')
    .set((eb) => ({ claim: null, due_at: param('at'), tries: eb('tries', '+', 1n) }))
    .where((eb) => eb.and(underLease(param)))
    .returning('position'),
)
const deleteAll = prepareQuery<{ channel: Channel }>()((db, param) =>
  db.deleteFrom('domain_notices').where('channel', '=', param('channel')),
)

/** Whether a notice is due. */
export const isNoticeDue = noticeLeases.isDue

async function leaseNotices(
  session: WriteSession,
  claim: { channel: Channel; max: number; now: number },
) {
  const leases = await noticeLeases.claim(session, claim)
  const { channel } = claim
  return await Promise.all(
    leases.map(async (lease) => {
      // `tries`: attempts that have failed.
      return { ...lease, channel, ...storedRow(await getOne(session, leased, lease)) }
    }),
  )
}

/** Claims up to `max` notices that are due. For a group commit. */
export const leaseNoticesTransaction = each(leaseNotices)

/** Deletes a notice, or postpones it to `nextAt`. False when its lease had expired, or its project was deleted. */
export const finishNotice = transaction(
  async (session, { nextAt, notice }: { notice: Notice; nextAt: number | undefined }) => {
    const ended =
      nextAt === undefined
        ? await findOne(session, drop, notice)
        : await findOne(session, postpone, { ...notice, at: nextAt })
    // The next notice of its domain may be due now.
    session.announce?.()
    return ended !== undefined
  },
)

/** Deletes all notices of a channel that is not configured. */
export const deleteNotices = transaction(async (session, channel: Channel) => {
  await session.all(deleteAll, { channel })
})
