// A record of the store as the management API shows it: as the store's own API does, with its version.
import { entityTag } from '../../platform/http/response/ready-response.ts'
import { parseToWrite } from '../../platform/json/exact-integer.ts'
import type { Outcome } from '../idempotency/guarded-write.ts'
import type { Versioned } from './version.ts'

/** From the JSON of the store's API. */
export function versioned<Record>(body: string): Record & Versioned {
  return { ...(parseToWrite(body) as Record), version: entityTag(body) }
}

/** The record that a write has made. Throws what it was refused for. `headers` get its ETag. */
export function recordOf<Record>(outcome: Outcome, headers: string[]): Record & Versioned {
  const { body } = bodyOf(outcome)
  headers.push('ETag', `"${entityTag(body)}"`)
  return versioned<Record>(body)
}

/** The answer of a write. Throws what it was refused for. */
export function bodyOf(outcome: Outcome): { body: string } {
  if (outcome.kind === 'refused') throw outcome.error
  return outcome.answer
}
