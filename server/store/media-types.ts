// The forms in which a body may be sent.
import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import type { Example } from './openapi/operation.ts'

/**
 * By media type: a body that is left to its handler as bytes, and what the OpenAPI document says of it.
 * How long it may be is the route's bodyLimit.
 */
export type RawBody = Record<string, { schema: TSchema; examples: Record<string, Example> }>

/** A change may also be sent as what it is: a merge patch (RFC 7396). */
export function mediaTypesOf(method: string, rawBody?: RawBody): string[] {
  if (rawBody) return Object.keys(rawBody)
  return method === 'PATCH'
    ? ['application/merge-patch+json', 'application/json']
    : ['application/json']
}

/** The media type of the body, without its parameters; empty where there is none. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** True for a body whose type says that it is written in anything but UTF-8 (RFC 8259, section 8.1). */
export function isOtherCharset(headers: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return charset !== undefined && !/^(utf-8|us-ascii)$/i.test(charset)
}
