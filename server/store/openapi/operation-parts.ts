// What several operations say in the same words.
import type { ErrorCode } from '../../platform/errors.ts'
import type { AnswerHeader } from './answer-headers.ts'

export const pageHeaders = [
  'Page-Link',
  'X-Total-Count',
  'Preference-Applied',
  'ETag',
  'Vary',
  'Content-Encoding',
] as const satisfies AnswerHeader[]

/** What can go wrong with any write that has a body. */
export const bodyErrors = [
  'malformed_json',
  'invalid_body',
  'invalid_idempotency_key',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'idempotency_key_reused',
] as const satisfies ErrorCode[]

export const bodyConditions = {
  400: 'Body missing required fields or containing invalid values',
  413: 'The body is over 64 KiB',
  415: 'The body is not plain JSON',
  422: 'The Idempotency-Key belongs to another request',
}
