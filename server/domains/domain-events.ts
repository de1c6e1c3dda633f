// The domain events of one process: API operations, notices, and cleanup.

import { createConfirmationSender } from '#accounts/people/confirmed-email.ts'
import type { Config } from '#kit/config/config.ts'
import { createMailSender, type SendMail } from '#kit/mail/send-mail.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { createDomainView } from './api/domain-response.ts'
import { domainEventRoutes } from './api/event-routes.ts'
import { createEventCleanup } from './events/delete-events.ts'
import { createEventWatch } from './events/event-watch.ts'
import { deleteUnsentMails, type SendNotice, startNotices } from './notifications/notices.ts'
import { createMailNotifier } from './notifications/send-mail.ts'

export function openDomainEvents(
  config: Config,
  context: Pick<PublishingContext, 'clock' | 'database' | 'log' | 'stopping'>,
  senders: { webhook?: SendNotice } = {},
) {
  const { clock, database, log, stopping } = context
  const { read } = database
  const { dashboardUrl, mail, platformHost } = config
  const deleteOldEvents = createEventCleanup()
  const view = createDomainView(read, clock, platformHost)
  const watch = createEventWatch({ database, log })
  const byMail = { database, read, view, clock, dashboardUrl }
  const mailNotifier = (send: SendMail) => {
    const sendConfirmation = createConfirmationSender({ ...byMail, send })
    return { mail: createMailNotifier({ ...byMail, send, sendConfirmation }) }
  }
  const notices = startNotices(context, {
    ...senders,
    ...(mail && mailNotifier(createMailSender(mail))),
  })
  return {
    /** Part of the management API. */
    routes: bindRoutes(domainEventRoutes, { read, view, watch, stopping }),
    upkeep: mail ? [deleteOldEvents] : [deleteOldEvents, deleteUnsentMails],
    /** Sends no further notices; resolves when the running deliveries have ended. */
    stop: notices.stop,
  }
}
