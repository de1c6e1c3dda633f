// Mails about invitations and offers: an outbox, filled in the transaction of what they tell. Only accounts that have
// confirmed their address get one. In a day there is at most one for an invitation, and a limited number for a project and
// for a recipient: a row stays for three days, also after its mail was sent, because the next ones are limited by it.

import { findAccountByEmail } from '#accounts/people/accounts.ts'
import { findConfirmation } from '#accounts/people/confirmed-email.ts'
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import type { Config } from '#kit/config/config.ts'
import { findOne, getOne, type WriteSession } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { asMail, createMailSender, type SendMail } from '#kit/mail/send-mail.ts'
import { outboxOf } from '#kit/outbox/outbox.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { insertRow, type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { failureOf, startNoticeRunner } from '../notices/notice-runner.ts'
import { projectsWithSlug } from '../projects/find-project.ts'

interface NewNotice {
  projectId: string
  kind: NoticeKind
  /** An account, or the key of an e-mail address. */
  to: { id: string } | { emailKey: string }
  origin: AuditOrigin
}

const dayMs = 24 * 3_600_000
/** In a day; more are not sent. */
const maxOfProject = 20
const maxOfRecipient = 20

/** Inside a write that has the lock. */
export async function queueNotice(
  session: WriteSession,
  { kind, origin, projectId, to }: NewNotice,
): Promise<void> {
  const { actorId, at: now } = origin
  const account = 'id' in to ? to : await findAccountByEmail(session, to.emailKey)
  const recipient = account?.id ?? ''
  if ((await findConfirmation(session, recipient))?.confirmedAt === undefined) return
  const params = { project: projectId, recipient, since: now - dayMs }
  const recent = await session.all(ofLastDay, params)
  const ofProject = recent.filter((one) => one.project_id === projectId)
  const ofRecipient = recent.filter((one) => one.recipient === recipient)
  if (ofProject.length >= maxOfProject || ofRecipient.length >= maxOfRecipient) return
  // An invitation that is renewed is the same one.
  const isInvitation = kind === 'invited' || kind === 'offered'
  if (isInvitation && ofProject.some((one) => one.recipient === recipient && one.kind === kind))
    return
  await insertRow(session, 'project_notices', {
    ...{ id: createRecordId('ntc', now), projectId, recipient, actor: actorId },
    ...{ kind, createdAt: now, dueAt: now, tries: 0 },
  })
  session.announce?.()
}

/** Sends them in this process, if there is a mail server, and deletes old ones. */
export function openProjectNotices(
  { dashboardUrl, mail }: Config,
  context: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
) {
  const { clock, database } = context
  const dashboard = dashboardUrl.href.replace(/\/$/, '')
  const runner =
    mail &&
    startNoticeRunner(
      context,
      projectNotices,
      { channel: 'mail', params: {} },
      senderOf(createMailSender(mail)),
    )

  function senderOf(send: SendMail) {
    return async (notice: ProjectNotice) => {
      const { createdAt, lease, recipient } = notice
      const kind = notice.kind as NoticeKind
      const reader = await findConfirmation(database.read, recipient)
      const facts = await findOne(database.read, factsOfNotice, lease)
      // The address has changed since, or the project was deleted.
      if (reader?.confirmedAt === undefined || !facts) return undefined
      const { expires_at, role } = facts
      if (kind === 'invited' || kind === 'offered') {
        const isThere = role !== null && (role === 'owner') === (kind === 'offered')
        // It was answered or revoked since.
        if (!isThere || Number(expires_at) <= clock()) return undefined
      }
      const text = noticeText({
        ...facts,
        ...{ kind, dashboard, name: reader.name, expiresAt: Number(expires_at) },
      })
      const message = { to: reader.email, ...text, id: lease.id, at: new Date(createdAt) }
      return failureOf(await send(message), notice, clock())
    }
  }

  return {
    upkeep: mail ? deleteOldNotices : deleteUnsentNotices,
    async stop(): Promise<void> {
      await runner?.stop()
    },
  }
}

const ofLastDay = prepareQuery<{ project: string; recipient: string; since: number }>()(
  (db, param) =>
    db
      .selectFrom('project_notices')
      .select(['project_id', 'recipient', 'kind'])
      .where('created_at', '>', param('since'))
      .where((eb) =>
        eb.or([eb('project_id', '=', param('project')), eb('recipient', '=', param('recipient'))]),
      ),
)
type ProjectNotice = Awaited<ReturnType<typeof projectNotices.claim>>[number]

const content = prepare.select('project_notices', ['recipient', 'kind', 'created_at', 'tries'], {
  id: 'id',
})
const projectNotices = outboxOf<PublishingTables>()()({
  table: 'project_notices',
  key: ['id'],
  lock: takeLock,
  ended: 'kept',
  read: async (session, lease) => storedRow(await getOne(session, content, lease)),
})
/** Without the role of an invitation, `owner` for an offer, that has ended; of no row if the project was deleted. */
const factsOfNotice = prepareQuery<{ id: string }>()((db, param) =>
  projectsWithSlug(db)
    .innerJoin('project_notices as notices', 'notices.project_id', 'projects.id')
    .innerJoin('accounts as readers', 'readers.id', 'notices.recipient')
    .leftJoin('accounts', 'accounts.id', 'notices.actor')
    // One that was renewed since is the same.
    .leftJoin('project_invitations as invitations', (join) =>
      join
        .onRef('invitations.project_id', '=', 'notices.project_id')
        .onRef('invitations.email_key', '=', 'readers.email_key'),
    )
    .select([
      'projects.name as project',
      'slugs.slug',
      'accounts.name as actor',
      'invitations.role',
      'invitations.expires_at',
    ])
    .where('notices.id', '=', param('id')),
)

/** Longer than a mail is retried, and than sent ones count. */
const keptMs = 3 * 24 * 3_600_000
const old = {
  ...({ table: 'project_notices', key: ['id'], time: 'created_at' } as const),
  lock: takeLock,
}
const deleteOldNotices = oldRowsOf<PublishingTables>()({ ...old, keptMs })
/** Without a mail server, so that configuring one later sends no old news. */
const deleteUnsentNotices = oldRowsOf<PublishingTables>()(old)

export type NoticeKind = 'invited' | 'offered' | 'accepted' | 'declined'

interface NoticeFacts {
  kind: NoticeKind
  /** Of the reader; may be empty. */
  name: string
  /** Who caused it; null for an operator on the server. */
  actor: string | null
  project: string
  slug: string
  /** Of the invitation. */
  role: string | null
  expiresAt: number
  /** Without a slash at the end. */
  dashboard: string
}

export function noticeText(facts: NoticeFacts) {
  const { dashboard, name, project, slug } = facts
  const { lines, subject, why, isOpen } = contentOf(facts, facts.actor || 'An operator')
  const address = isOpen ? `${dashboard}/projects` : `${dashboard}/projects/${slug}`
  return asMail(subject, name, [
    ...lines,
    isOpen ? `Accept or decline it until ${day(facts.expiresAt)}:\n${address}` : address,
    `You get this mail because ${why} ${project}.`,
  ])
}

function contentOf({ kind, project, role }: NoticeFacts, actor: string) {
  switch (kind) {
    case 'invited':
      return {
        isOpen: true,
        subject: `Invitation to the project ${project}`,
        lines: [
          `${actor} invites you to the project ${project} as ${role === 'viewer' ? 'a viewer' : 'an editor'}. ${
            role === 'viewer'
              ? 'Viewers see its deploys, domains and analytics.'
              : 'Editors deploy, and change its domains and settings.'
          }`,
          'If you do not know the project, do nothing: the invitation expires.',
        ],
        why: 'your e-mail address was invited to',
      }
    case 'offered':
      return {
        isOpen: true,
        subject: `${project} is offered to you`,
        lines: [
          `${actor} offers you the project ${project}. If you accept, you own it with its domains, and the limits of your plan apply. The page says which domains your plan suspends.`,
        ],
        why: 'you are a member of',
      }
    case 'accepted':
      return {
        isOpen: false,
        subject: `${project} has a new owner`,
        lines: [
          `${actor} accepted the offer and owns ${project} now, with its domains. You are an editor of it.`,
        ],
        why: 'you owned the project',
      }
    case 'declined':
      return {
        isOpen: false,
        subject: `The offer of ${project} was declined`,
        lines: [`${actor} declined the offer. You still own ${project}.`],
        why: 'you own the project',
      }
  }
}

/** Such as `31 March 2027`. */
function day(time: number): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}
