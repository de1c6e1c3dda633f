// Sends one query to one server, or to servers that should all know the answer.
// `ask`: UDP; after a time-out UDP and TCP in parallel; TCP after truncation; without EDNS if EDNS is refused. Within one
// check each query is sent once, and a silent server is not queried again.
// `askAny` takes the first accepted answer. The fastest server is queried first, the next one when a server fails; when
// none answers for 250 ms (or twice the usual response time, if that is longer), the number of servers queried doubles.
// Seven dead servers out of eight cost 750 ms.
import { randomInt } from 'node:crypto'
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { connect, isIPv6, type Socket } from 'node:net'
import type {
  DnsResponse,
  Exchange,
  ExchangeFailure,
  Question,
  ServerAddress,
} from '../messages/exchange.ts'
import { failureOf, matchReply, type Reply, withId, writeQuery } from '../messages/read-message.ts'
import { keyOf } from './dns-network.ts'
import { hedgeAfterMs, type Inquiry, isExhausted } from './inquiry.ts'

interface AskOptions {
  wantsRecursion?: boolean
  isCheckingDisabled?: boolean
  /** Aborts this question alone. */
  signal?: AbortSignal
}

/**
 * The final exchange: with `answer`, whatever its code, or with `failure`. Never rejects. All datagrams and connections
 * are recorded in `inquiry.exchanges`.
 */
export async function ask(
  inquiry: Inquiry,
  server: ServerAddress,
  question: Question,
  options: AskOptions = {},
): Promise<Exchange> {
  const { isCheckingDisabled = false, wantsRecursion = false } = options
  const signal = options.signal ? AbortSignal.any([options.signal, inquiry.signal]) : inquiry.signal
  const serverKey = keyOf(server)
  const parts = [serverKey, question.name, question.type, wantsRecursion, isCheckingDisabled]
  const key = parts.join(' ')
  const running = inquiry.answers.get(key)
  if (running) {
    const exchange = await running
    // Another caller has cancelled it: this one queries again.
    const isNeeded = exchange.failure === 'cancelled' && !signal.aborted
    return isNeeded ? ask(inquiry, server, question, options) : exchange
  }
  const query = { server, question, wantsRecursion, isCheckingDisabled }
  const exchange = askUncached({ inquiry, asked: query, serverKey, key, signal })
  inquiry.answers.set(key, exchange)
  return exchange
}

interface Query {
  inquiry: Inquiry
  asked: Pick<Exchange, 'server' | 'question' | 'wantsRecursion' | 'isCheckingDisabled'>
  /** Of the server, and of the answer in the inquiry. */
  serverKey: string
  key: string
  signal: AbortSignal
}

const silent: readonly (ExchangeFailure | undefined)[] = [
  'timeout',
  'unreachable',
  'refused-connection',
]

async function askUncached(query: Query): Promise<Exchange> {
  const { asked, inquiry, serverKey } = query
  let isAllowed = inquiry.allowed.get(serverKey)
  if (isAllowed === undefined) {
    isAllowed = inquiry.network.mayAsk(asked.server)
    inquiry.allowed.set(serverKey, isAllowed)
  }
  const message = isAllowed ? writeQuery(asked.question, asked) : undefined
  const typeKey = `${serverKey} ${asked.question.type}`
  const { silentServers } = inquiry
  const silence = (silentServers.get(serverKey) ?? silentServers.get(typeKey))?.failure
  if (!message || silence || isExhausted(inquiry)) {
    if (message && !silence) inquiry.isCutShort = true
    const failure = (message && silence) || 'not-asked'
    return { ...asked, transport: 'udp', at: inquiry.clock(), ms: 0, failure }
  }
  inquiry.queries += 1
  const [firstMs, secondMs] = inquiry.timeoutsMs
  let exchange = await send(query, message, 'udp', firstMs)
  if (exchange.failure === 'timeout' || exchange.failure === 'malformed') {
    exchange = await sendBoth(query, message, secondMs)
  }
  // What is silent over TCP alone is asked again: shorter answers arrive.
  const isTruncated = exchange.response?.isTruncated && exchange.transport === 'udp'
  if (isTruncated) {
    const failure = silentServers.get(tcpKeyOf(serverKey))?.failure
    exchange = failure
      ? { ...asked, transport: 'tcp', at: inquiry.clock(), ms: 0, failure }
      : await send(query, message, 'tcp', secondMs)
  }
  // A server that has answered may drop the queries of one type.
  const ofAnswering = isTruncated ? tcpKeyOf(serverKey) : typeKey
  if (silent.includes(exchange.failure))
    silentServers.set(inquiry.responseTimesMs.has(serverKey) ? ofAnswering : serverKey, exchange)
  if (exchange.failure === 'cancelled') {
    inquiry.answers.delete(query.key)
    if (inquiry.signal.aborted) inquiry.isCutShort = true
  }
  return exchange
}

const tcpKeyOf = (serverKey: string) => `${serverKey} tcp`

/** UDP once more and TCP at the same time: the first to answer. */
async function sendBoth(query: Query, message: Buffer, timeoutMs: number): Promise<Exchange> {
  const answered = new AbortController()
  const both = { ...query, signal: AbortSignal.any([query.signal, answered.signal]) }
  const udp = send(both, message, 'udp', timeoutMs)
  const tcp = send(both, message, 'tcp', timeoutMs)
  // That a server drops EDNS is said, and is no answer: resolvers ask with it alone (RFC 6891).
  void send(both, message, 'udp', timeoutMs, false)
  const orThrow = async (sent: Promise<Exchange>) => {
    const exchange = await sent
    if (!exchange.response) throw exchange
    return exchange
  }
  const first = await Promise.any([orThrow(udp), orThrow(tcp)]).catch(() => undefined)
  answered.abort()
  return first ?? udp
}

/** Once more without EDNS, if it is refused. */
async function send(
  query: Query,
  message: Buffer,
  transport: Exchange['transport'],
  timeoutMs: number,
  hasEdns = true,
): Promise<Exchange> {
  const { asked, inquiry, serverKey, signal } = query
  const { owner } = inquiry
  const { sockets } = inquiry.network
  const release =
    sockets.tryAcquire(owner) ??
    (await sockets.acquire(owner, { signal }).catch((): undefined => undefined))
  const at = inquiry.clock()
  if (!release || signal.aborted) {
    release?.()
    return { ...asked, transport: 'udp', at, ms: 0, failure: 'cancelled' }
  }
  const start = performance.now()
  const sendQuery = transport === 'udp' ? askUdp : askTcp
  const bytes = withId(message, randomInt(0x1_0000), hasEdns)
  const reply = await sendQuery(asked.server, bytes, { timeoutMs, signal })
  release()
  const ms = Math.round((performance.now() - start) * 10) / 10
  const exchange: Exchange = {
    ...asked,
    ...(!hasEdns && { withoutEdns: true }),
    ...{ transport, at, ms },
    ...reply,
  }
  inquiry.exchanges.push(exchange)
  if (exchange.response && hasEdns) inquiry.responseTimesMs.set(serverKey, ms)
  else if (exchange.failure === 'cancelled' && ms >= hedgeAfterMs) {
    inquiry.slowServers.add(serverKey)
  }
  const rcode = exchange.response?.rcode
  const isWithoutEdns = rcode === 'FORMERR' || rcode === 'NOTIMP' || rcode === 'RCODE16'
  return hasEdns && isWithoutEdns ? send(query, message, transport, timeoutMs, false) : exchange
}

interface TransportOptions {
  timeoutMs: number
  signal: AbortSignal
}

/**
 * The reply to one query over UDP or TCP. Never rejects: it ends at the time-out, or with `cancelled` when the signal
 * aborts. `end` closes the socket and resolves it, once.
 */
function awaitReply({ signal, timeoutMs }: TransportOptions, socket: DatagramSocket | Socket) {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const state = { isOver: false, failureAtTimeout: 'timeout' as ExchangeFailure }
  const end = (reply: Reply) => {
    // Errors may follow the first one.
    if (state.isOver) return
    state.isOver = true
    clearInterval(timer)
    signal.removeEventListener('abort', cancel)
    if ('destroy' in socket) socket.destroy()
    else socket.close()
    resolve(reply)
  }
  const cancel = () => end({ failure: 'cancelled' })
  // In quarters: a process that was busy all the time has read nothing, for which the server is not to blame.
  let quarters = 0
  const timer = setInterval(() => {
    if (++quarters === 4) end({ failure: state.failureAtTimeout })
  }, timeoutMs / 4)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  return { promise, end, state }
}

/**
 * From a new socket with a random port. The socket is connected: datagrams from other sources are dropped, and a closed
 * port is detected at once. A datagram that is not the answer may be forged and is ignored; it is reported only if no
 * answer arrives.
 */
export function askUdp(
  server: ServerAddress,
  query: Buffer,
  options: TransportOptions,
): Promise<Reply> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
  // While the socket is being bound, closing waits for a listener of Node itself: none may be removed.
  const { end, promise, state } = awaitReply(options, socket)
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('message', (bytes) => {
    const response = matchReply(query, bytes)
    if (response) end({ response })
    else state.failureAtTimeout = 'malformed'
  })
  socket.on('connect', () => {
    if (!state.isOver) socket.send(query)
  })
  if (!state.isOver) socket.connect(server.port, server.address)
  return promise
}

/** Each message has a length prefix of two bytes (RFC 7766). Reads one message. */
export function askTcp(
  server: ServerAddress,
  query: Buffer,
  options: TransportOptions,
): Promise<Reply> {
  const socket = connect({ host: server.address, port: server.port })
  const { end, promise } = awaitReply(options, socket)
  let received = Buffer.alloc(0)
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('end', () => end({ failure: 'malformed' }))
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    if (received.length < 2) return
    const length = received.readUInt16BE(0)
    if (received.length < length + 2) return
    const response = matchReply(query, received.subarray(2, length + 2))
    end(response ? { response } : { failure: 'malformed' })
  })
  const prefix = Buffer.of(query.length >> 8, query.length & 0xff)
  socket.on('connect', () => socket.write(Buffer.concat([prefix, query])))
  return promise
}

const maxServers = 16
/** Ranks above any response time in milliseconds. */
const unknownRank = 1e6
const lateRank = 2e6

/** Undefined when no server gave an answer that `isAccepted` takes. At most 16 servers are asked. */
export async function askAny(
  inquiry: Inquiry,
  servers: ServerAddress[],
  question: Question,
  isAccepted: (response: DnsResponse) => boolean,
): Promise<(Exchange & { response: DnsResponse }) | undefined> {
  const { promise, resolve } = Promise.withResolvers<
    (Exchange & { response: DnsResponse }) | undefined
  >()
  const waiting = bestFirst(inquiry, servers).slice(0, maxServers)
  const decided = new AbortController()
  let running = 0
  let timer: NodeJS.Timeout | undefined
  const end = (exchange: (Exchange & { response: DnsResponse }) | undefined) => {
    clearTimeout(timer)
    resolve(exchange)
    decided.abort()
  }
  const askMore = () => {
    for (let more = running; more > 0; more--) void next()
  }
  const next = async (): Promise<void> => {
    clearTimeout(timer)
    const best = waiting.shift()
    if (!best || decided.signal.aborted) return
    running += 1
    if (waiting.length > 0) timer = setTimeout(askMore, best.patienceMs)
    const exchange = await ask(inquiry, best.server, question, { signal: decided.signal })
    running -= 1
    if (decided.signal.aborted) return
    const { response } = exchange
    if (response && isAccepted(response)) end({ ...exchange, response })
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
function bestFirst(inquiry: Inquiry, servers: ServerAddress[]) {
  const { responseTimesMs, silentServers, slowServers } = inquiry
  const seen = new Map<string | undefined, number>()
  const ranked: { server: ServerAddress; rank: number; place: number; patienceMs: number }[] = []
  for (const server of servers) {
    const key = `${server.address}#${server.port}`
    const place = seen.get(server.name) ?? 0
    seen.set(server.name, place + 1)
    const ms = responseTimesMs.get(key)
    const usual = ms ?? (slowServers.has(key) ? lateRank : unknownRank)
    const isSilent = silentServers.has(key) || silentServers.has(tcpKeyOf(key))
    const rank = isSilent ? Number.MAX_VALUE : usual
    // Distant servers get more time before another one is queried.
    ranked.push({ server, rank, place, patienceMs: Math.max(hedgeAfterMs, 2 * (ms ?? 0)) })
  }
  return ranked.sort((a, b) => a.rank - b.rank || a.place - b.place)
}
