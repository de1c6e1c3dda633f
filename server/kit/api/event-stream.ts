// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The reader is authenticated
// repeatedly, so that no stream outlives its session or token.
import type { ServerResponse } from 'node:http'
import { type AppError, rateLimited, toAppError } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { sendHead, writeInTime } from '../http/response/send-response.ts'
import { within } from '../promises.ts'

export interface ServerEvent<Data = unknown> {
  /** The position of a reader that reconnects. */
  id: string
  name: string
  data: Data
}

/** What a handler gives for an operation with `events`. */
export interface EventFeed<Data = unknown, Caller = unknown> {
  /** The next event is requested when the previous one has been written. Ends when aborted. */
  events(signal: AbortSignal): AsyncGenerator<ServerEvent<Data>>
  /** Throws if the caller, authenticated again, may no longer read. */
  confirm(caller: Caller): Promise<unknown>
}

const defaultStreamLimits = {
  /** A comment is sent after this time without events. */
  heartbeatMs: 15_000,
  /** How often the reader is authenticated, in addition to before every event. */
  checkMs: 2_000,
  /** A reader that receives nothing for this long is disconnected. */
  drainMs: 10_000,
  /** In this process. */
  inAll: 100,
  forAccount: 10,
}
export type StreamLimits = typeof defaultStreamLimits

export function createEventStreams(overrides: Partial<StreamLimits> = {}) {
  const limits = { ...defaultStreamLimits, ...overrides }
  // The open streams of each account, oldest first.
  const open = new Map<string, Set<AbortController>>()
  let total = 0

  /** Where all places are taken: ends the oldest stream of the account that has the most. */
  function displaceFor(own: number): void {
    let most: Set<AbortController> | undefined
    for (const each of open.values()) if (each.size > (most?.size ?? 0)) most = each
    const [oldest] = most ?? []
    if (!most || !oldest || most.size <= own + 1) {
      throw noPlace()
    }
    oldest.abort()
  }

  return {
    /**
     * Takes a place. When all are taken, the account with the most streams loses its oldest one to an account that
     * has at least two fewer. Throws `rate_limited` when the account has too many, or no place can be freed. `displaced`
     * aborts when another account gets the place; `leave` frees it.
     */
    enter(accountId: string) {
      const own = open.get(accountId) ?? new Set()
      if (own.size >= limits.forAccount) {
        const message = `An account can have ${limits.forAccount} live streams. Close one first.`
        throw rateLimited(message, 10)
      }
      if (total >= limits.inAll) displaceFor(own.size)
      const place = new AbortController()
      open.set(accountId, own.add(place))
      total += 1
      const leave = (): void => {
        if (!own.delete(place)) return
        total -= 1
        if (own.size === 0 && open.get(accountId) === own) open.delete(accountId)
      }
      place.signal.addEventListener('abort', leave, { once: true })
      return { displaced: place.signal, leave }
    },

    /**
     * Sends what a feed gives until it ends, the reader goes, or `confirm` throws: whether the caller may
     * still read it. Resolves when it is over; rejects only before anything was sent.
     */
    async send(
      request: ApiRequest,
      response: ServerResponse,
      feed: EventFeed,
      confirm: () => Promise<unknown>,
      displaced?: AbortSignal,
    ) {
      if (displaced?.aborted) throw noPlace()
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      // The reader reconnects later, with the last event that it has seen.
      displaced?.addEventListener('abort', () => response.destroy(), { once: true })
      sendHead(request, response, 200, [
        ...['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store'],
        // Proxies that gather responses would hold the events back.
        ...['X-Accel-Buffering', 'no'],
      ])
      if (request.method === 'HEAD') {
        response.end()
        return
      }
      const events = feed.events(gone.signal)
      try {
        await writeInTime(response, ': these are the events from now on\n\n', limits.drainMs)
        await forward(response, events, confirm, gone.signal)
        response.end()
      } catch {
        // The reader sees that this is not the end, and comes again.
        response.destroy()
      } finally {
        gone.abort()
        await events.return(undefined).catch(() => {})
      }
    },
  }

  async function forward(
    response: ServerResponse,
    events: AsyncGenerator<ServerEvent>,
    confirm: () => Promise<unknown>,
    gone: AbortSignal,
  ): Promise<void> {
    let sentAt = performance.now()
    let pending = events.next()
    // It is awaited later, unless the reader disconnects first.
    pending.catch(() => {})
    while (!gone.aborted) {
      const waitMs = Math.min(limits.checkMs, limits.heartbeatMs)
      // The feed ends when the reader has gone.
      const next = await within(waitMs, pending, () => undefined)
      if (gone.aborted || next?.done) return
      if (!(await isConfirmed(confirm, next !== undefined))) return
      if (next) {
        await writeInTime(response, textOf(next.value), limits.drainMs)
        pending = events.next()
        pending.catch(() => {})
      } else if (performance.now() - sentAt >= limits.heartbeatMs) {
        await writeInTime(response, ': still here\n\n', limits.drainMs)
      } else continue
      sentAt = performance.now()
    }
  }
}

function noPlace(): AppError {
  const message = 'The server has no free live stream. Try again later.'
  return rateLimited(message, 10)
}

/** False when the caller may not read on. A database that is away says nothing, unless an event waits. */
async function isConfirmed(confirm: () => Promise<unknown>, isNeeded: boolean): Promise<boolean> {
  try {
    await confirm()
    return true
  } catch (error) {
    const { status } = toAppError(error)
    if (status < 500) return false
    if (isNeeded) throw error
    return true
  }
}

function textOf({ data, id, name }: ServerEvent): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
