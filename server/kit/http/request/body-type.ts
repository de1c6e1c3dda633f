// Reads the media type and the charset of a request body from its headers.
import type { IncomingHttpHeaders } from 'node:http'
import { quote } from '../../json/json-path.ts'

/** The media type of the body, without its parameters; empty where there is none. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The encoding that the body's type names, if it is any but UTF-8 (RFC 8259, section 8.1), in JSON's quotation marks. */
export function otherCharsetOf(headers: IncomingHttpHeaders): string | undefined {
  const named = (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)
  const other = [...named].find(([, charset = '']) => !/^(utf-8|us-ascii)$/i.test(charset))
  return other && quote(other[1] ?? '')
}
