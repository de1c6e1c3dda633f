// One query over TCP: each message has a length prefix of two bytes (RFC 7766). Reads one message.
import { connect } from 'node:net'
import type { ServerAddress } from '../messages/exchange.ts'
import { failureOf, matchReply, type Reply } from '../messages/read-message.ts'

/** Never rejects. Ends at the time-out, or with `cancelled` when the signal aborts. */
export function askTcp(
  server: ServerAddress,
  query: Buffer,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const socket = connect({ host: server.address, port: server.port })
  let received = Buffer.alloc(0)
  const end = (reply: Reply) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    socket.removeAllListeners().on('error', () => {})
    socket.destroy()
    resolve(reply)
  }
  const cancel = () => end({ failure: 'cancelled' })
  const timer = setTimeout(() => end({ failure: 'timeout' }), timeoutMs)
  signal.addEventListener('abort', cancel, { once: true })
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('end', () => end({ failure: 'malformed' }))
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    if (received.length < 2) return
    const length = received.readUInt16BE(0)
    if (received.length < length + 2) return
    const message = matchReply(query, received.subarray(2, length + 2))
    end(message ? { message } : { failure: 'malformed' })
  })
  socket.on('connect', () => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.length)
    socket.write(Buffer.concat([length, query]))
  })
  if (signal.aborted) cancel()
  return promise
}
