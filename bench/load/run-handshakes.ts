// Runs TLS handshakes against one server and measures what both used. The rate is per second of the server's
// processor time, so that a client slower than the server does not matter. The load generator is this file
// in a separate process. It uses X25519 and AES-128 with every server: newer TLS libraries would
// otherwise choose a more expensive, post-quantum key exchange.

import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { connect, createSecureContext } from 'node:tls'
import type { Sample } from '../results/sample.ts'
import type { TlsServer } from '../servers/server.ts'
import { runGenerator } from './run-generator.ts'

export interface HandshakeKind {
  version: 'TLSv1.2' | 'TLSv1.3'
  /** Each handshake resumes a session that the server issued before. */
  isResumed: boolean
}

export interface HandshakeOptions {
  seconds: number
  cores: string | undefined
}

interface GeneratorOptions extends HandshakeKind {
  port: number
  /** Used in turn. */
  hosts: string[]
  seconds: number
}

/** Printed by the load generator as JSON. */
interface GeneratorResult {
  completed: number
  resumed: number
  failed: number
  seconds: number
}

const concurrency = 16
const timeoutMs = 10_000

/** `perSecond` is per second of the server's processor time. */
export async function runHandshakes(
  server: TlsServer,
  kind: HandshakeKind,
  { cores, seconds }: HandshakeOptions,
): Promise<Sample> {
  const { httpsPort: port, hosts, label, readLog } = server
  const options: GeneratorOptions = { ...kind, port, hosts, seconds }
  const node = [process.execPath, import.meta.filename]
  // 10,000 hosts do not fit into an argument.
  const { stdout, ...cpu } = await runGenerator(server, cores, node, JSON.stringify(options))
  const result: GeneratorResult = JSON.parse(stdout)
  const { completed, failed, resumed } = result
  if (completed === 0) throw new Error(`no TLS handshake with ${label}: ${readLog()}`)
  const wrongKind = kind.isResumed ? completed - resumed : resumed
  return {
    perSecond: completed / cpu.serverCpuSeconds,
    requests: completed,
    errors: failed + wrongKind,
    ...cpu,
    seconds: result.seconds,
  }
}

/** Every handshake uses a new connection, sends no request and counts once the connection is closed. */
async function generateHandshakes(options: GeneratorOptions): Promise<GeneratorResult> {
  const { hosts, isResumed, port, seconds, version } = options
  const result: GeneratorResult = { completed: 0, resumed: 0, failed: 0, seconds: 0 }
  const secureContext = createSecureContext({
    minVersion: version,
    maxVersion: version,
    // X25519 is used for the key exchange. P-256 is the curve of the certificate's key, which TLS 1.2 requires.
    ecdhCurve: 'X25519:P-256',
    ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
  })

  /** Resolves with the session that the server issued, if any, once both sides have closed the connection. */
  const handshake = async (host: string, session?: Buffer): Promise<Buffer | undefined> => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername: host,
      secureContext,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    })
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('timed out')))
    let issued: Buffer | undefined
    socket.once('session', (ticket: Buffer) => {
      issued = ticket
    })
    try {
      const closed = once(socket, 'close')
      const closedEarly = closed.then(() => {
        throw new Error('the connection was closed before the handshake completed')
      })
      await Promise.race([once(socket, 'secureConnect'), closedEarly])
      const isReused = socket.isSessionReused()
      socket.resume().end()
      await closed
      result.completed++
      if (isReused) result.resumed++
    } catch {
      result.failed++
      socket.on('error', () => {}).destroy()
    }
    return issued
  }

  const sessions = new Map<string, Buffer | undefined>()
  if (isResumed) {
    for (const host of hosts) sessions.set(host, await handshake(host))
    Object.assign(result, { completed: 0, failed: 0 })
  }
  let next = 0
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  const work = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const host = hosts[next++ % hosts.length] ?? ''
      await handshake(host, sessions.get(host))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  result.seconds = (performance.now() - startedAt) / 1000
  return result
}

if (process.argv[1] === import.meta.filename) {
  const options: GeneratorOptions = JSON.parse(await text(process.stdin))
  console.log(JSON.stringify(await generateHandshakes(options)))
}
