// Answers most GETs before any router: from a page that is ready, or one that is made on the spot, to a key that is
// remembered or looked up. Everything else, refusals included, goes to the application (store-app.ts).
//
// A page is ready as long as the version of the environment's content does not move. It is kept from its second request on:
// pages that are read once, as a walk reads them, would only evict those that are read often.

import type { Clock } from '#kit/clock.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Awaitable, Database } from '#kit/database/database.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import {
  accepts,
  choosePlain,
  type PlainRequest,
  type PlainResponse,
  type ReadyResponse,
  sendPlain,
} from '#kit/http/response/ready-response.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import type { Versions } from '../database/state.ts'
import {
  type ApiKey,
  type Authenticator,
  type KeyUses,
  noteDeprecatedCall,
  noteUse,
} from '../keys/authenticate.ts'
import type { RateLimiter } from '../keys/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'

/** An environment of the store: production or staging. Each has a database, keys and caches of its own. */
export interface Environment {
  name: EnvironmentName
  /** Without a slash at the end. */
  baseUrl: string
  /** The path of the base address: what all routes begin with. */
  prefix: string
  database: Database
  versions: () => Awaitable<Versions>
  authenticator: Authenticator
  limiter: RateLimiter
  /** Answers that are ready, and what makes those that are not. */
  pages: PageCache
  makers: PageMakers
  keyUses: KeyUses
  corsOrigins: ReadonlySet<string>
  clock: Clock
  metrics: Metrics
  log: Logger
}

/** A response to a GET that may be given again while the content has not changed. */
export interface ReadyPage {
  response: ReadyResponse
  operation: string
  scope: Scope
  deprecated: boolean
  /** Milliseconds since the epoch at which it ends, whatever the animals do. */
  until: number
}

interface PageMaker {
  scope: Scope
  /** Makes a list for a query, or a record for its id: at once, if the database gives its rows so. Throws refusals. */
  make(text: string): Awaitable<ReadyPage>
}

/** `text` is what it makes the page for. */
type Maker = PageMaker & { text: string }

/** The rest of the way of a request: through Node's response, or as bytes. */
interface Way {
  send(plain: PlainResponse): void
  /** Answers what is not answered here. */
  goOn(failure?: unknown): unknown
  /** A key that is not remembered is looked up here: a request that goes on meets nobody who does it again. */
  looksUp: boolean
}

/** What is known of a request that may have its page. */
interface Turn {
  request: PlainRequest
  way: Way
  current: Versions
  now: number
  page: ReadyPage | undefined
  /** Where there is no page. */
  maker: Maker | undefined
  ahead: Ahead | undefined
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

  function handlePlain(request: PlainRequest, way: Way): unknown {
    const { head, method } = request
    const isPlain = head.prefer === undefined && head.ifMatch === undefined
    if (method !== 'GET' || !isPlain || head.origin !== undefined) return way.goOn()
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

  function answer(request: PlainRequest, way: Way, current: Versions, ahead?: Ahead): unknown {
    const now = clock()
    latest = current
    const { head, url = '' } = request
    const page = pages.find(url, current.content)
    const maker = page ? undefined : makers.find(url)
    if (!(page ?? maker) || !accepts(head.accept, 'application/json')) return way.goOn()
    const turn: Turn = { request, way, current, now, page, maker, ahead }
    const key = authenticator.remembered(head, current.keys, now)
    if (key) return serve(turn, key)
    if (!way.looksUp) return way.goOn()
    return authenticator.authenticate(head, current, now).then(
      (found) => serve(turn, found),
      (error) => way.goOn(error),
    )
  }

  function serve(turn: Turn, key: ApiKey, isSpent = false): unknown {
    const { maker, page, request, way } = turn
    const scope = (page ?? maker)?.scope as Scope
    if (!key.scopes.has(scope) || (page && turn.now >= page.until)) return way.goOn()
    const limit = key.limit ?? limiter.standard
    if (limit && !isSpent) {
      // What refuses it is reported by the long way, which does not take it again.
      return limiter.spend(request, key, limit).then(
        ({ headers }) => {
          request.extraHeaders = headers
          return serve(turn, key, true)
        },
        () => way.goOn(),
      )
    }
    metrics.countCache('pages', page ? 'hit' : 'miss')
    let built: Awaitable<ReadyPage>
    try {
      built = page ?? turn.ahead?.page ?? (maker as Maker).make(maker?.text as string)
    } catch {
      return way.goOn()
    }
    if (!(built instanceof Promise)) return send(turn, key, built, limit)
    return built.then(
      (ready) => send(turn, key, ready, limit),
      () => way.goOn(),
    )
  }

  function send(
    { ahead, current, maker, now, request, way }: Turn,
    key: ApiKey,
    page: ReadyPage,
    limit: RateLimit | undefined,
  ): unknown {
    // Made ahead, it may be older than these versions, unless they have not changed since.
    if (maker && (!ahead || ahead.version === current.content))
      pages.keep(request.url as string, current.content, page)
    if (now >= page.until) return way.goOn()
    const plain = choosePlain(request.head, page.response)
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

  /**
   * Starts what the request needs besides the versions while these are read, which saves a round trip, if nothing is known
   * against it so far. Under a rate limit no page is made: what that refuses must cost little.
   */
  function begin(request: PlainRequest): Ahead | undefined {
    const { head, url = '' } = request
    const key = latest && authenticator.lastVerified(head, clock())?.key
    if (!latest || !key || !accepts(head.accept, 'application/json')) return
    const ready = pages.find(url, latest.content)
    const maker = ready ? undefined : makers.find(url)
    const scope = (ready ?? maker)?.scope
    if (!scope || !key.scopes.has(scope)) return
    const limit = key.limit ?? limiter.standard
    // Errors of both are handled where they are used.
    if (limit) limiter.spend(request, key, limit).catch(() => {})
    if (limit || !maker) return
    try {
      const page = maker.make(maker.text)
      if (page instanceof Promise) page.catch(() => {})
      return { page, version: latest.content }
    } catch {
      return undefined
    }
  }

  const handle: Handler = (request, response) =>
    handlePlain(request, {
      send: (plain) => sendPlain(request, response, plain),
      goOn(failure) {
        // The long way knows how to say so, and need not ask a second time.
        if (failure !== undefined) request.failure = failure
        return long(request, response)
      },
      looksUp: true,
    })
  handle.answerPlain = (request, send) =>
    handlePlain(request, { send, goOn: () => false, looksUp: false }) as Awaitable<boolean>
  return handle
}

export type PageMakers = ReturnType<typeof createPageMakers>

/** What makes the pages of an environment, by path. */
export function createPageMakers(prefix: string) {
  const lists = new Map<string, PageMaker>()
  const records = new Map<string, PageMaker>()
  return {
    /** `path` is an operation's: `/pets`, or `/pets/{petId}` with its one parameter last. */
    add(path: string, maker: PageMaker) {
      const [folder = '', parameter] = path.split('{')
      const makers = parameter === undefined ? lists : records
      makers.set(prefix + folder, maker)
    },
    /** The maker for a request target, prefix included, and what it makes the page for. */
    find(target: string): Maker | undefined {
      const end = target.indexOf('?')
      const list = lists.get(end < 0 ? target : target.slice(0, end))
      if (list) return { ...list, text: end < 0 ? '' : target.slice(end + 1) }
      const start = target.lastIndexOf('/') + 1
      // Records have no parameters.
      const record = end < 0 ? records.get(target.slice(0, start)) : undefined
      return record && { ...record, text: target.slice(start) }
    },
  }
}

/**
 * Remembers that many requests for pages that are not kept, by their hashes: no more than there is room for pages. A page
 * that is asked for again only after all others would be dropped before it is used, as garbage that has grown old.
 */
const maxSeen = 2 ** 12

export type PageCache = ReturnType<typeof createPageCache>

/** Pages by request target. All are dropped when the version of the content moves. */
export function createPageCache(maxBytes = 32 * 1024 * 1024) {
  const pages = new Map<string, ReadyPage>()
  // Numbers: strings that live for a while would be copied by the garbage collector.
  const seen = new Uint32Array(maxSeen)
  let bytes = 0
  let current = -1n
  let generation = 0

  return {
    find(url: string, version: bigint) {
      if (version !== current) {
        // Never backwards: a slow answer about an older version must not bring old pages back.
        if (version < current) return undefined
        pages.clear()
        bytes = 0
        current = version
        generation++
      }
      return pages.get(url)
    },
    /** Keeps a page that was read when `version` was already known, from its second request on. */
    keep(url: string, version: bigint, page: ReadyPage) {
      if (version !== current) return
      // FNV-1a, 32 bits. Two URLs with the same hash only mean that a page is kept earlier.
      let hash = 0x811c9dc5 ^ generation
      for (let i = 0; i < url.length; i++) hash = Math.imul(hash ^ url.charCodeAt(i), 0x01000193)
      hash >>>= 0
      if (seen[hash % maxSeen] !== hash) {
        seen[hash % maxSeen] = hash
        return
      }
      // Bytes of the body, its encodings and the bookkeeping, roughly.
      const size = 2 * page.response.bytes + 2 * url.length + 1000
      if (bytes + size > maxBytes) {
        pages.clear()
        bytes = 0
      }
      pages.set(url, page)
      bytes += size
    },
  }
}
