// Sends what is due, in every process. It is woken by a commit here, by the next due time, and once a
// second while webhooks are active, for what other processes left; without webhooks it does not ask.
// A receiver that fails gets one request at a time, so that those that hang keep none of the others waiting.
import type { Clock } from '#kit/clock.ts'
import { isDatabaseOutage } from '#kit/errors.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import { retryDelayMs } from '#kit/webhooks/retry-schedule.ts'
import { sendMessage } from '#kit/webhooks/send-message.ts'
import { type Claimed, claimDeliveries, readTargets, type Target } from './delivery-queue.ts'
import { type Attempt, finishAttempt } from './finish-attempts.ts'
import { type Keeper, secretContext } from './webhooks.ts'

interface DispatcherOptions extends Keeper {
  destinations: Destinations
  clock: Clock
  metrics: Metrics
  log: Logger
  /** Whether deliveries may be claimed now. */
  mayClaim?: () => boolean
  /** How long a receiver may take to answer. */
  answerWithinMs?: number | undefined
}

const atOnce = { inAll: 64, forEach: 8, whileFailing: 1 }
const intervalMs = 1000
const finishAgainMs = 1000
const maxFinishTries = 10
const gone = 410

export type Dispatcher = ReturnType<typeof startDispatcher>

export function startDispatcher(options: DispatcherOptions) {
  const { clock, database, destinations, environment, log, metrics, secrets } = options
  const { mayClaim = () => true } = options
  const busy = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const unreadable = new Set<string>()
  let stopping = false

  /** Starts what is due; gives how long nothing has to be done. */
  async function startDue(): Promise<number> {
    const targets = await readTargets(database)
    if (targets.length === 0) return Number.POSITIVE_INFINITY
    let waitMs = intervalMs
    for (const target of targets) {
      const { failingSince, id, nextDueAt } = target
      if (nextDueAt === undefined) continue
      const dueInMs = nextDueAt - clock()
      if (dueInMs > 0) waitMs = Math.min(waitMs, dueInMs)
      const max = failingSince === undefined ? atOnce.forEach : atOnce.whileFailing
      const free = Math.min(max - (busy.get(id) ?? 0), atOnce.inAll - underWay.size)
      if (dueInMs > 0 || free <= 0 || stopping || !mayClaim()) continue
      const signers = readSecrets(target)
      if (!signers) continue
      const claimed = await claimDeliveries(database, id, free, clock())
      for (const delivery of claimed) start(target, signers, delivery)
    }
    return waitMs
  }

  function start(target: Target, signers: Buffer[], delivery: Claimed): void {
    busy.set(target.id, (busy.get(target.id) ?? 0) + 1)
    const mine = deliver(target, signers, delivery)
      .catch((error) => {
        if (!stopping)
          log.warn(
            { event: 'webhook.attempt_not_recorded', webhook: target.id, err: error },
            'an attempt was not recorded',
          )
      })
      .finally(() => {
        underWay.delete(mine)
        const left = (busy.get(target.id) ?? 1) - 1
        if (left > 0) busy.set(target.id, left)
        else busy.delete(target.id)
        loop.wake()
      })
    underWay.add(mine)
  }

  async function deliver(target: Target, signers: Buffer[], delivery: Claimed): Promise<void> {
    const at = clock()
    const message = {
      url: target.url,
      secrets: signers,
      id: delivery.messageId,
      body: delivery.payload,
    }
    const sent = await sendMessage(message, at, destinations, options.answerWithinMs)
    const { durationMs, error, retryAfter, status } = sent
    const now = clock()
    const isGone = status === gone
    const delayMs =
      error === undefined || isGone ? undefined : retryDelayMs(delivery.tries + 1, retryAfter, now)
    const nextAt = delayMs === undefined ? undefined : now + delayMs
    const result =
      error === undefined ? 'delivered' : nextAt === undefined ? 'given_up' : 'to_retry'
    metrics.countWebhookAttempt(environment, result)
    if (error !== undefined) {
      log.info(
        { event: 'webhook.failed', webhook: target.id, message: delivery.messageId, error },
        'a webhook failed',
      )
    }
    await record({ delivery, at, durationMs, status, error, nextAt, isGone, now })
  }

  /** Tries for a while when the database is away; after that the claim lapses, and it is sent again. */
  async function record(attempt: Attempt): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await finishAttempt(database, attempt)
        return
      } catch (error) {
        // Recorded twice, an attempt has lost its claim, and counts once.
        if (!isDatabaseOutage(error) || stopping || tries >= maxFinishTries) throw error
        await new Promise((resolve) => setTimeout(resolve, finishAgainMs).unref())
      }
    }
  }

  /** Undefined when this process lacks the key: another may have it, and no attempt is lost over it. */
  function readSecrets(target: Target): Buffer[] | undefined {
    const { id, previousSecret, previousUntil = 0, secret } = target
    try {
      const context = secretContext(environment, id)
      const signers = [secrets.decrypt(secret, context)]
      if (previousSecret && previousUntil > clock()) {
        signers.push(secrets.decrypt(previousSecret, context))
      }
      unreadable.delete(id)
      return signers
    } catch (error) {
      if (!unreadable.has(id))
        log.error(
          { event: 'webhook.not_signed', webhook: id, err: error },
          'a webhook cannot be signed',
        )
      unreadable.add(id)
      return undefined
    }
  }

  const loop = startPollLoop({
    name: 'looking for webhooks to send',
    log,
    intervalMs,
    poll: startDue,
  })
  database.onAnnouncement(loop.wake)

  return {
    /** Has it look now at what is due. */
    wake: loop.wake,
    /** Claims nothing more; resolves when what is on its way has come back. */
    async stop() {
      stopping = true
      await loop.stop()
      await Promise.all(underWay)
    },
  }
}
