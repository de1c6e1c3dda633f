// Parses the responses of an authority, which are untrusted. Every field that is used is validated: an invalid one throws
// a MalformedResponse that names it, and unknown fields are ignored (RFC 8555, section 7).
// There are two kinds of errors, which name the operation and can be serialized as JSON: the authority refused
// (AcmeProblem), or there was no usable response (AcmeNoResponse). A malformed problem document is an error all the same,
// so its invalid fields are left out.
import type { RequestFailure } from '#kit/network/http-client.ts'

/** The message names the invalid field. */
export class MalformedResponse extends Error {}

export type Fields = Readonly<Record<string, unknown>>

const maxText = 4096
const maxEntries = 100

/** The body as a JSON object. */
export function readFields(body: Buffer): Fields {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new MalformedResponse('the response is not JSON')
  }
  return asFields(value, 'the response')
}

export function asFields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedResponse(`${name} is not an object`)
  return value as Fields
}

/** A non-empty string. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '' || value.length > maxText)
    throw new MalformedResponse(`${name} is not a string`)
  return value
}

/** Some authorities send null or an empty string for a missing field. */
const optional =
  <T>(read: (fields: Fields, name: string) => T) =>
  (fields: Fields, name: string): T | undefined =>
    [undefined, null, ''].includes(fields[name] as string) ? undefined : read(fields, name)

export const readOptionalUrl = optional(readUrl)
export const readOptionalTimestamp = optional(readTimestamp)

export function readEnum<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === fields[name])
  if (word === undefined) throw new MalformedResponse(`${name} is not one of ${words.join(', ')}`)
  return word
}

/** An https URL. */
export function asUrl(value: unknown, name: string): string {
  const url = typeof value === 'string' && value.length <= maxText ? URL.parse(value) : null
  if (url?.protocol !== 'https:') throw new MalformedResponse(`${name} is not an https URL`)
  return url.href
}

export function readUrl(fields: Fields, name: string): string {
  return asUrl(fields[name], name)
}

/** A list; a missing one is empty. */
export function readList(fields: Fields, name: string): unknown[] {
  const value = fields[name] ?? []
  if (!Array.isArray(value) || value.length > maxEntries)
    throw new MalformedResponse(`${name} is not a list of at most ${maxEntries}`)
  return value
}

/** A timestamp (RFC 3339) in milliseconds since the epoch. */
export function readTimestamp(fields: Fields, name: string): number {
  const text = readText(fields, name)
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new MalformedResponse(`${name} is not a date and time`)
  return ms
}

export type Operation =
  | 'directory'
  | 'new nonce'
  | 'new account'
  | 'get account'
  | 'new order'
  | 'get order'
  | 'get authorization'
  | 'deactivate authorization'
  | 'answer challenge'
  | 'finalize order'
  | 'download certificate'
  | 'renewal information'

/** Why one identifier of an order was refused (RFC 8555, section 6.7.1). */
interface Subproblem {
  type: string
  detail: string
  /** The host; undefined when it is not said. */
  identifier: string | undefined
}

/** An authority's problem document (RFC 9457), as plain data. */
export interface ProblemDocument {
  /** Without `urn:ietf:params:acme:error:`, such as `rateLimited`; `about:blank` when it is not said. */
  type: string
  /** At most 1,000 characters, none of them a control character. */
  detail: string
  status: number | undefined
  /** A page with more information, and that of the terms to agree to. */
  instance: string | undefined
  subproblems: Subproblem[]
}

/** The authority answered with a problem document. `retryAt` comes from Retry-After. */
export class AcmeProblem extends Error implements ProblemDocument {
  override readonly name = 'AcmeProblem'
  readonly operation: Operation
  readonly type: string
  readonly detail: string
  readonly status: number
  readonly instance: string | undefined
  readonly subproblems: Subproblem[]
  /** Milliseconds since the epoch. */
  readonly retryAt: number | undefined

  constructor(
    operation: Operation,
    problem: ProblemDocument & { status: number },
    retryAt: number | undefined,
  ) {
    super(`${operation}: ${problem.type}: ${problem.detail}`)
    this.operation = operation
    this.type = problem.type
    this.detail = problem.detail
    this.status = problem.status
    this.instance = problem.instance
    this.subproblems = problem.subproblems
    this.retryAt = retryAt
  }
}

/** There was no usable response. Whether the authority processed the request is unknown. */
export class AcmeNoResponse extends Error {
  override readonly name = 'AcmeNoResponse'
  readonly operation: Operation
  /** `malformed` is also a response that is not ACME. */
  readonly reason: RequestFailure
  /** A short description that is safe to show. */
  readonly detail: string

  constructor(operation: Operation, reason: RequestFailure, detail: string) {
    super(`${operation}: ${reason}: ${detail}`)
    this.operation = operation
    this.reason = reason
    this.detail = detail
  }
}

const prefix = 'urn:ietf:params:acme:error:'
const maxDetail = 1000
const maxSubproblems = 100

/** A problem in a field; undefined when it is missing. */
export function readProblem(value: unknown): ProblemDocument | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Fields
  const { instance, status, subproblems } = fields
  return {
    ...typeAndDetail(fields),
    status: Number.isInteger(status) ? (status as number) : undefined,
    instance: typeof instance === 'string' ? sanitizeText(instance) : undefined,
    subproblems: (Array.isArray(subproblems) ? subproblems : [])
      .slice(0, maxSubproblems)
      .map(readSubproblem),
  }
}

/** The problem of an error response, even if its body is not a problem document. */
export function parseProblemResponse(
  status: number,
  body: Buffer,
): ProblemDocument & { status: number } {
  let problem: ProblemDocument | undefined
  try {
    problem = readProblem(readFields(body))
  } catch {
    problem = undefined
  }
  const { detail = '', instance, subproblems = [], type = 'about:blank' } = problem ?? {}
  return { type, detail: detail || `HTTP status ${status}`, status, instance, subproblems }
}

function readSubproblem(value: unknown): Subproblem {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields
  const { identifier } = fields
  const host =
    typeof identifier === 'object' && identifier !== null ? (identifier as Fields).value : undefined
  return {
    ...typeAndDetail(fields),
    identifier: typeof host === 'string' ? sanitizeText(host).toLowerCase() : undefined,
  }
}

function typeAndDetail({ detail, type }: Fields): { type: string; detail: string } {
  const named = typeof type === 'string' && type !== '' ? sanitizeText(type) : 'about:blank'
  return {
    type: named.startsWith(prefix) ? named.slice(prefix.length) : named,
    detail: typeof detail === 'string' ? sanitizeText(detail) : '',
  }
}

/** Untrusted text, made safe to show and store. */
function sanitizeText(text: string): string {
  return text
    .slice(0, maxDetail)
    .replaceAll(/[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
}

const maxMs = 30 * 86_400_000

/**
 * When to retry, by Retry-After (RFC 9110, section 10.2.3: seconds, or a date), in milliseconds since the epoch: between
 * `now` and 30 days later. Undefined when the header is missing or invalid.
 */
export function readRetryAfter(field: string | undefined, now: number): number | undefined {
  const text = field?.trim() ?? ''
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : readDate(text)
  return time === undefined ? undefined : Math.min(Math.max(time, now), now + maxMs)
}

/** An HTTP date (RFC 9110, section 5.6.7), in any of its three forms. */
function readDate(text: string): number | undefined {
  const form = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\x20-\x7e]{8,40}$/
  if (!form.test(text)) return undefined
  // asctime has no zone; it is UTC.
  const ms = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}
