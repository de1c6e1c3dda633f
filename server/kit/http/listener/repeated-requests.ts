// Answers plain GETs without Node's HTTP objects, which take more time than our own work. Nothing is parsed here that Node's
// parser has not accepted: a chunk is answered if it is one request line of a strict form, followed by the very bytes of a
// header block that the parser has read on the same connection as a GET without a body, while no other request is open on
// it and no byte is outstanding. Every other chunk goes to the parser, unchanged.
import type { Socket } from 'node:net'
import type { Awaitable } from '../../database/database.ts'
import { takeParser } from '../node-internals.ts'
import { type ApiRequest, hasTooManyFields, nextRequestId } from '../request/request-head.ts'
import type { RequestBatches } from '../request-batches.ts'
import {
  type AnswerPlain,
  headWriter,
  type PlainRequest,
  type PlainResponse,
  plainRequest,
} from '../response/ready-response.ts'
import type { Connection, Exchange, Repeatable } from './connections.ts'
import { isOriginForm } from './refusals.ts'

interface RepeatedOptions {
  batches: RequestBatches
  /** Whether a request for the host may be answered here, at present. */
  isAllowed(connection: Connection, host: string): boolean
  /** Who answers; undefined for the ordinary way. Depends on host and target alone. */
  find(request: PlainRequest): AnswerPlain | undefined
  maxTargetBytes: number
  /** Longer header blocks are not remembered. */
  maxBlockBytes: number
  /** Of the header blocks of all connections. */
  maxBytes: number
  keepAliveSeconds: number
  /** For a response that its client does not take. */
  stalledTimeoutMs: number
}

/** A header block that was accepted, with what was read from it. */
interface Block {
  /** The request that it came with: the block is from the space before the version to the empty line. */
  chunk: Buffer
  /** Where the block begins. */
  start: number
  /** Of that request. */
  url: string
  answer: AnswerPlain | undefined
  /** Used again for each request with this block: there is one at a time. */
  request: PlainRequest
  hasRequestId: boolean
}

/** Bytes that are on their way to the client: on TLS, every response is for a moment. */
const maxUntakenBytes = 64 * 1024

const version = ' HTTP/1.1\r\n'
const headEnd = '\r\n\r\n'

/** What all connections share. */
export function repeatedRequests(options: RepeatedOptions) {
  return {
    ...options,
    writeHead: headWriter(options.keepAliveSeconds),
    /** Of the header blocks that are remembered. */
    bytes: 0,
  }
}

/** Attaches to a socket after Node's parser has. Gives undefined if that is impossible. */
export function watchRepeated(
  socket: Socket,
  connection: Connection,
  context: ReturnType<typeof repeatedRequests>,
): Repeatable | undefined {
  const { batches, find, isAllowed, maxBlockBytes, maxTargetBytes, writeHead } = context
  const parser = maxBlockBytes === 0 ? undefined : takeParser(socket)
  if (!parser) return undefined
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
  /** Chunks that came while a response was under way. */
  const held: Buffer[] = []
  /** The request that is being answered. */
  let current: PlainRequest | undefined
  /** Sends the response that was made. */
  let write: (() => void) | undefined
  /** The time-out before the response that the client has not taken. */
  let idleTimeoutMs: number | undefined

  const repeatable: Repeatable = {
    answering: undefined,
    note(exchange) {
      parsed.push(exchange)
      exchange.request.allowance = allowance
      allowance = undefined
    },
    stop: () => void socket.off('data', take),
  }

  function take(chunk: Buffer): void {
    if (repeatable.answering) {
      held.push(chunk)
      socket.pause()
      return
    }
    const request = place === 'start' && block ? readRepeated(chunk, block) : undefined
    if (request === undefined) {
      allowance = undefined
      parseAndLearn(chunk)
      return
    }
    repeatable.answering = batches.add(() => answerRepeated(chunk, request))
  }

  /** With the others that have arrived: gives what is to be done once all of these have been answered. */
  function answerRepeated(chunk: Buffer, request: PlainRequest): (() => void) | undefined {
    const { answering } = repeatable
    repeatable.answering = undefined
    const answered = socket.destroyed || answer(request, block as Block)
    repeatable.answering = answering
    if (typeof answered === 'boolean') return () => finish(chunk, request, answered)
    repeatable.answering = answered.then((isAnswered) => finish(chunk, request, isAnswered))
    return undefined
  }

  function finish(chunk: Buffer, request: PlainRequest, isAnswered: boolean): void {
    repeatable.answering = undefined
    if (socket.destroyed) return
    write?.()
    write = undefined
    if (!isAnswered) {
      allowance = request.allowance
      parseAndLearn(chunk)
    }
    if (held.length === 0) return
    const chunks = Buffer.concat(held.splice(0))
    socket.resume()
    take(chunks)
  }

  /** Whether it was answered. Never throws or rejects. */
  function answer(request: PlainRequest, { answer: known, url }: Block): Awaitable<boolean> {
    current = request
    try {
      if (!isAllowed(connection, request.head.host as string)) return false
      const answerPlain = known && request.url === url ? known : find(request)
      const answered = answerPlain?.(request, send) ?? false
      return answered instanceof Promise ? answered.catch(isSent) : answered
    } catch {
      return isSent()
    }
  }

  function readRepeated(chunk: Buffer, block: Block): PlainRequest | undefined {
    const url = urlOf(chunk, block)
    // Of a client that does not take its responses, nothing more is answered here.
    if (url === undefined || socket.writableLength > maxUntakenBytes || !socket.writable)
      return undefined
    const { hasRequestId, request } = block
    if (!hasRequestId) request.head.requestId = nextRequestId()
    request.url = url
    request.startedAt = performance.now()
    request.extraHeaders = none
    request.fixedHeaders = none
    request.allowance = undefined
    request.environment = 'none'
    request.operation = 'none'
    return request
  }

  /** The target, if the chunk is a request line and the block. */
  function urlOf(chunk: Buffer, { chunk: known, start, url }: Block): string | undefined {
    if (chunk.equals(known)) return url
    const end = chunk.length - known.length + start
    if (end <= method.length || end > method.length + maxTargetBytes) return undefined
    if (chunk.compare(known, start, known.length, end) !== 0) return undefined
    if (chunk.compare(method, 0, method.length, 0, method.length) !== 0) return undefined
    const target = chunk.toString('latin1', method.length, end)
    return isOriginForm(target) ? target : undefined
  }

  const isSent = (): boolean => current === undefined

  function send({ body, head, isLatin1 }: PlainResponse): void {
    if (!current) return
    const text = writeHead(current, head)
    current = undefined
    write = () => {
      if (body === undefined) socket.write(text, 'latin1', endStall)
      else if (typeof body === 'string') {
        socket.write(text + body, isLatin1 ? 'latin1' : 'utf8', endStall)
      } else {
        socket.cork()
        socket.write(text, 'latin1')
        socket.write(body, endStall)
        socket.uncork()
      }
    }
  }

  /** As for Node's responses, the time-out is not that of an idle connection while bytes wait for the client. */
  function beginStall(): void {
    if (idleTimeoutMs !== undefined || socket.writableLength === 0) return
    idleTimeoutMs = socket.timeout
    socket.setTimeout(context.stalledTimeoutMs)
  }

  function endStall(): void {
    if (idleTimeoutMs === undefined || socket.writableLength > 0) return
    socket.setTimeout(idleTimeoutMs)
    idleTimeoutMs = undefined
  }

  function parseAndLearn(chunk: Buffer): void {
    const before = place
    place = 'unknown'
    parse(chunk)
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
    const at = chunk.indexOf(headEnd)
    const end = at + headEnd.length
    const length = lengthOfBody(request)
    // Where a head in several chunks ends is not known, unless all ends there.
    if (at < 0 || length === undefined || (length > 0 && before === 'head')) return 'unknown'
    bodyLeft = Math.max(0, end + length - chunk.length)
    return end + length === chunk.length && request.complete ? 'start' : 'unknown'
  }

  function learn(chunk: Buffer, request: ApiRequest): void {
    const { head, headers, httpVersion, isSecure, rawHeaders, url = '' } = request
    const start = method.length + url.length
    const length = chunk.length - start
    const isPlain = request.method === 'GET' && httpVersion === '1.1' && !head.hasBody
    if (!isPlain || hasTooManyFields(rawHeaders)) return
    if (length > maxBlockBytes || url.length > maxTargetBytes || !isOriginForm(url)) return
    if (head.hosts !== 1 || head.host === undefined) return
    if (chunk.toString('latin1', 0, start + version.length) !== `GET ${url}${version}`) return
    if (block && urlOf(chunk, block) !== undefined) return
    forget()
    if (context.bytes + chunk.length > context.maxBytes) return
    context.bytes += chunk.length
    block = {
      // Not in Node's pool, of which it would keep a whole slab.
      chunk: Buffer.allocUnsafeSlow(chunk.length),
      start,
      url,
      answer: undefined,
      request: plainRequest({ url, head: { ...head }, headers, rawHeaders, isSecure, socket }),
      hasRequestId: rawHeaders.includes(head.requestId),
    }
    chunk.copy(block.chunk)
    block.answer = find(block.request)
  }

  function forget(): void {
    context.bytes -= block?.chunk.length ?? 0
    block = undefined
  }

  connection.check = beginStall
  // Node stops its parser from reading the socket itself, because there is a listener.
  socket.on('data', take)
  socket.once('close', forget)
  return repeatable
}

const none: string[] = []
const method = Buffer.from('GET ')

/**
 * Undefined unless it is none, or Content-Length alone says it. Of the raw fields: Node would make an object of all of
 * them, which for a flood of fields takes longer than to read them.
 */
function lengthOfBody({ rawHeaders }: ApiRequest): number | undefined {
  let length = '0'
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return undefined
    if (name.length === 14 && name.toLowerCase() === 'content-length')
      length = rawHeaders[i + 1] as string
  }
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
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
