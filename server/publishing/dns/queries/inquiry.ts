// The state of one check: its limits of queries and time, every exchange in order, cached answers, and silent
// servers.
import type { Clock } from '../../../platform/clock.ts'
import type { Exchange } from '../messages/exchange.ts'
import type { DnsNetwork } from './dns-network.ts'
import type { ZoneCut } from './zone-cut.ts'

/** How long to wait for a server, in milliseconds, before another one is queried. */
export const hedgeAfterMs = 250

export interface InquiryOptions {
  network: DnsNetwork
  clock: Clock
  /** Queries that may be sent; repetitions over UDP and TCP count once. */
  maxQueries?: number
  timeLimitMs?: number
  /** The first attempt and the second over UDP; TCP has the second. */
  timeoutsMs?: [number, number]
  signal?: AbortSignal
  /** Nothing at or below this name is taken from what is kept between checks: the registered domain. */
  freshFrom?: string
}

export interface Inquiry {
  network: DnsNetwork
  clock: Clock
  maxQueries: number
  timeoutsMs: [number, number]
  /** Aborts when the time is up or the caller gives up. */
  signal: AbortSignal
  /** Questions sent so far. */
  queries: number
  /** Something was not asked, or not waited for, because the budget was spent. */
  isCutShort: boolean
  /** Everything that was sent, in the order of its end. */
  exchanges: Exchange[]
  /** Answers by server and question, so that nothing is asked twice. */
  answers: Map<string, Promise<Exchange>>
  /** How long each server took for its last answer, in milliseconds. */
  responseTimesMs: Map<string, number>
  /** Servers that did not answer before another one did. */
  slowServers: Set<string>
  /** How the servers failed that did not answer at all. */
  silentServers: Map<string, Exchange>
  /** Zones found on the way, by their apex. */
  zones: Map<string, ZoneCut>
  freshFrom: string | undefined
}

/** A new check: 40 queries, 5 s. */
export function startInquiry(options: InquiryOptions): Inquiry {
  const timeUp = AbortSignal.timeout(options.timeLimitMs ?? 5000)
  return {
    network: options.network,
    clock: options.clock,
    maxQueries: options.maxQueries ?? 40,
    timeoutsMs: options.timeoutsMs ?? [1000, 1500],
    signal: options.signal ? AbortSignal.any([options.signal, timeUp]) : timeUp,
    queries: 0,
    isCutShort: false,
    exchanges: [],
    answers: new Map(),
    responseTimesMs: new Map(),
    slowServers: new Set(),
    silentServers: new Map(),
    zones: new Map(),
    freshFrom: options.freshFrom,
  }
}

/** No queries or no time left. */
export function isExhausted({ maxQueries, queries, signal }: Inquiry): boolean {
  return signal.aborted || queries >= maxQueries
}

/** Takes one query from the limit; false when none is left. */
export function takeQuery(inquiry: Inquiry): boolean {
  if (isExhausted(inquiry)) {
    inquiry.isCutShort = true
    return false
  }
  inquiry.queries += 1
  return true
}
