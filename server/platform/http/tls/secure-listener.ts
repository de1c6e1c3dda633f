// The HTTPS port: TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1, for the hosts that a directory knows. Each
// client's hello is read before TLS begins, so that who asks for an unknown host costs nothing and is told
// so, a resumed session passes the same gate as a new one, and it is known from the start whom a
// connection serves. Requests go to the intake of the plain listener.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Server as Door, TLSSocket } from 'node:tls'
import { createFairSemaphore } from '../../fair-semaphore.ts'
import { networkOf } from '../../network/network-of.ts'
import { gauge, tallies } from '../../tally.ts'
import { createHttp2Intake, type Http2Limits } from '../http2/http2-intake.ts'
import type { Connection } from '../listener/connections.ts'
import type { Intake } from '../listener/intake.ts'
import { bind } from '../listener/listener.ts'
import { createConnectionLimiter } from './connection-limiter.ts'
import type { HostDirectory } from './host-directory.ts'
import type { ClientHello } from './parse-client-hello.ts'
import { alerts, readHello, sendAlert } from './read-client-hello.ts'
import { challengeProtocol, createDoors } from './tls-server-cache.ts'

export interface SecureOptions {
  directory: HostDirectory
  /** See tls-server-cache.ts. */
  ticketKeys: () => Buffer
  /** The host whose certificate is shown to clients that name none; without it they are refused. */
  defaultHost?: string
  limits?: Partial<HandshakeLimits>
  http2?: Http2Limits
}

export interface HandshakeLimits {
  /** From the first byte of the connection to the end of the handshake. */
  handshakeTimeoutMs: number
  /** Handshakes under way; beyond them the oldest makes room. */
  handshakes: number
  /** The same for one address, or the /64 of IPv6. */
  handshakesOfOne: number
  /** Handshakes that begin in one turn of the event loop: 0.7 ms each. */
  handshakesPerTurn: number
  /** Certificates held ready: 50 KiB each. One that is not costs its handshake a millisecond more. */
  certificates: number
}

export const defaultHandshakeLimits: HandshakeLimits = {
  handshakeTimeoutMs: 10_000,
  handshakes: 4000,
  handshakesOfOne: 500,
  handshakesPerTurn: 4,
  certificates: 5_000,
}

export interface SecureListener {
  readonly port: number
  /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
  stop(): Promise<void>
}

type Outcome =
  | 'done'
  | 'failed'
  | 'late'
  | 'no tls'
  | 'no certificate'
  | 'unknown host'
  | 'challenge'

interface Welcome {
  door: Door
  /** Undefined for a challenge, which serves nothing. */
  served: { host: string; certificateId: string } | undefined
}

/** A handshake that has begun. */
interface Handshake {
  hello: ClientHello
  connection: Connection | undefined
  settle: () => void
}

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listenSecurely(
  intake: Intake,
  port: number,
  address: string,
  options: SecureOptions,
): Promise<SecureListener> {
  const { defaultHost, directory, ticketKeys } = options
  const limits = { ...defaultHandshakeLimits, ...options.limits }
  const { connections, http1 } = intake
  const http2 = createHttp2Intake(intake, options.http2)
  const doors = createDoors({
    most: limits.certificates,
    ticketKeys,
    handshakeTimeoutMs: limits.handshakeTimeoutMs,
    onSecure: takeOver,
    onFailure: () => count('failed'),
  })
  // A door gives another socket than it was handed; what they have in common is their two ends.
  const begun = new Map<string, Handshake>()
  const underWay = createConnectionLimiter(limits.handshakes, limits.handshakesOfOne)
  const turns = createFairSemaphore({ maxPermits: limits.handshakesPerTurn })
  const count = outcomeCounter(intake)
  const open = new Set<Socket>()
  let stopping = false

  async function receive(socket: Socket): Promise<void> {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Whatever goes wrong with the bare socket closes it.
    socket.on('error', () => {})
    const network = networkOf(plainAddress(socket.remoteAddress ?? ''))
    const drop = (): void => {
      count('late')
      socket.destroy()
    }
    const leave = underWay.enter(network, drop)
    const timer = setTimeout(drop, limits.handshakeTimeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      leave()
    }
    socket.once('close', settle)
    const hello = await readHello(socket)
    if (!hello) return count('no tls')
    const welcome = await welcomeFor(hello).catch(() => alerts.internalError)
    if (socket.destroyed) return
    if (typeof welcome === 'number') {
      count(welcome === alerts.internalError ? 'no certificate' : 'unknown host')
      return sendAlert(socket, welcome)
    }
    const release = await turns.acquire(network)
    if (socket.destroyed) return release()
    // So many handshakes begin in one turn of the event loop.
    setImmediate(release)
    shakeHands(socket, welcome, { hello, connection: undefined, settle })
  }

  /** What a client is shown, or the alert that it gets instead. */
  async function welcomeFor(hello: ClientHello): Promise<Welcome | number> {
    const [only, ...others] = hello.protocols
    if (only === challengeProtocol && others.length === 0) {
      const pem = hello.host === undefined ? undefined : await directory.challengeFor(hello.host)
      if (!pem) return alerts.noApplicationProtocol
      return { door: doors.challengeDoor(pem), served: undefined }
    }
    const host = hello.host ?? defaultHost
    const certificate = host === undefined ? undefined : await directory.certificateFor(host)
    if (host === undefined || certificate === undefined) return alerts.unrecognizedName
    const door = await doors.doorOf(certificate)
    return { door, served: { host, certificateId: certificate.id } }
  }

  function shakeHands(socket: Socket, { door, served }: Welcome, handshake: Handshake): void {
    if (served) handshake.connection = connectionFor(socket, served)
    const ends = endsOf(socket)
    begun.set(ends, handshake)
    socket.once('close', () => {
      if (begun.get(ends) === handshake) begun.delete(ends)
    })
    door.emit('connection', socket)
  }

  function takeOver(socket: TLSSocket): void {
    const ends = endsOf(socket)
    const handshake = begun.get(ends)
    begun.delete(ends)
    handshake?.settle()
    // A second hello, after a HelloRetryRequest, must not name another host.
    const isSame = (socket.servername || '') === handshake?.hello.serverName
    if (!handshake || !isSame || stopping) {
      socket.destroy()
      return
    }
    const { connection } = handshake
    count(connection ? 'done' : 'challenge')
    if (!connection) {
      socket.end()
      return
    }
    connections.moved(connection, socket)
    if (socket.alpnProtocol === 'h2') http2.accept(socket)
    else http1.emit('connection', socket)
  }

  function connectionFor(
    socket: Socket,
    { host, certificateId }: { host: string; certificateId: string },
  ): Connection {
    const connection: Connection = {
      socket,
      isSecure: true,
      hosts: new Set([host]),
      admits(asked) {
        const certificate = directory.certificateFor(asked)
        // Another host needs this very certificate; its own host may have a newer one meanwhile.
        const isRight = (found: { id: string } | undefined): boolean =>
          found !== undefined && (asked === host || found.id === certificateId)
        return certificate instanceof Promise ? certificate.then(isRight) : isRight(certificate)
      },
    }
    connections.add(connection)
    return connection
  }

  gauge(
    intake.metrics.registry,
    'animal_store_tls_certificates_ready',
    'Certificates that are held ready for handshakes.',
    () => doors.size,
  )
  const server = createServer({ noDelay: true }, (socket) => void receive(socket))
  server.maxConnections = intake.limits.connections
  await bind(server, port, address)
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) if (!connections.of(socket)) socket.destroy()
      intake.stop()
      http2.stop()
      await closed
    },
  }
}

function outcomeCounter({ metrics }: Intake): (outcome: Outcome) => void {
  const name = 'animal_store_tls_handshakes_total'
  const counted = tallies(metrics.registry, name, 'TLS handshakes by what became of them.')
  const byOutcome = new Map<Outcome, ReturnType<typeof counted>>()
  return (outcome) => {
    const tally = byOutcome.get(outcome) ?? counted({ outcome })
    byOutcome.set(outcome, tally)
    tally.add()
  }
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

/** IPv4 that came over an IPv6 socket is IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
