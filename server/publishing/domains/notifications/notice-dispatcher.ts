// Tells those who are to be told, in every process: woken by a commit here, and once a second for what others
// left. Few at once, so that a mail server or receiver that hangs holds up little.
import { randomUUID } from 'node:crypto'
import type { PublishingContext } from '../../database/publishing-context.ts'
import {
  type Channel,
  finishNoticeTransaction,
  leaseNoticesTransaction,
  type Notice,
  nextNotices,
} from './notices.ts'

/** Undefined when it is done; otherwise what went wrong, and when it is tried again, if at all. */
export type Told = { error: string; nextAt: number | undefined } | undefined

/** Tells one notice. What it throws is a fault of ours: the notice is told again when its claim lapses. */
export type Teller = (notice: Notice) => Promise<Told>

export interface NoticeDispatcher {
  /** Takes nothing more, and resolves when what is under way has come back. */
  stop(): Promise<void>
}

const lookEveryMs = 1000
const atOnce = 4

export function startNoticeDispatcher(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  tellers: Partial<Record<Channel, Teller>>,
): NoticeDispatcher {
  const channels = Object.entries(tellers) as [Channel, Teller][]
  const underWay = new Set<Promise<void>>()
  const busy: Record<Channel, number> = { mail: 0, webhook: 0 }
  let looking: Promise<void> | undefined
  let again = false
  let isStopping = false
  let isTroubled = false

  async function look(): Promise<void> {
    do {
      again = false
      for (const [channel, tell] of channels) {
        const free = atOnce - busy[channel]
        if (free <= 0 || isStopping) continue
        const now = clock()
        const first = await database.read.all(nextNotices, { channel, now, most: 1 })
        if (first.length === 0) continue
        const claim = randomUUID()
        for (const notice of await database.write(leaseNoticesTransaction, {
          channel,
          claim,
          most: free,
          now,
        })) {
          begin(notice, tell)
        }
      }
    } while (again && !isStopping)
  }

  function begin(notice: Notice, tell: Teller): void {
    busy[notice.channel] += 1
    const done = see(notice, tell)
      .catch((error) => log.error({ err: error, channel: notice.channel }, 'a notice failed'))
      .finally(() => {
        busy[notice.channel] -= 1
        underWay.delete(done)
        wake()
      })
    underWay.add(done)
  }

  async function see(notice: Notice, tell: Teller): Promise<void> {
    const told = await tell(notice)
    const { channel, recipient, tries } = notice
    if (told) {
      const level = told.nextAt === undefined ? 'warn' : 'info'
      const { error, nextAt } = told
      const said = nextAt === undefined ? 'a notice is given up' : 'a notice is tried again later'
      log[level]({ channel, recipient, tries: tries + 1, error }, said)
    }
    await database.write(finishNoticeTransaction, { notice, nextAt: told?.nextAt })
  }

  function wake(): void {
    again = true
    if (looking || isStopping) return
    looking = look()
      .then(
        () => {
          isTroubled = false
        },
        (error) => {
          if (!isTroubled) log.warn({ err: error }, 'notices wait for the database')
          isTroubled = true
        },
      )
      .finally(() => {
        looking = undefined
      })
  }

  const timer = setInterval(wake, lookEveryMs)
  timer.unref()
  database.onAnnouncement(wake)
  wake()
  return {
    async stop() {
      isStopping = true
      clearInterval(timer)
      await looking
      await Promise.all(underWay)
    },
  }
}
