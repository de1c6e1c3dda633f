// One question to servers that should all know the answer: the first useful answer counts. The quickest is
// asked first. The next is asked when one fails; when none answers for a quarter of a second (or twice as long
// as usual, where that is more), as many again as were asked already, so that seven dead ones among eight cost
// three quarters of a second.

import type { DnsAnswer, Exchange, Question, ServerAddress } from '../messages/exchange.ts'
import { ask } from './ask.ts'
import { keyOf } from './dns-network.ts'
import { hedgeAfterMs, type Inquiry } from './inquiry.ts'

const maxServers = 16
/** After every pace, in milliseconds, that a server can have. */
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
 * Those that have answered first, by their pace; then those that are not known yet; those that were late or
 * silent last. A second address of a name comes after the first ones of all: what is dead is often dead at both.
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

/** A zone that is far away is not asked twice for it. */
function patienceWith({ responseTimesMs }: Inquiry, server: ServerAddress): number {
  return Math.max(hedgeAfterMs, 2 * (responseTimesMs.get(keyOf(server)) ?? 0))
}
