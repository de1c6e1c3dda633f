// The notices of domain events: an outbox (kit/outbox/outbox.ts) with a row for each recipient, written with the event,
// and one runner per channel that sends them. Notices of one domain to one recipient are sent in order: a later one is
// not due before the earlier one was sent or given up, which deletes its row. Mails are sent to the owner of the domain,
// once the address is confirmed, with retries for two days.

import { findConfirmation, type SendConfirmation } from '#accounts/people/confirmed-email.ts'
import type { CertificateFacts } from '#doctor/evidence.ts'
import type { Clock } from '#kit/clock.ts'
import { getOne, type Session } from '#kit/database/database.ts'
import { assignments, storedRow } from '#kit/database/plain-row.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import type { Upkeep } from '#kit/jobs/delete-old-rows.ts'
import type { SendMail } from '#kit/mail/send-mail.ts'
import { type Failure, outboxOf } from '#kit/outbox/outbox.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { type PublishingTables, prepare, prepareQuery } from '#publishing/database/tables.ts'
import { failureOf, nextAttemptAt, startNoticeRunner } from '#publishing/notices/notice-runner.ts'
import type { findStreamedEvent } from '../api/event-routes.ts'
import { accountMailText, mailText } from './mail-text.ts'

type Channel = 'mail' | 'webhook'

/** `recipient`: the account that receives the e-mail; empty for the webhook of the project. */
type Notice = Awaited<ReturnType<typeof domainNotices.claim>>[number]

/** Sends one notice. Throws only on internal errors: the notice is sent again when its lease expires. */
export type SendNotice = (notice: Notice) => Promise<Failure>

/** Each channel is sent by a runner of its own. `stop` resolves when the running deliveries have ended. */
export function startNotices(
  context: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  senders: Partial<Record<Channel, SendNotice>>,
) {
  const runners = (Object.entries(senders) as [Channel, SendNotice][]).map(([channel, send]) =>
    startNoticeRunner(context, domainNotices, { channel, params: { channel } }, send),
  )
  return {
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}

const key = ['position', 'channel', 'recipient'] as const
const content = prepareQuery<{ position: bigint; channel: string; recipient: string }>()(
  (db, param) =>
    db
      .selectFrom('domain_notices')
      .select(['recipient', 'project_id', 'domain_id', 'created_at', 'tries'])
      .where((eb) => eb.and(assignments(key, param))),
)
const domainNotices = outboxOf<PublishingTables>()<{ channel: Channel }>()({
  table: 'domain_notices',
  key,
  lock: takeLock,
  ended: 'deleted',
  read: async (session, lease) => storedRow(await getOne(session, content, lease)),
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
const deleteAll = prepare.delete('domain_notices', { channel: 'channel' })
const deleteNotices = locked(async (session, channel: Channel) => {
  await session.all(deleteAll, { channel })
})

/** Without a mail server due mails are deleted, so that configuring one later sends no old news. */
export const deleteUnsentMails: Upkeep = async (database, now) => {
  const isDue = await domainNotices.isDue(database.read, { channel: 'mail', now })
  if (isDue) await deleteNotices(database, 'mail')
}

interface MailContext {
  read: Session
  /** The event at a position, with its domain. */
  findEvent(position: bigint): ReturnType<typeof findStreamedEvent>
  /** What operators have to do about the account at an authority. */
  findAccount(directory: string): Promise<CertificateFacts['problem']>
  clock: Clock
  send: SendMail
  dashboardUrl: URL
  /** Sends the link to confirm an address, unless it was sent lately. */
  sendConfirmation: SendConfirmation
}

export function createMailNotifier({
  clock,
  dashboardUrl,
  findAccount,
  findEvent,
  read,
  send,
  sendConfirmation,
}: MailContext): SendNotice {
  const dashboard = dashboardUrl.href.replace(/\/$/, '')

  async function contentOf({ domainId, lease, projectId }: Notice, name: string) {
    if (projectId === '') {
      const problem = await findAccount(domainId)
      // Undefined: solved since.
      if (!problem) return undefined
      const text = accountMailText(name, problem, `${dashboard}/system`)
      return { ...text, id: `account_${problem.at}` }
    }
    const row = await findEvent(lease.position)
    // The event was deleted, or the domain removed since: only the removal is worth a notice.
    if (!row || (!row.domain && row.event.type !== 'removed')) return undefined
    const { domain, event, project } = row
    const address = `${dashboard}/projects/${project.slug}/settings/domains`
    const text = mailText({ name, project: project.name, address, domain, event })
    return { ...text, id: event.id }
  }

  return async (notice) => {
    const { createdAt, recipient } = notice
    const reader = await findConfirmation(read, recipient)
    const content = reader && (await contentOf(notice, reader.name))
    // The recipient was deleted, or there is nothing to tell any more.
    if (!content) return undefined
    const now = clock()
    if (reader.confirmedAt === undefined) {
      await sendConfirmation(recipient)
      return { error: 'the address is not confirmed', nextAt: nextAttemptAt(notice, now) }
    }
    const mail = { ...content, id: `${content.id}.${recipient}`, at: new Date(createdAt) }
    return failureOf(await send({ to: reader.email, ...mail }), notice, now)
  }
}
