// Queries servers that should all know the answer, and takes the first accepted answer. The fastest server is queried
// first. The next one follows when a server fails; when none answers for 250 ms (or twice the usual response time, if
// that is longer), the number of servers queried doubles. Seven dead servers out of eight cost 750 ms.

import type { DnsAnswer, Exchange, Question, ServerAddress } from '../messages/exchange.ts'
import { ask } from './ask.ts'
import { keyOf } from './dns-network.ts'
import { hedgeAfterMs, type Inquiry } from './inquiry.ts'

const maxServers = 16
/** Ranks above any response time in milliseconds. */
const unknownRank = 1e6
const lateRank = 2e6

/** Undefined when no server gave an answer that `isAccepted` takes. At most 16 servers are asked. */
export async function askAny(
  inquiry: Inquiry,
  servers: ServerAddress[],
  question: Question,
  isAccepted: (answer: DnsAnswer) => boolean,
): Promise<(Exchange & { answer: DnsAnswer }) | undefined> {
  const { promise, resolve } = Promise.withResolvers<
    (Exchange & { answer: DnsAnswer }) | undefined
  >()
  const waiting = bestFirst(inquiry, servers).slice(0, maxServers)
  const decided = new AbortController()
  let running = 0
  let timer: NodeJS.Timeout | undefined
  const end = (exchange: (Exchange & { answer: DnsAnswer }) | undefined) => {
    clearTimeout(timer)
    resolve(exchange)
    decided.abort()
  }
  const askMore = () => {
    for (let more = running; more > 0; more--) void next()
  }
  const next = async (): Promise<void> => {
    clearTimeout(timer)
    const server = waiting.shift()
    if (!server || decided.signal.aborted) return
    running += 1
    if (waiting.length > 0) timer = setTimeout(askMore, patienceWith(inquiry, server))
    const exchange = await ask(inquiry, server, question, { signal: decided.signal })
    running -= 1
    if (decided.signal.aborted) return
    const { answer } = exchange
    if (answer && isAccepted(answer)) end({ ...exchange, answer })
    else if (waiting.length > 0) await next()
    else if (running === 0) end(undefined)
  }
  if (waiting.length === 0) end(undefined)
  else void next()
  return promise
}

/**
 * Servers that have answered come first, by response time; then unknown ones; slow and silent ones last. Second
 * addresses of a name come after all first addresses, because a dead server is usually dead at both.
 */
function bestFirst(inquiry: Inquiry, servers: ServerAddress[]): ServerAddress[] {
  const seen = new Map<string | undefined, number>()
  const places = new Map<ServerAddress, number>()
  for (const server of servers) {
    const place = seen.get(server.name) ?? 0
    places.set(server, place)
    seen.set(server.name, place + 1)
  }
  const place = (server: ServerAddress) => places.get(server) ?? 0
  const rank = (server: ServerAddress) => {
    const key = keyOf(server)
    if (inquiry.silentServers.has(key)) return Number.MAX_VALUE
    return (
      inquiry.responseTimesMs.get(key) ?? (inquiry.slowServers.has(key) ? lateRank : unknownRank)
    )
  }
  return servers.toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b))
}

/** Distant servers get more time before another one is queried. */
function patienceWith({ responseTimesMs }: Inquiry, server: ServerAddress): number {
  return Math.max(hedgeAfterMs, 2 * (responseTimesMs.get(keyOf(server)) ?? 0))
}
