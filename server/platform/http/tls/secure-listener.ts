// The HTTPS port: TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1, for the hosts of a directory. The ClientHello is read
// before TLS starts: unknown hosts are refused without cryptography, resumed sessions pass the same check as new
// ones, and the host of a connection is known from the start. Requests go to the intake of the plain listener.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TLSSocket, Server as TlsServer } from 'node:tls'
import { type Awaitable, withValue } from '../../database/database.ts'
import { createFairSemaphore } from '../../fair-semaphore.ts'
import { unmapIpv4 } from '../../network/addresses.ts'
import { networkOf } from '../../network/network-of.ts'
import { gauge, tallies } from '../../tally.ts'
import { createHttp2Intake, type Http2Limits } from '../http2/http2-intake.ts'
import type { Admission } from '../listener/clients.ts'
import { createConnectionLimiter } from '../listener/connection-limiter.ts'
import { type Connection, createConnection, isIdle } from '../listener/connections.ts'
import type { Intake } from '../listener/intake.ts'
import { bind } from '../listener/listener.ts'
import type { HostCertificate, HostDirectory } from './host-directory.ts'
import type { ClientHello } from './parse-client-hello.ts'
import { alerts, readHello, sendAlert } from './read-client-hello.ts'
import { challengeProtocol, createTlsServerCache } from './tls-server-cache.ts'

export interface SecureOptions {
  directory: HostDirectory
  /** See tls-server-cache.ts. */
  ticketKeys: () => Buffer
  /** The host whose certificate is shown to clients that name none; without it they are refused. */
  defaultHost?: string
  limits?: Partial<typeof defaultHandshakeLimits>
  http2?: Http2Limits
}

const defaultHandshakeLimits = {
  /** From the first byte of the connection to the end of the handshake. */
  handshakeTimeoutMs: 10_000,
  /** Concurrent handshakes; beyond them the oldest is dropped. */
  handshakes: 4000,
  /** The same for one address, or the /64 of IPv6. */
  handshakesOfOne: 500,
  /** Handshakes that start in one turn of the event loop: 0.7 ms each. */
  handshakesPerTurn: 4,
  /** Loaded certificates: 50 KiB each. Loading one takes a millisecond. */
  certificates: 5_000,
}

/** Where a connection goes, and what is served there. */
interface Destination {
  server(): Awaitable<TlsServer>
  /** Undefined for a challenge, which serves nothing. */
  served: { host: string; certificateId: string } | undefined
}

/** A connection until its handshake is done. */
interface Handshake {
  readonly network: string
  readonly admission: Admission
  /** What the client called its host. */
  serverName: string
  /** Undefined until its host is known, and for a challenge. */
  connection: Connection | undefined
  settle(): void
}

export type SecureListener = Awaited<ReturnType<typeof listenSecurely>>

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listenSecurely(
  intake: Intake,
  port: number,
  address: string,
  options: SecureOptions,
) {
  const { defaultHost, directory, ticketKeys } = options
  const limits = { ...defaultHandshakeLimits, ...options.limits }
  const { clients, connections, http1, log } = intake
  const http2 = createHttp2Intake(intake, options.http2)
  const servers = createTlsServerCache({
    maxServers: limits.certificates,
    ticketKeys,
    handshakeTimeoutMs: limits.handshakeTimeoutMs,
    onSecure: acceptSecured,
    onFailure: () => count('failed'),
  })
  const handshakes = new WeakMap<Socket, Handshake>()
  const underWay = createConnectionLimiter(limits.handshakes, limits.handshakesOfOne)
  const semaphore = createFairSemaphore({ maxPermits: limits.handshakesPerTurn })
  const count = outcomeCounter(intake)
  const open = new Set<Socket>()
  let stopping = false

  function receive(socket: Socket): void {
    open.add(socket)
    // An error closes the socket.
    socket.on('error', ignore)
    const drop = (): void => {
      count('late')
      socket.destroy()
    }
    const network = networkOf(unmapIpv4(socket.remoteAddress ?? ''))
    const leave = underWay.enter(network, drop)
    const timer = setTimeout(drop, limits.handshakeTimeoutMs)
    const handshake: Handshake = {
      network,
      admission: clients.admit(socket, () => !handshake.connection || isIdle(handshake.connection)),
      serverName: '',
      connection: undefined,
      settle() {
        clearTimeout(timer)
        leave?.()
      },
    }
    socket.once('close', () => {
      open.delete(socket)
      handshake.settle()
    })
    readHello(socket, (hello) => {
      if (!hello) {
        count('no tls')
        return
      }
      handshake.serverName = hello.serverName
      whenReady(socket, findDestination(hello), (found) => proceed(socket, handshake, found))
    })
  }

  /** Uses the value in this turn if it is there. An error closes the socket. */
  function whenReady<T>(socket: Socket, value: Awaitable<T>, use: (value: T) => void): void {
    const fail = (err: unknown): void => {
      log.error({ event: 'tls.handshake_failed', err }, 'a handshake failed')
      socket.destroy()
    }
    try {
      if (value instanceof Promise) value.then(use).catch(fail)
      else use(value)
    } catch (err) {
      fail(err)
    }
  }

  function proceed(socket: Socket, handshake: Handshake, destination: Destination | number): void {
    if (socket.destroyed) return
    if (typeof destination === 'number') {
      count(destination === alerts.internalError ? 'no certificate' : 'unknown host')
      sendAlert(socket, destination)
      return
    }
    const { network } = handshake
    const permit = semaphore.tryAcquire(network) ?? semaphore.acquire(network)
    whenReady(socket, permit, (release) => {
      // Limits the handshakes that start in one turn of the event loop.
      setImmediate(release)
      whenReady(socket, destination.server(), (server) => {
        if (!socket.destroyed) startHandshake(socket, handshake, server, destination)
      })
    })
  }

  function startHandshake(
    socket: Socket,
    handshake: Handshake,
    server: TlsServer,
    { served }: Destination,
  ): void {
    handshake.connection = served && connectionFor(socket, handshake.admission, served)
    handshakes.set(socket, handshake)
    server.emit('connection', socket)
  }

  /** The destination of a connection, or the alert that refuses it. Never throws or rejects. */
  function findDestination(hello: ClientHello): Awaitable<Destination | number> {
    const fail = (): number => alerts.internalError
    try {
      const found = lookUpDestination(hello)
      return found instanceof Promise ? found.catch(fail) : found
    } catch {
      return fail()
    }
  }

  function lookUpDestination(hello: ClientHello): Awaitable<Destination | number> {
    const { protocols, host = defaultHost } = hello
    if (protocols.length === 1 && protocols[0] === challengeProtocol)
      return findChallenge(hello.host)
    if (host === undefined) return alerts.unrecognizedName
    return withValue(directory.certificateFor(host), (found) => serve(host, found))
  }

  async function findChallenge(host: string | undefined): Promise<Destination | number> {
    const pem = host === undefined ? undefined : await directory.challengeFor(host)
    if (!pem) return alerts.noApplicationProtocol
    return { server: () => servers.challengeServer(pem), served: undefined }
  }

  function serve(
    host: string,
    certificate: HostCertificate | undefined,
  ): Awaitable<Destination | number> {
    if (!certificate) return alerts.unrecognizedName
    const server = (): Awaitable<TlsServer> => servers.serverFor(certificate)
    const served = { host, certificateId: certificate.id }
    return withValue(server(), () => ({ server, served }))
  }

  function acceptSecured(socket: TLSSocket): void {
    // Where Node keeps the socket that its server was handed.
    const { _parent: transport } = socket as TLSSocket & { _parent?: Socket }
    const handshake = transport && handshakes.get(transport)
    handshake?.settle()
    // A second hello, after a HelloRetryRequest, must not name another host.
    const isSameHost = (socket.servername || '') === handshake?.serverName
    if (!handshake || !isSameHost || stopping) {
      socket.destroy()
      return
    }
    const { connection } = handshake
    count(connection ? 'done' : 'challenge')
    if (!connection) {
      socket.end()
      return
    }
    connections.replaceSocket(connection, socket)
    if (socket.alpnProtocol === 'h2') http2.accept(socket, connection)
    else http1.emit('connection', socket)
  }

  function connectionFor(
    socket: Socket,
    admission: Admission,
    { host, certificateId }: { host: string; certificateId: string },
  ): Connection {
    const connection = createConnection(socket, admission, {
      isSecure: true,
      hosts: new Set([host]),
      admits(asked) {
        const certificate = directory.certificateFor(asked)
        // Another host must have the same certificate; its own host may have a newer one by now.
        const isRight = (found: { id: string } | undefined): boolean =>
          found !== undefined && (asked === host || found.id === certificateId)
        return certificate instanceof Promise ? certificate.then(isRight) : isRight(certificate)
      },
    })
    connections.add(connection)
    return connection
  }

  gauge(
    intake.metrics.registry,
    'animal_store_tls_certificates_ready',
    'Certificates loaded for handshakes.',
    () => servers.size,
  )
  const server = createServer({ noDelay: true }, receive)
  server.maxConnections = clients.maxOpen
  await bind(server, port, address)
  return {
    port: (server.address() as AddressInfo).port,
    /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
    async stop() {
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) if (!connections.of(socket)) socket.destroy()
      await intake.stop()
      http2.stop()
      await closed
    },
  }
}

type Outcome =
  | 'done'
  | 'failed'
  | 'late'
  | 'no tls'
  | 'no certificate'
  | 'unknown host'
  | 'challenge'

function outcomeCounter({ metrics }: Intake): (outcome: Outcome) => void {
  const name = 'animal_store_tls_handshakes_total'
  const counted = tallies(metrics.registry, name, 'TLS handshakes by outcome.')
  const byOutcome = new Map<Outcome, ReturnType<typeof counted>>()
  return (outcome) => {
    const tally = byOutcome.get(outcome) ?? counted({ outcome })
    byOutcome.set(outcome, tally)
    tally.add()
  }
}

function ignore(): void {}
