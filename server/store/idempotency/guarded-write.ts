// A write as a request asks for it: under the lock, once for each Idempotency-Key, with an answer that is
// recorded in the write's own transaction.
import { each, type Session, type Work } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { lockState } from '../database/state.ts'
import { findUse, type RecordedAnswer, recordUse, type Use } from './idempotency.ts'

export interface Guarded {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
}

export type Outcome =
  | { kind: 'done' | 'replay'; answer: RecordedAnswer }
  | { kind: 'refused'; error: AppError }

/** `change` writes and gives its answer, or writes nothing and gives why not. */
export function guarded<Input extends Guarded>(
  change: (session: Session, input: Input) => Promise<RecordedAnswer | AppError>,
): Work<Input, Outcome> {
  return each(async (session, input): Promise<Outcome> => {
    await lockState(session)
    const earlier = input.use && (await findEarlier(session, input.use))
    if (earlier) return earlier
    const answer = await change(session, input)
    if (answer instanceof AppError) return { kind: 'refused', error: answer }
    if (input.use) await recordUse(session, input.use, answer)
    return { kind: 'done', answer }
  })
}

/** The outcome of an earlier use of the same key, if there was one. To be called under the lock. */
export async function findEarlier(session: Session, use: Use): Promise<Outcome | undefined> {
  const found = await findUse(session, use)
  if (found.kind === 'new') return undefined
  if (found.kind === 'replay') return { kind: 'replay', answer: found.answer }
  const message = 'This Idempotency-Key was used for another request. Use a new one.'
  return { kind: 'refused', error: new AppError('idempotency_key_reused', message) }
}
