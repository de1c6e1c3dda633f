// One query over UDP or TCP. Neither function rejects; they end at the time-out, or with `cancelled` when the signal
// aborts.
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { ExchangeFailure, ServerAddress } from '../messages/exchange.ts'
import { failureOf, matchReply, type Reply } from '../messages/read-message.ts'

interface TransportOptions {
  timeoutMs: number
  signal: AbortSignal
}

/** `end` resolves the reply once, after `close`. */
function awaitReply(
  { signal, timeoutMs }: TransportOptions,
  close: () => void,
  failureAtTimeout: () => ExchangeFailure = () => 'timeout',
) {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  let isOver = false
  const end = (reply: Reply) => {
    // Errors may follow the first one.
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    close()
    resolve(reply)
  }
  const cancel = () => end({ failure: 'cancelled' })
  const timer = setTimeout(() => end({ failure: failureAtTimeout() }), timeoutMs)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  return { promise, end, isOver: () => isOver }
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
  let hasJunk = false
  const failureAtTimeout = () => (hasJunk ? 'malformed' : 'timeout')
  // While the socket is being bound, closing waits for a listener of Node itself: none may be removed.
  const { end, isOver, promise } = awaitReply(options, () => socket.close(), failureAtTimeout)
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('message', (bytes) => {
    const answer = matchReply(query, bytes)
    if (answer) end({ answer })
    else hasJunk = true
  })
  socket.on('connect', () => {
    if (!isOver()) socket.send(query)
  })
  if (!isOver()) socket.connect(server.port, server.address)
  return promise
}

/** Each message has a length prefix of two bytes (RFC 7766). Reads one message. */
export function askTcp(
  server: ServerAddress,
  query: Buffer,
  options: TransportOptions,
): Promise<Reply> {
  const socket = connect({ host: server.address, port: server.port })
  const { end, promise } = awaitReply(options, () => socket.destroy())
  let received = Buffer.alloc(0)
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('end', () => end({ failure: 'malformed' }))
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    if (received.length < 2) return
    const length = received.readUInt16BE(0)
    if (received.length < length + 2) return
    const answer = matchReply(query, received.subarray(2, length + 2))
    end(answer ? { answer } : { failure: 'malformed' })
  })
  socket.on('connect', () => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.length)
    socket.write(Buffer.concat([length, query]))
  })
  return promise
}
