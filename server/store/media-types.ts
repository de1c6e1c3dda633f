// The forms in which a body may be sent.
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
