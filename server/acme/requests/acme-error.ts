// The two kinds of ACME errors: the authority refused (AcmeProblem), or there was no usable response
// (AcmeNoResponse). Both name the operation and can be serialized as JSON.

import type { RequestFailure } from '#kit/network/http-client.ts'

export type Operation =
  | 'directory'
  | 'new nonce'
  | 'new account'
  | 'update account'
  | 'new order'
  | 'get order'
  | 'get authorization'
  | 'deactivate authorization'
  | 'answer challenge'
  | 'finalize order'
  | 'download certificate'
  | 'revoke certificate'
  | 'renewal information'

/** Why one identifier of an order was refused (RFC 8555, section 6.7.1). */
export interface Subproblem {
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
  /** A page with more information. */
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
  override readonly name = 'AcmeNoAnswer'
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
