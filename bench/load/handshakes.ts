// A load generator of handshakes: so many at once, each on a connection of its own that asks for nothing
// and is closed when it is done. It is a process, started by handshakes.ts; the last line it writes is its result.
// X25519 and AES-128 throughout, so that servers with another library do the same work.

import { once } from 'node:events'
import { connect, createSecureContext } from 'node:tls'
import type { HandshakeOrder, HandshakeResult } from '../handshakes.ts'

const order: HandshakeOrder = JSON.parse(process.argv[2] ?? '')
const withinMs = 10_000

const context = createSecureContext({
  minVersion: order.version,
  maxVersion: order.version,
  // The first is what all take; the second is the key's own, without which TLS 1.2 does not let it sign.
  ecdhCurve: 'X25519:P-256',
  ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
})
const result: HandshakeResult = { done: 0, resumed: 0, failed: 0, seconds: 0, cpuSeconds: 0 }

/** Resolves with a session that the server gave, if it did, once both sides have closed the connection. */
async function shakeHands(host: string, session?: Buffer): Promise<Buffer | undefined> {
  const socket = connect({
    host: '127.0.0.1',
    port: order.port,
    servername: host,
    secureContext: context,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(session && { session }),
  })
  socket.setTimeout(withinMs, () => socket.destroy(new Error('late')))
  let found: Buffer | undefined
  socket.once('session', (given: Buffer) => {
    found = given
  })
  try {
    const closed = once(socket, 'close')
    await Promise.race([once(socket, 'secureConnect'), closed.then(neverDone)])
    const isResumed = socket.isSessionReused()
    socket.resume().end()
    await closed
    result.done++
    if (isResumed) result.resumed++
  } catch {
    result.failed++
    socket.on('error', () => {}).destroy()
  }
  return found
}

function neverDone(): never {
  throw new Error('closed before the handshake was done')
}

let next = 0
const hostInTurn = (): string => order.hosts[next++ % order.hosts.length] ?? ''

const sessions = new Map<string, Buffer | undefined>()
if (order.isResumed) {
  for (const host of order.hosts) sessions.set(host, await shakeHands(host))
  Object.assign(result, { done: 0, failed: 0 })
}

const began = performance.now()
const end = began + order.seconds * 1000
const cpu = process.cpuUsage()
async function work(): Promise<void> {
  while (performance.now() < end && result.done < (order.most ?? Infinity)) {
    const host = hostInTurn()
    await shakeHands(host, sessions.get(host))
  }
}
await Promise.all(Array.from({ length: order.atOnce }, work))
const { system, user } = process.cpuUsage(cpu)
result.seconds = (performance.now() - began) / 1000
result.cpuSeconds = (system + user) / 1e6
console.log(JSON.stringify(result))
