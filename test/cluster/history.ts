// What clients asked for and what they learned, in order: the input of the checker.

/**
 * What a client knows of an operation.
 * - `acknowledged`: a response said that it was done. A read always is, or it has failed.
 * - `rejected`: a response said that the record's state does not allow it (404, 409).
 * - `refused`: 503 with Retry-After: nothing was changed, and nothing ever will be.
 * - `unknown`: 504, or no response at all.
 */
export type Outcome = 'acknowledged' | 'rejected' | 'refused' | 'unknown'

export interface Operation {
  client: number
  /** The record. Only its client writes to it, one operation after the other. */
  subject: string
  kind: string
  /** What was asked for, such as the new name. */
  input?: string
  /** Milliseconds since the start, of the first attempt and the last response. */
  invokedAt: number
  completedAt: number
  outcome: Outcome
  /** What the response showed. */
  seen?: unknown
}

/** A stay of an animal that several clients compete for: from the response to the order to the request that ends it. */
export interface Hold {
  client: number
  animal: number
  heldFrom: number
  heldUntil: number
}

/** A new record: ids ascend from each acknowledged create to those that begin later. */
export interface Creation {
  /** `pets` or `orders`. */
  sequence: string
  id: number
  invokedAt: number
  completedAt: number
}

export interface History {
  operations: Operation[]
  holds: Hold[]
  creations: Creation[]
  /** Responses that no fault explains. */
  unexpected: string[]
}

export const emptyHistory = (): History => ({
  operations: [],
  holds: [],
  creations: [],
  unexpected: [],
})
