// Tells the owner of a domain by e-mail. A mail server that is away is tried again for two days.
import type { Clock } from '../../../platform/clock.ts'
import { findOne, type Session } from '../../../platform/database/database.ts'
import type { SendMail } from '../../../platform/mail/send-mail.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { DomainView } from '../api/domain-response.ts'
import { findStreamedEvent } from '../api/find-streamed-event.ts'
import { mailText } from './mail-text.ts'
import type { Teller } from './notice-dispatcher.ts'

const minute = 60_000
/** Minutes before each further attempt; the last one for all after it. */
const backOff = [1, 5, 15, 60, 180, 360]
const givenUpAfterMs = 48 * 60 * minute

const readerById = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('accounts').select(['email', 'name']).where('id', '=', param('id')),
)

export interface MailTelling {
  read: Session
  view: DomainView
  clock: Clock
  send: SendMail
  dashboardUrl: URL
}

export function tellByMail({ clock, dashboardUrl, read, send, view }: MailTelling): Teller {
  return async ({ createdAt, position, recipient, tries }) => {
    const reader = await findOne(read, readerById, { id: recipient })
    const found = reader && (await findStreamedEvent(read, view, position))
    // Nobody is left to be told, or nothing.
    if (!found) return undefined
    const { domain, event, project } = found
    // News of what has gone since would only puzzle; that it has gone is news of its own.
    if (!domain && event.type !== 'removed') return undefined
    const { name, slug } = project
    const address = `${dashboardUrl.href.replace(/\/$/, '')}/projects/${slug}/settings/domains`
    const content = mailText({ name: reader.name, project: name, address, domain, event })
    const at = new Date(event.at)
    const id = `${event.id}.${recipient}`
    const outcome = await send({ to: reader.email, ...content, id, at })
    if (outcome === 'sent') return undefined
    if ('refused' in outcome) return { error: outcome.refused, nextAt: undefined }
    const now = clock()
    const nextAt = now + (backOff[Math.min(tries, backOff.length - 1)] as number) * minute
    const isOver = nextAt - createdAt > givenUpAfterMs
    return { error: outcome.failed, nextAt: isOver ? undefined : nextAt }
  }
}
