// Reads request bodies: checks what their headers say, and limits their bytes.
import { AppError } from '../errors.ts'
import { acceptHeaderOf } from '../http/request/method-table.ts'
import { type ApiRequest, mediaTypeOf, otherCharsetOf } from '../http/request/request-head.ts'
import { bodyMediaTypesOf, methodOf, type Operation } from './operation.ts'

const defaultMaxBytes = 64 * 1024
const uploadWithinMs = 15 * 60_000

/**
 * Throws the 415 or 413 that the headers alone deserve. Undefined where no body is to be read: the operation
 * takes none, or a JSON body is missing, which is left to its schema.
 */
export function checkBodyHeaders(
  operation: Operation,
  request: ApiRequest,
): { maxBytes: number } | undefined {
  const { body, maxBodyBytes = defaultMaxBytes, rawBody, upload } = operation
  if (!body && !rawBody && !upload) return undefined
  const { 'content-encoding': coding = 'identity', 'content-length': length = '0' } =
    request.headers
  if (coding !== '' && coding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_content_encoding', 'Send the body without Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  const type = mediaTypeOf(request.headers)
  const isEmpty = length === '0' && request.head.transferCoding === undefined
  if (body && type === '' && isEmpty) return undefined
  const types = bodyMediaTypesOf(operation)
  const charset = upload ? undefined : otherCharsetOf(request.headers)
  if (!types.includes(type) || charset !== undefined) {
    const message = types.includes(type)
      ? `Encode the body as UTF-8 and send charset=utf-8, or no charset; ${charset} is not supported.`
      : `Send the body as Content-Type: ${types.join(' or ')}.`
    const [name = '', value = ''] = acceptHeaderOf(methodOf(operation), types)
    throw new AppError('unsupported_media_type', message, { headers: { [name]: value } })
  }
  const maxBytes = upload?.maxBytes ?? rawBody?.maxBytes ?? maxBodyBytes
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  if (upload) request.bodyWithinMs = uploadWithinMs
  return { maxBytes }
}

/** Throws `body_too_large` as soon as there is more than `maxBytes`, `invalid_request` when the body breaks off. */
export async function readBody(request: ApiRequest, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0

  function take(): void {
    for (let chunk = request.read(); chunk !== null; chunk = request.read()) {
      read += chunk.length
      if (read > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  }

  if (request.destroyed) throw brokenOff()
  // A short body comes with its head.
  if (request.complete) take()
  else await untilEnd(request, take)
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/** Calls `take` whenever there is something to read. By events: for most bodies iterators take several times as long. */
function untilEnd(request: ApiRequest, take: () => void): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const fail = (cause?: Error): void => reject(brokenOff(cause))
  const tryTake = (): void => {
    try {
      take()
    } catch (error) {
      reject(error)
    }
  }
  request.on('readable', tryTake).on('end', resolve).on('error', fail).on('close', fail)
  return promise.finally(() => {
    request.off('readable', tryTake).off('end', resolve).off('error', fail).off('close', fail)
  })
}

/** The body in chunks, under the same limits. */
export async function* streamBody(request: ApiRequest, maxBytes: number): AsyncGenerator<Buffer> {
  let read = 0
  const body = request.iterator({ destroyOnReturn: false })
  try {
    for await (const chunk of body) {
      read += (chunk as Buffer).length
      if (read > maxBytes) throw tooLarge(maxBytes)
      yield chunk as Buffer
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw brokenOff(error)
  }
}

function brokenOff(cause?: unknown): AppError {
  return new AppError('invalid_request', 'The body broke off before its end.', { cause })
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('body_too_large', `The body must not exceed ${maxBytes} bytes.`)
}
