// An operation of the management API: who may call it, and what an access token needs for it.
import type { Static, TSchema } from 'typebox'
import type { EventFeed } from '../api/event-stream.ts'
import type { AnswerOf, Operation as ApiOperation } from '../api/operation.ts'
import type { Caller } from './caller.ts'
import type { ManagementTag } from './tags.ts'
import type { TokenScope } from './token-scopes.ts'

export interface Operation extends ApiOperation {
  tag: ManagementTag
  /** Anybody, any account that is signed in, or an operator. */
  access: 'open' | 'account' | 'operator'
  /** What an access token needs. Without it only a session can call the operation. */
  scope?: TokenScope
}

/** What a handler gives. */
export type OutcomeOf<O extends Operation> = O extends { events: TSchema }
  ? EventFeed<Static<O['events']>, Caller>
  : AnswerOf<O>

/** Declares an operation, keeping its exact type. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}
