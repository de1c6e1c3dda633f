// The HTTPS port: TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1, for the hosts of a directory. The ClientHello is read
// before TLS starts: unknown hosts are refused without cryptography, resumed sessions pass the same check as new
// ones, and the host of a connection is known from the start. Requests go to the intake of the plain listener.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { type Awaitable, withValue } from '../../database/database.ts'
import { AppError } from '../../errors.ts'
import { createFairSemaphore } from '../../fair-semaphore.ts'
import { counter, gauge } from '../../metrics.ts'
import { networkOf, unmapIpv4 } from '../../network/addresses.ts'
import { createHttp2Intake, type Http2Limits } from '../http2/http2-intake.ts'
import { type Admission, createConnectionLimiter, type Limited } from '../listener/clients.ts'
import { type Connection, createConnection, isIdle } from '../listener/connections.ts'
import { bind, type Intake } from '../listener/intake.ts'
import { answerParserError } from '../listener/refusals.ts'
import { onTlsError, releaseControl } from '../node-internals.ts'
import { type ClientHello, maxHelloBytes, readClientHello } from './parse-client-hello.ts'
import {
  challengeContext,
  challengeProtocol,
  createSecureContexts,
  type HostCertificate,
  type HostDirectory,
  type Pem,
} from './secure-contexts.ts'

/** Alerts that are sent before TLS starts (RFC 8446, section 6.2). */
const alerts = {
  decodeError: 50,
  internalError: 80,
  unrecognizedName: 112,
  noApplicationProtocol: 120,
} as const

const headBytes = 5
const maxBytes = 2 * maxHelloBytes

/**
 * Reads the ClientHello from the plain socket, and puts the bytes back for the TLS server. Calls `settle` in the same turn
 * as the last byte arrives. What is not TLS is refused and closed without a call.
 */
function readHello(socket: Socket, settle: (hello: ClientHello) => void): void {
  const chunks: Buffer[] = []
  let have = 0
  let neededBytes = headBytes

  function read(chunk: Buffer): void {
    chunks.push(chunk)
    have += chunk.length
    if (have < neededBytes) return
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    const hello = readClientHello(bytes)
    if (hello.kind === 'more' && have < maxBytes) {
      chunks.splice(0, chunks.length, bytes)
      neededBytes = hello.bytes
      return
    }
    socket.off('data', read)
    if (hello.kind === 'hello') {
      socket.pause()
      socket.unshift(bytes)
      settle(hello.hello)
    } else if (hello.kind !== 'other') sendAlert(socket, alerts.decodeError)
    else if (/^[A-Z]{3}/.test(bytes.toString('latin1', 0, 3))) answerPlainHttp(socket)
    else socket.destroy()
  }

  socket.on('data', read)
}

/** Refuses a handshake before it starts: sends a fatal alert in plain text and closes the connection. */
function sendAlert(socket: Socket, alert: number): void {
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))
  socket.resume()
  socket.once('finish', () => socket.destroySoon())
}

function answerPlainHttp(socket: Socket): void {
  const message = 'This port speaks TLS. Begin the address with https://.'
  answerParserError(new AppError('invalid_request', message), socket)
}

export interface SecureOptions {
  directory: HostDirectory
  /** See secure-contexts.ts. */
  ticketKeys: () => Buffer
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
  /** Loaded certificates: 40 KiB each, most of it OpenSSL's context. Loading one takes less than a millisecond. */
  certificates: 3_000,
}

/** What a client is shown, and what is served there: for a challenge nothing. */
type Destination =
  | { certificate: HostCertificate; host: string; challenge?: never }
  | { challenge: Pem; certificate?: never }

/** By preference, each behind its length. */
const httpProtocols = Buffer.from('\x02h2\x08http/1.1')
const challengeProtocols = Buffer.from(`\x0a${challengeProtocol}`)

export type SecureListener = Awaited<ReturnType<typeof listenSecurely>>

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listenSecurely(
  intake: Intake,
  port: number,
  address: string,
  options: SecureOptions,
) {
  const { directory, ticketKeys } = options
  const limits = { ...defaultHandshakeLimits, ...options.limits }
  const { clients, connections, log } = intake
  const http2 = createHttp2Intake(intake, options.http2)
  const contexts = createSecureContexts({ maxContexts: limits.certificates, ticketKeys })
  // The oldest first.
  const underWay = createConnectionLimiter<Handshake>(limits.handshakes, limits.handshakesOfOne)
  const semaphore = createFairSemaphore({ maxPermits: limits.handshakesPerTurn })
  const { add: count } = counter<[outcome: Outcome]>(
    intake.metrics.registry,
    'animal_store_tls_handshakes_total',
    'TLS handshakes by outcome.',
    ['outcome'],
  )
  let stopping = false

  /** A connection, above all until its handshake is done. */
  class Handshake implements Limited {
    readonly socket: Socket
    /** Its client's network. */
    readonly sender: string
    readonly admission: Admission
    /** What the client called its host; undefined until it has. */
    serverName: string | undefined
    /** Undefined until its host is known, and for a challenge. */
    connection: Connection | undefined
    readonly until = performance.now() + limits.handshakeTimeoutMs
    #outcome: Outcome | undefined

    constructor(socket: Socket) {
      this.socket = socket
      this.sender = networkOf(unmapIpv4(socket.remoteAddress ?? ''))
      underWay.enter(this)
      this.admission = clients.admit(socket, () => !this.connection || isIdle(this.connection))
    }

    /** The oldest handshake makes room for the newest. */
    isIdle(): boolean {
      return true
    }

    drop(): void {
      this.end('late')
      this.socket.destroy()
    }

    /** The first outcome counts. */
    end(outcome: Outcome): void {
      if (this.#outcome === undefined) count(outcome)
      this.#outcome ??= outcome
    }
  }

  function dropLate(): void {
    const now = performance.now()
    for (const handshake of underWay.all()) {
      if (handshake.until > now) return
      underWay.leave(handshake)
      handshake.drop()
    }
  }

  function receive(socket: Socket): void {
    const handshake = new Handshake(socket)
    // An error closes the socket.
    socket.on('error', ignore)
    socket.on('close', () => close(handshake))
    readHello(socket, (hello) => {
      handshake.serverName = hello.serverName
      whenReady(handshake, findDestination(hello), proceed)
    })
  }

  function close(handshake: Handshake): void {
    const { admission, connection, serverName } = handshake
    handshake.end(serverName === undefined ? 'no tls' : 'failed')
    underWay.leave(handshake)
    admission.leave()
    if (connection) connections.delete(connection)
  }

  /** Uses the value in this turn if it is there. An error closes the socket. */
  function whenReady<T>(
    handshake: Handshake,
    value: Awaitable<T>,
    use: (handshake: Handshake, value: T) => void,
  ): void {
    try {
      if (value instanceof Promise) {
        value.then((ready) => use(handshake, ready)).catch((err) => fail(handshake, err))
      } else use(handshake, value)
    } catch (err) {
      fail(handshake, err)
    }
  }

  function fail({ socket }: Handshake, err: unknown): void {
    log.error({ event: 'tls.handshake_failed', err }, 'a handshake failed')
    socket.destroy()
  }

  function proceed(handshake: Handshake, destination: Destination | number): void {
    const { sender, socket } = handshake
    if (socket.destroyed) return
    if (typeof destination === 'number') {
      handshake.end(destination === alerts.internalError ? 'no certificate' : 'unknown host')
      sendAlert(socket, destination)
      return
    }
    const permit = semaphore.tryAcquire(sender) ?? semaphore.acquire(sender)
    whenReady(handshake, permit, (_, release) => {
      // Limits the handshakes that start in one turn of the event loop.
      setImmediate(release)
      whenReady(handshake, contextOf(destination), (_, context) => {
        if (!socket.destroyed) start(handshake, destination, context)
      })
    })
  }

  function contextOf({ certificate, challenge }: Destination): Awaitable<SecureContext> {
    return certificate ? contexts.contextFor(certificate) : challengeContext(challenge)
  }

  function start(handshake: Handshake, destination: Destination, context: SecureContext): void {
    const { socket } = handshake
    if (destination.certificate) handshake.connection = connectionFor(handshake, destination)
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: destination.certificate ? httpProtocols : challengeProtocols,
    })
    secured.on('error', ignore)
    onTlsError(secured, () => secured.destroy())
    secured.on('secure', () => acceptSecured(handshake, secured))
  }

  /** The destination of a connection, or the alert that refuses it. Never throws or rejects. */
  function findDestination(hello: ClientHello): Awaitable<Destination | number> {
    const fail = (): number => alerts.internalError
    try {
      const destination = lookUpDestination(hello)
      return destination instanceof Promise ? destination.catch(fail) : destination
    } catch {
      return fail()
    }
  }

  function lookUpDestination(hello: ClientHello): Awaitable<Destination | number> {
    const { host, protocols } = hello
    if (protocols.length === 1 && protocols[0] === challengeProtocol)
      return findChallenge(hello.host)
    if (host === undefined) return alerts.unrecognizedName
    return withValue(directory.certificateFor(host), (certificate) => serve(host, certificate))
  }

  async function findChallenge(host: string | undefined): Promise<Destination | number> {
    const challenge = host === undefined ? undefined : await directory.challengeFor(host)
    return challenge ? { challenge } : alerts.noApplicationProtocol
  }

  function serve(
    host: string,
    certificate: HostCertificate | undefined,
  ): Awaitable<Destination | number> {
    if (!certificate) return alerts.unrecognizedName
    return withValue(contexts.contextFor(certificate), () => ({ host, certificate }))
  }

  function acceptSecured(handshake: Handshake, socket: TLSSocket): void {
    if (!releaseControl(socket)) return
    // A second hello, after a HelloRetryRequest, must not name another host.
    if ((socket.servername || '') !== handshake.serverName || stopping) {
      socket.destroy()
      return
    }
    const { connection } = handshake
    handshake.end(connection ? 'done' : 'challenge')
    if (!connection) {
      socket.end()
      return
    }
    underWay.leave(handshake)
    connections.replaceSocket(connection, socket)
    if (socket.alpnProtocol === 'h2') http2.accept(socket, connection)
    else intake.acceptHttp1(socket, connection)
  }

  function connectionFor(
    { admission, socket }: Handshake,
    { certificate: { id }, host }: Exclude<Destination, { challenge: Pem }>,
  ): Connection {
    const connection = createConnection(socket, admission, {
      isSecure: true,
      hosts: new Set([host]),
      admits(asked) {
        const certificate = directory.certificateFor(asked)
        // Another host must have the same certificate; its own host may have a newer one by now.
        const isRight = (certificate: { id: string } | undefined): boolean =>
          certificate !== undefined && (asked === host || certificate.id === id)
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
    () => contexts.size,
  )
  const server = createServer({ noDelay: true }, receive)
  const checks = setInterval(dropLate, Math.min(1000, limits.handshakeTimeoutMs)).unref()
  server.once('close', () => clearInterval(checks))
  server.maxConnections = clients.maxOpen
  await bind(server, port, address)
  return {
    port: (server.address() as AddressInfo).port,
    /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
    async stop() {
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const { connection, socket } of underWay.all()) if (!connection) socket.destroy()
      await intake.stop()
      http2.stop()
      await closed
    },
  }
}

/**
 * How a handshake ended. A new connection waits for its ClientHello (`no tls`: none came), then for the certificate of its
 * host (`unknown host`, `no certificate`: refused by an alert before TLS starts), then shakes hands (`failed`). At any time
 * it can be `late`: after its time-out, or because a newer one needs its place. `challenge`: a certificate authority has
 * validated a host by TLS-ALPN-01, and the connection is closed. `done`: HTTP begins (listener/connections.ts).
 */
type Outcome =
  | 'done'
  | 'failed'
  | 'late'
  | 'no tls'
  | 'no certificate'
  | 'unknown host'
  | 'challenge'

function ignore(): void {}
