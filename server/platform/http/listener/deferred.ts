// What a process has once it has started. The port is open before that, and where several processes share it,
// some of what comes is given to the one that is just starting: that waits for a while instead of failing.
import { setTimeout as delay } from 'node:timers/promises'
import type { Awaitable } from '../../database/database.ts'
import { AppError } from '../../errors.ts'

const waitMs = 5_000

export interface Deferred<T> {
  begin(value: T): void
  /** At once when it has begun. Rejects with a 503 after 5 s. */
  value(): Awaitable<T>
}

export function createDeferred<T extends object>(): Deferred<T> {
  let begun: T | undefined
  const beginning = Promise.withResolvers<T>()
  async function wait(): Promise<T> {
    const late = new AbortController()
    const options = { ref: false, signal: late.signal }
    const tooLate = delay(waitMs, undefined, options).catch(() => undefined)
    const value = await Promise.race([beginning.promise, tooLate])
    late.abort()
    if (value) return value
    throw new AppError('unavailable', 'The service is starting. Try again in a moment.', {
      headers: { 'Retry-After': '1' },
    })
  }
  return {
    begin(value) {
      begun = value
      beginning.resolve(value)
    },
    value: () => begun ?? wait(),
  }
}
