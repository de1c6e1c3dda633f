// One question to servers that should all know the answer: the first useful answer counts. The next server is
// asked when one fails; when none answers for a quarter of a second, as many again as were asked already, so
// that seven dead ones among eight cost three quarters of a second.
import { ask } from './ask.ts'
import { keyOf } from './dns-network.ts'
import type { DnsAnswer, Exchange, Question, ServerAddress } from './exchange.ts'
import type { Inquiry } from './inquiry.ts'

const patienceMs = 250
const maxServers = 16

/** Undefined when no server gave an answer that `isUseful` takes. At most 16 servers are asked. */
export async function askAny(
  inquiry: Inquiry,
  servers: ServerAddress[],
  question: Question,
  isUseful: (answer: DnsAnswer) => boolean,
): Promise<(Exchange & { answer: DnsAnswer }) | undefined> {
  const { promise, resolve } = Promise.withResolvers<
    (Exchange & { answer: DnsAnswer }) | undefined
  >()
  const waiting = inOrder(inquiry, servers).slice(0, maxServers)
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
    if (waiting.length > 0) timer = setTimeout(askMore, patienceMs)
    const exchange = await ask(inquiry, server, question, { signal: decided.signal })
    running -= 1
    if (decided.signal.aborted) return
    const { answer } = exchange
    if (answer && isUseful(answer)) end({ ...exchange, answer })
    else if (waiting.length > 0) await next()
    else if (running === 0) end(undefined)
  }
  if (waiting.length === 0) end(undefined)
  else void next()
  return promise
}

/** Those that have answered something first, those that were silent last. */
function inOrder(inquiry: Inquiry, servers: ServerAddress[]): ServerAddress[] {
  const rank = (server: ServerAddress) => {
    if (inquiry.answering.has(keyOf(server))) return 0
    return inquiry.silent.has(keyOf(server)) ? 2 : 1
  }
  return servers.toSorted((a, b) => rank(a) - rank(b))
}
