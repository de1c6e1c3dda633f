// Sends what is due, in every process. It is woken by a commit here, by the next due time, and once a second while
// webhooks are active, for what other processes left; without webhooks it does not ask. A receiver that fails gets one
// request at a time, so that those that hang keep none of the others waiting.
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import { intervalMs, startDelivery } from '#kit/outbox/outbox.ts'
import { retryDelayMs, sendMessage } from '#kit/webhooks/send-message.ts'
import {
  type Attempt,
  type Claimed,
  claimDeliveries,
  finishAttempt,
  readTargets,
  type Target,
} from './deliveries.ts'
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
const gone = 410

interface Delivery extends Claimed {
  target: Target
  signers: Buffer[]
}

export function startDispatcher(options: DispatcherOptions) {
  const { clock, database, destinations, environment, log, metrics, secrets } = options
  const { mayClaim = () => true } = options
  const unreadable = new Set<string>()

  /** Claims what is due: in all at most `free`, and for each webhook what it may have at once. */
  async function claim(free: number, underWay: Iterable<Delivery>) {
    const targets = await readTargets(database)
    const busy = Map.groupBy(underWay, ({ target }) => target.id)
    const now = clock()
    let left = mayClaim() ? free : 0
    let nextMs = targets.length === 0 ? Number.POSITIVE_INFINITY : intervalMs
    const wanted = new Map<string, { target: Target; signers: Buffer[]; max: number }>()
    for (const target of targets) {
      const { failingSince, id, nextDueAt } = target
      if (nextDueAt === undefined) continue
      if (nextDueAt > now) nextMs = Math.min(nextMs, nextDueAt - now)
      const max = failingSince === undefined ? atOnce.forEach : atOnce.whileFailing
      const most = Math.min(max - (busy.get(id)?.length ?? 0), left)
      const signers = nextDueAt <= now && most > 0 && readSecrets(target)
      if (!signers) continue
      wanted.set(id, { target, signers, max: most })
      left -= most
    }
    if (wanted.size === 0) return { jobs: [], nextMs }
    const limits = [...wanted].map(([webhook, { max }]) => ({ webhook, max }))
    const claimed = await claimDeliveries(database, limits, now)
    const jobs = claimed.flatMap((one) => {
      const of = wanted.get(one.lease.webhook_id)
      return of ? [{ ...one, target: of.target, signers: of.signers }] : []
    })
    return { jobs, nextMs }
  }

  async function send(delivery: Delivery): Promise<Attempt> {
    const { signers: secrets, target } = delivery
    const at = clock()
    const message = { url: target.url, secrets, id: delivery.message_id, body: delivery.payload }
    const sent = await sendMessage(message, at, destinations, options.answerWithinMs)
    const { durationMs, error, retryAfter, status } = sent
    const now = clock()
    const isGone = status === gone
    const tries = Number(delivery.tries) + 1
    const delayMs = error === undefined || isGone ? undefined : retryDelayMs(tries, retryAfter, now)
    const nextAt = delayMs === undefined ? undefined : now + delayMs
    const result =
      error === undefined ? 'delivered' : nextAt === undefined ? 'given_up' : 'to_retry'
    metrics.countWebhookAttempt(environment, result)
    if (error !== undefined) {
      log.info(
        { event: 'webhook.failed', webhook: target.id, message: delivery.message_id, error },
        'a webhook failed',
      )
    }
    return { delivery, at, durationMs, status, error, nextAt, isGone, now }
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

  return startDelivery<Delivery, Attempt>({
    name: 'sending webhooks',
    log,
    database,
    maxJobs: atOnce.inAll,
    claim,
    send,
    finish: (_, attempt) => finishAttempt(database, attempt),
    onUnrecorded: ({ target }, err) =>
      log.warn(
        { event: 'webhook.attempt_not_recorded', webhook: target.id, err },
        'an attempt was not recorded',
      ),
  })
}
