// The state of one check: its limits of queries and time, every exchange in order, cached answers, and silent
// servers.
import type { Clock } from '#kit/clock.ts'
import type { Exchange, ServerAddress } from '../messages/exchange.ts'
import type { DnsNetwork, ZoneCut } from './dns-network.ts'

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
  signal?: AbortSignal | undefined
  /** Who shares sockets fairly with others; the check itself by default. */
  owner?: unknown
  /** The registrable domain: nothing at or below it is taken from the cache between checks. */
  freshFrom?: string
}

export type Inquiry = ReturnType<typeof startInquiry>

/** A new check: 40 queries, 5 s. */
export function startInquiry({
  network,
  clock,
  maxQueries = 40,
  timeLimitMs = 5000,
  timeoutsMs = [1000, 1500],
  signal,
  freshFrom,
  owner = Symbol('check'),
}: InquiryOptions) {
  const timeUp = AbortSignal.timeout(timeLimitMs)
  return {
    network,
    clock,
    maxQueries,
    timeoutsMs,
    freshFrom,
    owner,
    /** Aborts when the time is up or the caller gives up. */
    signal: signal ? AbortSignal.any([signal, timeUp]) : timeUp,
    /** Number of queries so far. */
    queries: 0,
    /** Something was not queried, or not awaited, because a limit was reached. */
    isCutShort: false,
    /** In the order in which they ended. */
    exchanges: [] as Exchange[],
    /** By server and query, so that each query is sent once. */
    answers: new Map<string, Promise<Exchange>>(),
    /** Of the last answer of each server, in milliseconds. */
    responseTimesMs: new Map<string, number>(),
    /** Whether a server may be asked. */
    allowed: new Map<string, boolean>(),
    /** Servers that did not answer before another one did. */
    slowServers: new Set<string>(),
    /** Servers that did not answer at all, or not over TCP, or no queries of a type, with the failure. */
    silentServers: new Map<string, Exchange>(),
    /** By their apex. */
    zones: new Map<string, ZoneCut>(),
    /** The addresses of the servers of zones. */
    servers: new Map<ZoneCut, Promise<ServerAddress[]>>(),
  }
}

/** No queries or no time left. */
export function isExhausted({ maxQueries, queries, signal }: Inquiry): boolean {
  return signal.aborted || queries >= maxQueries
}
