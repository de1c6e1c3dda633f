// Answers plain GETs on HTTP/2 streams without the objects of a request and a response, by the same functions as on
// HTTP/1.1 (listener/repeated-requests.ts). Whatever is not answered here goes the ordinary way.
import type { ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { type Connection, hold, release } from '../listener/connections.ts'
import type { Intake } from '../listener/intake.ts'
import { isOriginForm } from '../listener/read-target.ts'
import { type ApiRequest, hasTooManyFields, readHead } from '../request/request-head.ts'
import {
  type AnswerPlain,
  fieldsWriter,
  type PlainRequest,
  type PlainResponse,
  plainRequest,
  sendPlain,
} from '../response/plain-response.ts'
import { fieldsOf } from './http2-request.ts'
import { Http2Answer } from './http2-response.ts'

/** A larger body is sent in slices. */
const maxBodyBytes = 64 * 1024
/** Of all responses that the client of a connection has not taken; beyond that the ordinary way limits them. */
const maxHeldBytes = 256 * 1024

export interface PlainStream {
  socket: Socket
  connection: Connection
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
  rawHeaders: readonly string[]
}

/** The returned function calls `goOn` for what is not answered here, with what was taken from a rate limit. */
export function answerPlainStreams({ batches, findPlain, limits }: Intake) {
  const writeFields = fieldsWriter()

  function send({ connection, stream }: PlainStream, request: PlainRequest, plain: PlainResponse) {
    if (stream.destroyed || stream.closed) return
    const { body, head, isLatin1 } = plain
    if (body !== undefined && body.length > maxBodyBytes) {
      const response = new Http2Answer(request as ApiRequest, stream, connection, () => {})
      sendPlain(request, response as unknown as ServerResponse, plain)
      return
    }
    const fields = writeFields(request, head) as unknown as OutgoingHttpHeaders
    stream.respond(fields, { endStream: body === undefined })
    if (body === undefined) return
    const bytes = typeof body === 'string' ? Buffer.from(body, isLatin1 ? 'latin1' : 'utf8') : body
    hold(connection, bytes)
    stream.once('close', () => release(connection, bytes))
    stream.end(bytes)
  }

  function answer(given: PlainStream, request: PlainRequest, find: AnswerPlain, goOn: () => void) {
    let isSent = false
    const end = (isAnswered: boolean): void => {
      if (!isAnswered && !isSent && !given.stream.destroyed) goOn()
    }
    try {
      const answered = find(request, (plain) => {
        isSent = true
        send(given, request, plain)
      })
      if (typeof answered === 'boolean') end(answered)
      else answered.then(end, () => end(false))
    } catch {
      end(false)
    }
  }

  return (given: PlainStream, goOn: (allowance?: PlainRequest['allowance']) => void): void => {
    const { connection, headers, socket, stream } = given
    const url = headers[':path'] ?? ''
    const isGet = headers[':method'] === 'GET' && stream.endAfterHeaders
    const isHeld = connection.heldBytes > maxHeldBytes - maxBodyBytes
    const isKnown = isGet && !isHeld && url.length <= limits.urlBytes && isOriginForm(url)
    if (!isKnown || hasTooManyFields(given.rawHeaders)) {
      goOn()
      return
    }
    const rawHeaders = fieldsOf(headers, given.rawHeaders, true)
    const head = readHead({ rawHeaders })
    if (head.hosts !== 1 || head.host === undefined || head.hasBody) {
      goOn()
      return
    }
    const { isSecure } = connection
    const request = plainRequest({ url, head, headers, rawHeaders, socket, isSecure })
    // Those of one turn of the event loop read the versions once.
    batches.add(() => {
      if (stream.destroyed) return
      const find = findPlain(connection, request)
      if (find) answer(given, request, find, () => goOn(request.allowance))
      else goOn()
    })
  }
}
