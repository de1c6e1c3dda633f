// Checks the target of a request: its length, its form, its host (RFC 9112, section 3.2).
import { AppError } from '../../errors.ts'
import { hostName, maxHostLength } from '../request/host-name.ts'
import { type ApiRequest, hasTooManyFields, maxFields } from '../request/request-head.ts'

/** As for what the parser refuses. */
const closing = { headers: { Connection: 'close' } }

const originForm = /^\/[!"$-~]*$/

/** Origin form without a fragment (RFC 9112, section 3.2.1). */
export const isOriginForm = (target: string): boolean => originForm.test(target)

/** Checks the target, and corrects the request's url and the head's host to it. Throws an AppError. */
export function readTarget(request: ApiRequest, maxUrlBytes: number): void {
  const { head } = request
  let url = request.url as string
  if (url.length > maxUrlBytes) {
    throw new AppError(
      'uri_too_long',
      `The address is longer than ${maxUrlBytes} bytes. Shorten the query.`,
    )
  }
  if (hasTooManyFields(request.rawHeaders)) {
    const message = `The request has more than ${maxFields} header fields. Send fewer.`
    throw new AppError('headers_too_large', message, closing)
  }
  const isAbsolute = !url.startsWith('/') && !(url === '*' && request.method === 'OPTIONS')
  if (isAbsolute) {
    // Absolute form (RFC 9112, section 3.2.2): its authority wins over the Host field.
    const target = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url)
    if (!target) throw new AppError('invalid_request', 'The request target is not a path.')
    head.host = hostName(target[1] as string)
    url = target[2]?.startsWith('/') ? target[2] : `/${target[2]}`
    request.url = url
  }
  if (head.hosts > 1 || (head.hosts === 0 && request.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'Send exactly one Host field (RFC 9112, section 3.2).')
  }
  if (head.host === undefined && (isAbsolute || head.hosts === 1)) {
    const message = `The host is neither a name of at most ${maxHostLength} characters nor an IP address.`
    throw new AppError('invalid_request', message, closing)
  }
  if (head.transferCoding !== undefined && !/^chunked$/i.test(head.transferCoding)) {
    throw new AppError('invalid_request', 'Transfer-Encoding may be chunked, and nothing else.')
  }
}
