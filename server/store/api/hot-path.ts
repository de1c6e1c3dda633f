// Answers most GETs before any router: with a known key, from a response that is ready or is made on the spot. Everything
// else, refusals included, goes to the application (store-app.ts).
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Awaitable } from '#kit/database/database.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { accepts } from '#kit/http/request/negotiate.ts'
import {
  choosePlain,
  type PlainRequest,
  type PlainResponse,
  sendPlain,
} from '#kit/http/response/ready-response.ts'
import type { Versions } from '../database/state.ts'
import { noteDeprecatedCall, noteUse } from '../keys/key-uses.ts'
import type { ApiKey } from '../keys/keys.ts'
import type { ReadyPage } from '../pages/page-cache.ts'
import type { Environment } from './environment.ts'

/** The rest of the way of a request: through Node's response, or as bytes. */
interface Way {
  send(plain: PlainResponse): void
  /** Answers what is not answered here. */
  goOn(failure?: unknown): unknown
}

/** A page that is being made, and the version of the content that was read before. */
interface Ahead {
  page: Awaitable<ReadyPage>
  version: bigint
}

/** Gives what `goOn` gives where it does not answer. `long` answers what is not answered here. */
export function createHotPath(environment: Environment, long: Handler): Handler {
  const { authenticator, clock, keyUses, limiter, log, makers, metrics, name, pages, versions } =
    environment
  const logsReads = log.isLevelEnabled('debug')

  /** What was read last. */
  let latest: Versions | undefined

  /**
   * Starts what the request needs besides the versions while these are read, which saves a round trip, if nothing is known
   * against it so far. Under a rate limit no page is made: what that refuses must cost little.
   */
  function begin(request: PlainRequest): Ahead | undefined {
    const { head, url = '' } = request
    const known = latest && authenticator.lastVerified(head, clock())?.key
    if (!latest || !known || !accepts(head.accept, 'application/json')) return
    const ready = pages.find(url, latest.content)
    const maker = ready ? undefined : makers.find(url)
    const scope = (ready ?? maker)?.scope
    if (!scope || !known.scopes.has(scope)) return
    const limit = limiter.limitOf(known)
    // Errors of both are handled where they are used.
    if (limit) limiter.spend(request, known, limit).catch(() => {})
    if (limit || !maker) return
    try {
      const page = maker.make(url)
      if (page instanceof Promise) page.catch(() => {})
      return { page, version: latest.content }
    } catch {
      return undefined
    }
  }

  function answer(request: PlainRequest, way: Way, current: Versions, ahead?: Ahead): unknown {
    const now = clock()
    latest = current
    const key = authenticator.remembered(request.head, current.keys, now)
    if (!key || !accepts(request.head.accept, 'application/json')) return way.goOn()
    const url = request.url as string
    const page = pages.find(url, current.content)
    const limit = limiter.limitOf(key)
    if (page) {
      if (!key.scopes.has(page.scope) || now >= page.until) return way.goOn()
      metrics.countCache('pages', 'hit')
      if (!limit) return send(request, way, page, key, now)
      return spend(request, way, key, limit, () => send(request, way, page, key, now, limit))
    }
    const maker = makers.find(url)
    if (!maker || !key.scopes.has(maker.scope)) return way.goOn()
    metrics.countCache('pages', 'miss')
    const use = (made: ReadyPage): unknown => {
      // Made ahead, it may be older than these versions, unless they have not changed since.
      if (!ahead || ahead.version === current.content) pages.keep(url, current.content, made)
      if (now >= made.until) return way.goOn()
      return send(request, way, made, key, now, limit)
    }
    const make = (): unknown => {
      let made: Awaitable<ReadyPage>
      try {
        made = ahead?.page ?? maker.make(url)
      } catch {
        return way.goOn()
      }
      return made instanceof Promise ? made.then(use, () => way.goOn()) : use(made)
    }
    return limit ? spend(request, way, key, limit, make) : make()
  }

  /** Takes the request from the key's allowance. What refuses it is reported by the long way, which does not take it again. */
  function spend(
    request: PlainRequest,
    way: Way,
    key: ApiKey,
    limit: RateLimit,
    then: () => unknown,
  ): Promise<unknown> {
    return limiter.spend(request, key, limit).then(
      ({ headers }) => {
        request.extraHeaders = headers
        return then()
      },
      () => way.goOn(),
    )
  }

  function send(
    request: PlainRequest,
    way: Way,
    page: ReadyPage,
    key: ApiKey,
    now: number,
    limit?: RateLimit,
  ): true {
    const plain = choosePlain(request.head, page.answer)
    const { status } = plain.head
    way.send(plain)
    if (limit) {
      limiter
        .refundUnchanged(key, status)
        .catch((err) =>
          log.error({ event: 'rate_limit.not_refunded', err }, 'a request was not refunded'),
        )
    }
    noteUse(keyUses, key.id, now)
    if (page.deprecated) {
      noteDeprecatedCall(keyUses, key.id, now)
      metrics.countDeprecatedCall(name, page.operation, key.id)
    }
    const labels = { environment: name, operation: page.operation, status }
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest(labels, milliseconds / 1000)
    if (logsReads) {
      const { requestId } = request.head
      const line = { requestId, ...labels, method: 'GET', keyId: key.id, milliseconds }
      log.debug({ event: 'request.finished', ...line }, 'request')
    }
    return true
  }

  function handlePlain(request: PlainRequest, way: Way): unknown {
    const { head } = request
    const isPlain = head.prefer === undefined && head.ifMatch === undefined
    if (request.method !== 'GET' || !isPlain || head.origin !== undefined) {
      return way.goOn()
    }
    let current: Awaitable<Versions>
    try {
      current = versions()
    } catch (error) {
      return way.goOn(error)
    }
    if (!(current instanceof Promise)) return answer(request, way, current)
    const ahead = begin(request)
    return current.then(
      (known) => answer(request, way, known, ahead),
      (error) => way.goOn(error),
    )
  }

  const handle: Handler = (request, response) =>
    handlePlain(request, {
      send: (plain) => sendPlain(request, response, plain),
      goOn(failure) {
        // The long way knows how to say so, and need not ask a second time.
        if (failure !== undefined) request.failure = failure
        return long(request, response)
      },
    })
  handle.answerPlain = (request, send) =>
    handlePlain(request, { send, goOn: leaveUnanswered }) as Awaitable<boolean>
  return handle
}

const leaveUnanswered = (): boolean => false
