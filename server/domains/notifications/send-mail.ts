// Sends notices to the owner of a domain by e-mail, once the address is confirmed. Retries for two days.

import { findConfirmation, type SendConfirmation } from '#accounts/people/confirmed-email.ts'
import type { Clock } from '#kit/clock.ts'
import type { Session } from '#kit/database/database.ts'
import type { SendMail } from '#kit/mail/send-mail.ts'
import { failureOf, nextAttemptAt } from '#publishing/notices/notice-runner.ts'
import type { DomainView } from '../api/domain-response.ts'
import { findStreamedEvent } from '../api/streamed-event.ts'
import { mailText } from './mail-text.ts'
import type { SendNotice } from './notices.ts'

interface MailContext {
  read: Session
  view: DomainView
  clock: Clock
  send: SendMail
  dashboardUrl: URL
  /** Sends the link to confirm an address, unless it was sent lately. */
  sendConfirmation: SendConfirmation
}

export function createMailNotifier({
  clock,
  dashboardUrl,
  read,
  send,
  sendConfirmation,
  view,
}: MailContext): SendNotice {
  return async (notice) => {
    const { lease, recipient } = notice
    const reader = await findConfirmation(read, recipient)
    const found = reader && (await findStreamedEvent(read, view, lease.position))
    // The recipient or the event was deleted.
    if (!found) return undefined
    const { domain, event, project } = found
    // The domain was removed since: only the removal is worth a notice.
    if (!domain && event.type !== 'removed') return undefined
    const now = clock()
    if (reader.confirmedAt === undefined) {
      await sendConfirmation(recipient)
      return { error: 'the address is not confirmed', nextAt: nextAttemptAt(notice, now) }
    }
    const { name, slug } = project
    const address = `${dashboardUrl.href.replace(/\/$/, '')}/projects/${slug}/settings/domains`
    const content = mailText({ name: reader.name, project: name, address, domain, event })
    const at = new Date(event.at)
    const id = `${event.id}.${recipient}`
    return failureOf(await send({ to: reader.email, ...content, id, at }), notice, now)
  }
}
