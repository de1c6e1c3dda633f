// A value that exists once the process has started. The port opens before that, and workers share it: requests that arrive
// early wait for a while instead of failing.
import type { Awaitable } from '../../database/database.ts'
import { AppError } from '../../errors.ts'
import { within } from '../../promises.ts'

const waitMs = 5_000

export type Deferred<T extends object> = ReturnType<typeof createDeferred<T>>

export function createDeferred<T extends object>() {
  let current: T | undefined
  const started = Promise.withResolvers<T>()
  const wait = (): Promise<T> =>
    within(waitMs, started.promise, () => {
      throw new AppError('unavailable', 'The service is starting. Try again in a moment.', {
        headers: { 'Retry-After': '1' },
      })
    })
  return {
    resolve(value: T) {
      current = value
      started.resolve(value)
    },
    known: () => current,
    /** Synchronous once it is resolved. Rejects with a 503 after 5 s. */
    value: (): Awaitable<T> => current ?? wait(),
  }
}
