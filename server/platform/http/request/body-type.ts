// What a request says of its body's form.
import type { IncomingHttpHeaders } from 'node:http'

/** The media type of the body, without its parameters; empty where there is none. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** True for a body whose type says that it is written in anything but UTF-8 (RFC 8259, section 8.1). */
export function isOtherCharset(headers: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return charset !== undefined && !/^(utf-8|us-ascii)$/i.test(charset)
}
