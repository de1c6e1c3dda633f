// A process of its own: passes TCP connections to a port, and delays what comes back by a time in milliseconds, so that
// each round trip takes that much longer. Usage: node delaying-proxy.ts PORT TARGET_PORT DELAY_MS
import { connect, createServer, type Socket } from 'node:net'

const [port = 0, targetPort = 0, delayMs = 0] = process.argv.slice(2).map(Number)

/** In the order in which it is due. */
const delayed: { due: number; deliver: () => void }[] = []
let isWaiting = false

function delay(deliver: () => void): void {
  delayed.push({ due: performance.now() + delayMs, deliver })
  if (isWaiting) return
  isWaiting = true
  // A timer may be early or late by a millisecond: the rest is awaited turn by turn.
  setTimeout(deliverDue, Math.max(1, delayMs - 1))
}

function deliverDue(): void {
  while (delayed[0] && delayed[0].due <= performance.now()) delayed.shift()?.deliver()
  isWaiting = delayed.length > 0
  if (isWaiting) setImmediate(deliverDue)
}

createServer((client: Socket) => {
  const target = connect(targetPort, '127.0.0.1')
  client.setNoDelay()
  target.setNoDelay()
  client.on('error', () => target.destroy())
  target.on('error', () => client.destroy())
  client.pipe(target)
  target.on('data', (bytes) => delay(() => void client.write(bytes)))
  target.on('end', () => delay(() => void client.end()))
}).listen(port, '127.0.0.1')
