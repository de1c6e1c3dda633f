// Answers plain GETs without Node's HTTP objects, which take more time than our own work. Nothing is parsed here that
// Node's parser has not accepted: a chunk is answered if it is one request line of a strict form, followed by the very
// bytes of a header block that the parser has read on the same connection as a GET without a body, while no other request
// is open on it and no byte is outstanding. Every other chunk goes to the parser, unchanged.
import type { Socket } from 'node:net'
import type { Awaitable } from '../../database/database.ts'
import {
  type ApiRequest,
  hasTooManyFields,
  nextRequestId,
  type RequestHead,
} from '../request/request-head.ts'
import {
  type AnswerPlain,
  type PlainRequest,
  type PlainResponse,
  writeHead,
} from '../response/plain-response.ts'
import type { Connection, Repeatable } from './connections.ts'
import type { Exchange } from './exchange.ts'

export interface RepeatedOptions {
  /** Who answers, at present; undefined for the ordinary way. */
  find(connection: Connection, request: PlainRequest): AnswerPlain | undefined
  maxTargetBytes: number
  /** Longer header blocks are not remembered. */
  maxBlockBytes: number
  keepAliveSeconds: number
}

/** A header block that was accepted, with what was read from it. */
interface Block {
  /** From the space before the version to the empty line. */
  bytes: Buffer
  request: Pick<PlainRequest, 'rawHeaders' | 'headers' | 'isSecure'>
  head: RequestHead
  hasRequestId: boolean
}

const version = ' HTTP/1.1\r\n'
const headEnd = '\r\n\r\n'
/** Origin form without a fragment (RFC 9112, section 3.2.1). */
const isTarget = /^\/[!"$-~]*$/

/** Attaches to a socket after Node's parser has. Undefined if the parser does not take events. */
export function watchRepeated(
  socket: Socket,
  connection: Connection,
  { find, keepAliveSeconds, maxBlockBytes, maxTargetBytes }: RepeatedOptions,
): Repeatable | undefined {
  const [parser, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[]
  if (!parser || others.length > 0 || maxBlockBytes === 0) return undefined
  const parse = parser
  let block: Block | undefined
  /** Where the parser is: before a request, in a head that began in an earlier chunk, or anywhere. */
  let place: 'start' | 'head' | 'unknown' = 'start'
  /** Of the body that the parser is reading, if its length is known. */
  let bodyLeft = 0
  /** The requests of the chunk that the parser is reading. */
  const parsed: Exchange[] = []
  /** What has been taken from a rate limit for a request that was not answered here. */
  let allowance: PlainRequest['allowance']
  /** Chunks that came while an answer was under way. */
  const held: Buffer[] = []

  const repeatable: Repeatable = {
    answering: undefined,
    note(exchange) {
      parsed.push(exchange)
      exchange.request.allowance = allowance
      allowance = undefined
    },
  }

  function take(chunk: Buffer): void {
    if (repeatable.answering) {
      held.push(chunk)
      socket.pause()
      return
    }
    const request = place === 'start' && block ? readRepeated(chunk, block) : undefined
    const answered = request ? answer(request) : false
    if (answered instanceof Promise) repeatable.answering = answered.then(finish)
    else goOn(answered)

    function finish(isAnswered: boolean): void {
      repeatable.answering = undefined
      if (socket.destroyed) return
      goOn(isAnswered)
      if (held.length === 0) return
      const chunks = Buffer.concat(held.splice(0))
      socket.resume()
      take(chunks)
    }

    function goOn(isAnswered: boolean): void {
      if (isAnswered) return
      allowance = request?.allowance
      parseAndLearn(chunk)
    }
  }

  /** Whether it was answered. Never throws or rejects. */
  function answer(request: PlainRequest): Awaitable<boolean> {
    let isSent = false
    const send = (response: PlainResponse): void => {
      isSent = true
      write(request, response)
    }
    try {
      const answered = find(connection, request)?.(request, send) ?? false
      return answered instanceof Promise ? answered.catch(() => isSent) : answered
    } catch {
      return isSent
    }
  }

  function readRepeated(chunk: Buffer, { bytes, hasRequestId, head, request }: Block) {
    const end = chunk.length - bytes.length
    if (end <= method.length || end > method.length + maxTargetBytes) return undefined
    if (chunk.compare(bytes, 0, bytes.length, end) !== 0) return undefined
    if (chunk.compare(method, 0, method.length, 0, method.length) !== 0) return undefined
    const url = chunk.toString('latin1', method.length, end)
    if (!isTarget.test(url)) return undefined
    // The client does not take its responses.
    if (socket.writableLength > 0 || !socket.writable) return undefined
    return {
      ...request,
      method: 'GET',
      url,
      head: hasRequestId ? head : { ...head, requestId: nextRequestId() },
      socket,
      startedAt: performance.now(),
      extraHeaders: none,
      fixedHeaders: none,
      allowance: undefined,
      environment: 'none',
      operation: 'none',
    } as PlainRequest
  }

  function write(request: PlainRequest, response: PlainResponse): void {
    const { body, isLatin1 } = response
    const head = writeHead(request, response, keepAliveSeconds)
    if (body === undefined) socket.write(head, 'latin1')
    else if (typeof body === 'string') socket.write(head + body, isLatin1 ? 'latin1' : 'utf8')
    else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
  }

  function parseAndLearn(chunk: Buffer): void {
    const before = place
    place = 'unknown'
    parse.call(socket, chunk)
    const [first, ...others] = parsed.splice(0)
    if (bodyLeft > 0) {
      bodyLeft -= chunk.length
      if (bodyLeft === 0) place = 'start'
    } else if (before !== 'unknown') {
      if (!first) place = 'head'
      else if (others.length === 0) place = placeAfter(chunk, first.request, before)
      else if (before === 'start' && haveNoBodies(chunk, [first, ...others])) place = 'start'
    }
    const isFirst = before === 'start' && place === 'start' && others.length === 0
    if (isFirst && first?.response.shouldKeepAlive) learn(chunk, first.request)
  }

  /** After a chunk with the end of one head. */
  function placeAfter(chunk: Buffer, request: ApiRequest, before: 'start' | 'head') {
    const end = chunk.indexOf(headEnd) + headEnd.length
    const length = lengthOfBody(request)
    // Where a head in several chunks ends is not known, unless all ends there.
    if (length === undefined || (length > 0 && before === 'head')) return 'unknown'
    bodyLeft = Math.max(0, end + length - chunk.length)
    return end + length === chunk.length && request.complete ? 'start' : 'unknown'
  }

  function learn(chunk: Buffer, request: ApiRequest): void {
    const { head, headers, httpVersion, isSecure, rawHeaders, url = '' } = request
    const target = method.length + url.length
    const length = chunk.length - target
    const isPlain = request.method === 'GET' && httpVersion === '1.1' && !head.hasBody
    if (!isPlain || hasTooManyFields(rawHeaders)) return
    if (length > maxBlockBytes || head.hosts !== 1 || head.host === undefined) return
    if (block?.bytes.length === length && chunk.compare(block.bytes, 0, length, target) === 0)
      return
    if (chunk.toString('latin1', 0, target + version.length) !== `GET ${url}${version}`) return
    block = {
      bytes: Buffer.from(chunk.subarray(target)),
      request: { rawHeaders, headers, isSecure },
      head,
      hasRequestId: rawHeaders.includes(head.requestId),
    }
  }

  socket.removeListener('data', parse)
  // Node stops its parser from reading the socket itself, because there is a listener.
  socket.on('data', take)
  return repeatable
}

const none: string[] = []
const method = Buffer.from('GET ')

/** Undefined unless it is none, or Content-Length alone says it. */
function lengthOfBody({ headers }: ApiRequest): number | undefined {
  const length = headers['content-length'] ?? '0'
  if (headers['transfer-encoding'] !== undefined || !/^\d{1,15}$/.test(length)) return undefined
  return Number(length)
}

/** Whether the chunk is these pipelined requests, and nothing else. */
function haveNoBodies(chunk: Buffer, exchanges: Exchange[]): boolean {
  if (!exchanges.every(({ request }) => lengthOfBody(request) === 0 && request.complete))
    return false
  let heads = 0
  let end = 0
  for (let at = chunk.indexOf(headEnd); at >= 0; at = chunk.indexOf(headEnd, end)) {
    heads++
    end = at + headEnd.length
  }
  return heads === exchanges.length && end === chunk.length
}
