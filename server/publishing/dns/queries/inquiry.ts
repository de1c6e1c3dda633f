// What one check may spend and what it has learnt: the budget of questions and time, every exchange in
// order, what was answered already, and which servers are silent. It lives as long as the check.
import type { Clock } from '../../../platform/clock.ts'
import type { Exchange } from '../messages/exchange.ts'
import type { DnsNetwork } from './dns-network.ts'
import type { ZoneCut } from './zone-cut.ts'

/** How long a server is waited for, in milliseconds, before another is asked the same. */
export const hedgeAfterMs = 250

export interface InquiryOptions {
  network: DnsNetwork
  clock: Clock
  /** Questions that may be sent; one that is repeated over UDP and TCP counts once. */
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
  /** Servers that were waited for in vain until another answered. */
  slowServers: Set<string>
  /** How the servers failed that did not answer at all. */
  silentServers: Map<string, Exchange>
  /** Zones found on the way, by their apex. */
  zones: Map<string, ZoneCut>
  freshFrom: string | undefined
}

/** A new check: 40 questions, 5 s. */
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

/** Nothing more can be asked: no question or no time is left. */
export function isExhausted({ maxQueries, queries, signal }: Inquiry): boolean {
  return signal.aborted || queries >= maxQueries
}

/** Takes one question from the budget; false when there is none left. */
export function takeQuery(inquiry: Inquiry): boolean {
  if (isExhausted(inquiry)) {
    inquiry.isCutShort = true
    return false
  }
  inquiry.queries += 1
  return true
}
