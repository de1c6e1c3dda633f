// Who is still to be told of an event, and who tells him: a notice is claimed under the lock for as long as an
// attempt can take, so that two processes never tell twice at once, and what a dead one had comes due again.
// Of one domain a reader hears in order: a later notice waits for the earlier one.
import { each, findOne } from '../../../platform/database/database.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'

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

/** Longer than an attempt can take. */
export const claimedForMs = 60_000

const due = prepareQuery<{ channel: Channel; now: number; most: number }>()((db, param) =>
  db
    .selectFrom('domain_notices as n')
    .select(['position', 'recipient', 'project_id', 'created_at', 'tries'])
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
    .limit(param('most')),
)
interface Key {
  position: bigint
  channel: Channel
  recipient: string
}
const take = prepareQuery<Key & { claim: string; until: number }>()((db, param) =>
  db
    .updateTable('domain_notices')
    .set({ claim: param('claim'), due_at: param('until') })
    .where('position', '=', param('position'))
    .where('channel', '=', param('channel'))
    .where('recipient', '=', param('recipient')),
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

/** What is due, without taking it. */
export const nextNotices = due

/** Takes up to `most` notices that are due. For a group commit. */
export const leaseNoticesTransaction = each(
  async (
    session,
    { channel, claim, most, now }: { channel: Channel; claim: string; most: number; now: number },
  ): Promise<Notice[]> => {
    await lockPublishing(session)
    const found = await session.all(due, { channel, now, most })
    for (const { position, recipient } of found) {
      await session.all(take, { position, channel, recipient, claim, until: now + claimedForMs })
    }
    return found.map((row) => ({
      position: row.position,
      channel,
      recipient: row.recipient,
      projectId: row.project_id,
      createdAt: Number(row.created_at),
      tries: Number(row.tries),
      claim,
    }))
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
