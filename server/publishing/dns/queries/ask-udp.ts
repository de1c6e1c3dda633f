// One question over UDP, from a fresh socket whose port the system draws at random. The socket is connected:
// what another source sends never arrives, and a closed port is noticed at once. A datagram that is not the
// answer is passed over, for it may be forged; only when nothing better comes is it reported.
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
