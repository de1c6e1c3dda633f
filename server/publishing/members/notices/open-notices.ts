// Mails about invitations and offers, in one process: sending, and cleanup.
import { findConfirmation } from '#accounts/confirmed-email.ts'
import type { Config } from '#kit/config/config.ts'
import { createMailSender, type SendMail } from '#kit/mail/send-mail.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { failureOf } from '../../notices/mail-attempts.ts'
import { startNoticeRunner } from '../../notices/notice-runner.ts'
import {
  deleteOldNotices,
  deleteUnsentNotices,
  findNoticeFacts,
  finishNotice,
  leaseNoticesTransaction,
  noticeLeases,
  type ProjectNotice,
} from './notice-rows.ts'
import { noticeText } from './notice-text.ts'

type Context = Pick<PublishingContext, 'clock' | 'database' | 'log'>

export function openProjectNotices({ dashboardUrl, mail }: Config, context: Context) {
  const { clock, database } = context
  const dashboard = dashboardUrl.href.replace(/\/$/, '')
  const queue = {
    isDue: (now: number) => noticeLeases.isDue(database.read, { now }),
    lease: (max: number, now: number) => database.write(leaseNoticesTransaction, { max, now }),
    finish: (notice: ProjectNotice, nextAt: number | undefined) =>
      finishNotice(database, notice, nextAt ?? null),
    factsOf: ({ recipient, tries }: ProjectNotice) => ({ channel: 'mail', recipient, tries }),
  }
  const runner = mail && startNoticeRunner(context, queue, senderOf(createMailSender(mail)))

  function senderOf(send: SendMail) {
    return async (notice: ProjectNotice) => {
      const { createdAt, id, kind, recipient } = notice
      const reader = await findConfirmation(database.read, recipient)
      const facts = await findNoticeFacts(database, id)
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
      const at = new Date(createdAt)
      return failureOf(await send({ to: reader.email, ...text, id, at }), notice, clock())
    }
  }

  return {
    async maintain(): Promise<void> {
      await (mail ? deleteOldNotices : deleteUnsentNotices)(database, clock())
    },
    async stop(): Promise<void> {
      await runner?.stop()
    },
  }
}
