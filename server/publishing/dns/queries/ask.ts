// One query to one server: UDP; after a time-out UDP and TCP in parallel; TCP after truncation; without EDNS if EDNS
// is refused. Within one check, each query is sent once, and a silent server is not queried again.
import { randomInt } from 'node:crypto'
import type { Exchange, ExchangeFailure, Question, ServerAddress } from '../messages/exchange.ts'
import type { Reply } from '../messages/read-message.ts'
import { type QueryForm, writeQuery } from '../messages/write-message.ts'
import { askTcp } from './ask-tcp.ts'
import { askUdp } from './ask-udp.ts'
import { keyOf } from './dns-network.ts'
import { hedgeAfterMs, type Inquiry, takeQuery } from './inquiry.ts'

export interface AskOptions {
  wantsRecursion?: boolean
  isCheckingDisabled?: boolean
  /** Aborts this question alone. */
  signal?: AbortSignal
}

/**
 * The exchange that decides: with `answer`, whatever its code, or with `failure`. Never rejects. Every
 * datagram and connection is kept in `inquiry.exchanges`; what was not sent (`not-asked`) is not.
 */
export function ask(
  inquiry: Inquiry,
  server: ServerAddress,
  question: Question,
  options: AskOptions = {},
): Promise<Exchange> {
  const asking: Asking = {
    inquiry,
    server,
    question,
    wantsRecursion: options.wantsRecursion ?? false,
    isCheckingDisabled: options.isCheckingDisabled ?? false,
    signal: options.signal ? AbortSignal.any([options.signal, inquiry.signal]) : inquiry.signal,
  }
  const key = [
    keyOf(server),
    question.name,
    question.type,
    asking.wantsRecursion,
    asking.isCheckingDisabled,
  ].join(' ')
  const known = inquiry.answers.get(key)
  if (known) return orAskAgain(known, () => ask(inquiry, server, question, options), asking.signal)
  const exchange = askUncached(asking)
  inquiry.answers.set(key, exchange)
  // What was not waited for may be asked again.
  void exchange.then(({ failure }) => {
    if (failure === 'cancelled') inquiry.answers.delete(key)
  })
  return exchange
}

/** What another caller gave up is asked anew by one that has not. */
async function orAskAgain(
  known: Promise<Exchange>,
  again: () => Promise<Exchange>,
  signal: AbortSignal,
): Promise<Exchange> {
  const exchange = await known
  return exchange.failure === 'cancelled' && !signal.aborted ? again() : exchange
}

interface Asking {
  inquiry: Inquiry
  server: ServerAddress
  question: Question
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  signal: AbortSignal
}

async function askUncached(asking: Asking): Promise<Exchange> {
  const { inquiry, server } = asking
  const key = keyOf(server)
  if (!inquiry.network.mayAsk(server) || !writeQuery(asking.question, formOf(asking))) {
    return unsentExchange(asking, 'not-asked')
  }
  const silence = inquiry.silentServers.get(key)?.failure
  if (silence) return unsentExchange(asking, silence)
  if (!takeQuery(inquiry)) return unsentExchange(asking, 'not-asked')

  const [firstMs, secondMs] = inquiry.timeoutsMs
  let exchange = await send(asking, 'udp', firstMs)
  if (exchange.failure === 'timeout' || exchange.failure === 'malformed') {
    exchange = await sendBoth(asking, secondMs)
  }
  if (exchange.answer?.isTruncated && exchange.transport === 'udp') {
    exchange = await send(asking, 'tcp', secondMs)
  }
  if (isSilence(exchange.failure)) inquiry.silentServers.set(key, exchange)
  if (inquiry.signal.aborted && exchange.failure === 'cancelled') inquiry.isCutShort = true
  return exchange
}

/** UDP once more and TCP at the same time: the first to answer. */
async function sendBoth(asking: Asking, timeoutMs: number): Promise<Exchange> {
  const answered = new AbortController()
  const both = { ...asking, signal: AbortSignal.any([asking.signal, answered.signal]) }
  const udp = send(both, 'udp', timeoutMs)
  const tcp = send(both, 'tcp', timeoutMs)
  const orThrow = async (sent: Promise<Exchange>) => {
    const exchange = await sent
    if (!exchange.answer) throw exchange
    return exchange
  }
  const first = await Promise.any([orThrow(udp), orThrow(tcp)]).catch(() => undefined)
  answered.abort()
  return first ?? udp
}

async function send(
  asking: Asking,
  transport: Exchange['transport'],
  timeoutMs: number,
): Promise<Exchange> {
  const exchange = await sendOnce(asking, transport, timeoutMs, true)
  const rcode = exchange.answer?.rcode
  const isWithoutEdns = rcode === 'FORMERR' || rcode === 'NOTIMP' || rcode === 'RCODE16'
  return isWithoutEdns ? sendOnce(asking, transport, timeoutMs, false) : exchange
}

async function sendOnce(
  asking: Asking,
  transport: Exchange['transport'],
  timeoutMs: number,
  hasEdns: boolean,
): Promise<Exchange> {
  const { inquiry, server, question, signal } = asking
  const query = writeQuery(question, { ...formOf(asking), id: randomInt(0x1_0000), hasEdns })
  if (!query) return unsentExchange(asking, 'not-asked')
  const release = await inquiry.network.sockets.acquire(inquiry, { signal }).catch(() => undefined)
  if (!release) return unsentExchange(asking, 'cancelled')
  const at = inquiry.clock()
  const start = performance.now()
  const sendQuery = transport === 'udp' ? askUdp : askTcp
  const reply: Reply = await sendQuery(server, query, { timeoutMs, signal })
  release()
  const exchange: Exchange = {
    server,
    question,
    transport,
    wantsRecursion: asking.wantsRecursion,
    isCheckingDisabled: asking.isCheckingDisabled,
    at,
    ms: Math.round((performance.now() - start) * 10) / 10,
    ...('message' in reply ? { answer: reply.message.answer } : reply),
  }
  inquiry.exchanges.push(exchange)
  if (exchange.answer) inquiry.responseTimesMs.set(keyOf(server), exchange.ms)
  else if (exchange.failure === 'cancelled' && exchange.ms >= hedgeAfterMs) {
    inquiry.slowServers.add(keyOf(server))
  }
  return exchange
}

function formOf({ wantsRecursion, isCheckingDisabled }: Asking): QueryForm {
  return { id: 0, wantsRecursion, isCheckingDisabled, hasEdns: true }
}

function unsentExchange(asking: Asking, failure: ExchangeFailure): Exchange {
  const { inquiry, server, question, wantsRecursion, isCheckingDisabled } = asking
  return {
    server,
    question,
    transport: 'udp',
    wantsRecursion,
    isCheckingDisabled,
    at: inquiry.clock(),
    ms: 0,
    failure,
  }
}

function isSilence(failure: ExchangeFailure | undefined): boolean {
  return failure === 'timeout' || failure === 'unreachable' || failure === 'refused-connection'
}
