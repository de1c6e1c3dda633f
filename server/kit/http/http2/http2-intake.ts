// HTTP/2 on TLS sockets: streams become requests and responses like those of HTTP/1.1. Streams, headers, resets,
// PING and SETTINGS frames and idle time are limited for each connection.

import type { ServerResponse } from 'node:http'
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import type { Connection } from '../listener/connections.ts'
import { clearCookies, isCookieOverflow } from '../listener/cookie-overflow.ts'
import type { Intake } from '../listener/intake.ts'
import { hostName } from '../request/host-name.ts'
import { type ApiRequest, maxFields, readHead } from '../request/request-head.ts'
import { createFrameCheck, headBytes } from './frame-check.ts'
import { Http2Request, windowBytes } from './http2-request.ts'
import { breakOff, Http2Answer } from './http2-response.ts'
import { answerPlainStreams, type PlainStream } from './plain-streams.ts'

/** For each connection. */
const defaultHttp2Limits = {
  /** Concurrent streams. */
  streams: 100,
  /** Streams that a client may reset at once, and then per second. */
  resetBurst: 500,
  resetsPerSecond: 50,
  /** PING and SETTINGS frames in 10 seconds. */
  controlFrames: 200,
}
export type Http2Limits = typeof defaultHttp2Limits

const controlWindowMs = 10_000
const lingerMs = 1000

/** Passes its requests to `intake`. */
export function createHttp2Intake(intake: Intake, bounds: Http2Limits = defaultHttp2Limits) {
  const { clearsCookies, clients, limits, log } = intake
  const answerPlain = answerPlainStreams(intake)
  const sessions = new Set<ServerHttp2Session>()
  const options = {
    settings: {
      maxConcurrentStreams: bounds.streams,
      // More than our own limit, so that a request beyond that gets an error response.
      maxHeaderListSize: 4 * limits.headerBytes,
      initialWindowSize: windowBytes,
      enablePush: false,
    },
    // More than our own limit, too. The rest is not even kept: the stream is reset.
    maxHeaderListPairs: 3 * maxFields,
    // Megabytes: each stream holds a slice of its response.
    maxSessionMemory: 16,
    streamResetBurst: bounds.resetBurst,
    streamResetRate: bounds.resetsPerSecond,
    // A client that is not broken sends none.
    maxSessionInvalidFrames: 20,
  }

  function handleStream(given: PlainStream): void {
    const { connection, headers, rawHeaders, stream } = given
    const { session } = stream
    connection.requestBytes += headBytes(rawHeaders)
    // An error closes the stream; its request and response report that.
    stream.on('error', () => {})
    if (stream.destroyed || !session) return
    if (!clients.takeWaiting(connection.client)) {
      // The client may repeat it (RFC 9113, section 8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    connection.streams++
    stream.once('close', () => {
      connection.streams--
      clients.releaseWaiting(connection.client)
    })
    stream.setTimeout(limits.stalledTimeoutMs, () => breakOff(stream))
    const problem = problemOf(headers, rawHeaders, limits.headerBytes)
    if (problem) handleRequest(given, problem)
    else answerPlain(given, (allowance) => handleRequest(given, undefined, allowance))
  }

  function handleRequest(
    given: PlainStream,
    problem?: AppError,
    allowance?: ApiRequest['allowance'],
  ): void {
    const { connection, headers, rawHeaders, socket, stream } = given
    const { session } = stream
    if (stream.destroyed || !session) return
    const request = new Http2Request(socket, connection, stream, headers, rawHeaders)
    request.allowance = allowance
    const answer = new Http2Answer(request, stream, connection, () => session.close())
    const response = answer as unknown as ServerResponse
    const dropBody = (): void => {
      if (!request.complete) request.discard()
    }
    const refuse = (error: AppError): void => {
      if (answer.headersSent) {
        breakOff(stream)
        return
      }
      answer.prependOnceListener('finish', dropBody)
      intake.refuse(request, response, error)
    }
    const endLate = (): void => {
      const message = 'The request did not arrive in time. Send head and body without long pauses.'
      // In the next turn: otherwise the reset is sent before the head of the response.
      const close = (): void => void setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
      answer.prependOnceListener('finish', close)
      refuse(new AppError('request_timeout', message))
    }
    if (problem) {
      request.head = readHead(request)
      const isOverflow = problem.code === 'headers_too_large'
      if (!isOverflow || !isCookieOverflow(rawHeaders, request.url ?? '', limits)) {
        refuse(problem)
        return
      }
      const answer = (isCleared: boolean): void => {
        if (isCleared) request.fixedHeaders = clearCookies
        refuse(problem)
      }
      Promise.resolve(clearsCookies(request.head.host ?? '')).then(answer, () => answer(false))
    } else intake.handle({ request, response, endLate, dropBody })
  }

  return {
    /** Starts HTTP/2 on a socket whose connection was added to `connections`. */
    accept(socket: Socket, connection: Connection) {
      const session = performServerHandshake(socket, options)
      sessions.add(session)
      watch(session, connection, bounds, limits.keepAliveTimeoutMs)
      session.setLocalWindowSize(windowBytes)
      connection.held = new Map()
      connection.check = createFrameCheck(socket, connection, () =>
        session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM),
      )
      session.on('stream', (stream, headers, _flags, rawHeaders) => {
        try {
          handleStream({ socket, connection, stream, headers, rawHeaders })
        } catch (err) {
          log.error({ event: 'http2.stream_failed', err }, 'a stream could not be handled')
          breakOff(stream)
        }
      })
      session.on('error', () => session.destroy())
      session.once('close', () => sessions.delete(session))
    },
    /** Sends GOAWAY on every connection; each closes when its streams have ended. */
    stop() {
      for (const session of sessions) session.close()
    },
  }
}

/** Closes a connection that is idle for too long or sends too many control frames. */
function watch(
  session: ServerHttp2Session,
  connection: Connection,
  bounds: Http2Limits,
  idleMs: number,
): void {
  let open = 0
  let windowEnds = 0
  let frames = 0
  const end = (): void => {
    session.close()
    setTimeout(() => session.destroy(), lingerMs).unref()
  }
  let idle = setTimeout(end, idleMs)
  session.on('stream', (stream) => {
    open++
    clearTimeout(idle)
    stream.once('close', () => {
      if (--open === 0 && !session.destroyed) idle = setTimeout(end, idleMs)
    })
  })
  const count = (): void => {
    connection.controlFrames++
    const now = performance.now()
    if (now > windowEnds) {
      windowEnds = now + controlWindowMs
      frames = 0
    }
    if (++frames > bounds.controlFrames)
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
  session.on('ping', count)
  session.on('remoteSettings', count)
  session.once('close', () => clearTimeout(idle))
}

/** The error for a request that the HTTP/1 parser would refuse. */
function problemOf(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  maxBytes: number,
): AppError | undefined {
  if (headers[':method'] === 'CONNECT')
    return new AppError('invalid_request', 'CONNECT is for proxies; this is none.')
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  if (bytes > maxBytes) {
    const message = `The header fields are larger than ${maxBytes / 1024} KiB. Send fewer or shorter ones.`
    return new AppError('headers_too_large', message)
  }
  const { ':authority': authority, host } = headers
  if (authority !== undefined && host !== undefined && hostName(authority) !== hostName(host))
    return new AppError('invalid_request', 'The Host field is not what :authority says.')
  return undefined
}
