// What a route says of its operation beyond what validates it. The OpenAPI document is made from the
// routes that are really there: schemas from the validation, the rest from these.
import type { ErrorCode } from '../../platform/errors.ts'
import type { AnswerHeader } from './answer-headers.ts'
import type { RequestHeader } from './request-headers.ts'

export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  deprecated?: true
  /** The day from which on it is gone, as YYYY-MM-DD. */
  'x-deprecated-sunset'?: string
  /** None for what is stable. */
  'x-stability'?: 'beta' | 'experimental'
  requestHeaders: RequestHeader[]
  /** By name. */
  bodyExamples?: Record<string, Example>
  success: Success
  /** What can go wrong here beyond what can go wrong everywhere. */
  errors: ErrorCode[]
  /** By status: in which case it is given, in the words of the specification. */
  conditions: Partial<Record<number, string>>
  /** Fields that all answers carry whose request reached the operation. */
  headers?: AnswerHeader[]
}

export interface Success {
  status: 200 | 201 | 204
  description: string
  /** Name of the schema of its body; none for a 204. */
  schema?: string
  headers: AnswerHeader[]
  examples: Record<string, Example>
  /** False for a 200 that is never a 304, as a write's is. */
  conditional?: false
}

export interface Example {
  summary: string
  value: unknown
}
