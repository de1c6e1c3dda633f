// A value that a process has once it has started. The port is open before that, and workers share it: requests that
// arrive early wait for a while instead of failing.
import { setTimeout as delay } from 'node:timers/promises'
import type { Awaitable } from '../../database/database.ts'
import { AppError } from '../../errors.ts'

const waitMs = 5_000

export type Deferred<T extends object> = ReturnType<typeof createDeferred<T>>

export function createDeferred<T extends object>() {
  let current: T | undefined
  const started = Promise.withResolvers<T>()
  async function wait(): Promise<T> {
    const late = new AbortController()
    const options = { ref: false, signal: late.signal }
    const tooLate = delay(waitMs, undefined, options).catch(() => undefined)
    const value = await Promise.race([started.promise, tooLate])
    late.abort()
    if (value) return value
    throw new AppError('unavailable', 'The service is starting. Try again in a moment.', {
      headers: { 'Retry-After': '1' },
    })
  }
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
