// What the page cache keeps and the hot path sends.
import type { ReadyAnswer } from '../../platform/http/response/ready-response.ts'
import type { Scope } from '../keys/scopes.ts'

/** An answer to a GET that may be given again while the animals have not changed. */
export interface ReadyPage {
  answer: ReadyAnswer
  operation: string
  scope: Scope
  deprecated: boolean
  /** Milliseconds since the epoch at which it ends, whatever the animals do. */
  until: number
}
