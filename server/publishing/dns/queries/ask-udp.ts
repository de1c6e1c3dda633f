// One query over UDP, from a new socket with a random port. The socket is connected: datagrams from other sources are
// dropped, and a closed port is detected at once. A datagram that is not the answer may be forged and is ignored; it
// is reported only if no answer arrives.
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { ServerAddress } from '../messages/exchange.ts'
import { failureOf, matchReply, type Reply } from '../messages/read-message.ts'

/** Never rejects. Ends at the time-out, or with `cancelled` when the signal aborts. */
export function askUdp(
  server: ServerAddress,
  query: Buffer,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
  let hasJunk = false
  let isOver = false
  const end = (reply: Reply) => {
    // Errors may come after the first one.
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    // While the socket is being bound this waits for a listener of Node's own: none may be removed.
    socket.close()
    resolve(reply)
  }
  const cancel = () => end({ failure: 'cancelled' })
  const timer = setTimeout(() => end({ failure: hasJunk ? 'malformed' : 'timeout' }), timeoutMs)
  signal.addEventListener('abort', cancel, { once: true })
  socket.on('error', (error) => end({ failure: failureOf(error) }))
  socket.on('message', (bytes) => {
    const message = matchReply(query, bytes)
    if (message) end({ message })
    else hasJunk = true
  })
  socket.on('connect', () => {
    if (!isOver) socket.send(query)
  })
  if (signal.aborted) cancel()
  else socket.connect(server.port, server.address)
  return promise
}
