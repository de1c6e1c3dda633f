// Who is still to be told of an event, and who tells him: a notice is claimed under the lock for as long as an
// attempt can take, so that two processes never tell twice at once, and what a dead one had comes due again.
// Of one domain a reader hears in order: a later notice waits for the earlier one.
import { each, findOne, getOne } from '../../../platform/database/database.ts'
import { leasesOf } from '../../../platform/jobs/lease.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'

export type Channel = 'mail' | 'webhook'

export interface Notice {
  position: bigint
  channel: Channel
  /** The account that is written to; empty for the webhook of the project. */
  recipient: string
  projectId: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Attempts that have failed. */
  tries: number
  claim: string
}

/** The earliest notice of a domain, a channel and a recipient waits for none. Kept for as long as an attempt can take. */
const noticeLeases = leasesOf<PublishingTables>()<{ channel: Channel }>()({
  table: 'domain_notices',
  key: ['position', 'channel', 'recipient'],
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
interface Key {
  position: bigint
  channel: Channel
  recipient: string
}
const leased = prepareQuery<Key & { token: string }>()((db, param) =>
  db
    .selectFrom('domain_notices')
    .select(['project_id', 'created_at', 'tries'])
    .where('position', '=', param('position'))
    .where('channel', '=', param('channel'))
    .where('recipient', '=', param('recipient'))
    .where('claim', '=', param('token')),
)
const drop = prepareQuery<Key & { claim: string }>()((db, param) =>
  db
    .deleteFrom('domain_notices')
    .where('position', '=', param('position'))
    .where('channel', '=', param('channel'))
    .where('recipient', '=', param('recipient'))
    .where('claim', '=', param('claim'))
    .returning('position'),
)
const putOff = prepareQuery<Key & { claim: string; at: number }>()((db, param) =>
  db
    .updateTable('domain_notices')
    .set((eb) => ({ claim: null, due_at: param('at'), tries: eb('tries', '+', 1n) }))
    .where('position', '=', param('position'))
    .where('channel', '=', param('channel'))
    .where('recipient', '=', param('recipient'))
    .where('claim', '=', param('claim'))
    .returning('position'),
)
const forgetAll = prepareQuery<{ channel: Channel }>()((db, param) =>
  db.deleteFrom('domain_notices').where('channel', '=', param('channel')),
)

/** Whether a notice is due. */
export const isNoticeDue = noticeLeases.isDue

/** Claims up to `max` notices that are due. For a group commit. */
export const leaseNoticesTransaction = each(
  async (
    session,
    { channel, max, now }: { channel: Channel; max: number; now: number },
  ): Promise<Notice[]> => {
    const notices: Notice[] = []
    for (const lease of await noticeLeases.claim(session, { channel, max, now })) {
      const { position, recipient, token } = lease
      const row = await getOne(session, leased, { channel, position, recipient, token })
      notices.push({
        ...{ position, channel, recipient },
        projectId: row.project_id,
        createdAt: Number(row.created_at),
        tries: Number(row.tries),
        claim: token,
      })
    }
    return notices
  },
)

/**
 * Ends a notice, or puts it off to `nextAt`. False when its claim had lapsed, or its project has gone. For a
 * group commit.
 */
export const finishNoticeTransaction = each(
  async (session, { nextAt, notice }: { notice: Notice; nextAt: number | undefined }) => {
    await lockPublishing(session)
    const { channel, claim, position, recipient } = notice
    const key = { channel, claim, position, recipient }
    const ended =
      nextAt === undefined
        ? await findOne(session, drop, key)
        : await findOne(session, putOff, { ...key, at: nextAt })
    // The next one of its domain may go now.
    session.announce?.()
    return ended !== undefined
  },
)

/** Forgets all notices of a channel that leads nowhere. For a group commit. */
export const deleteNoticesTransaction = each(async (session, channel: Channel): Promise<void> => {
  await session.all(forgetAll, { channel })
})
