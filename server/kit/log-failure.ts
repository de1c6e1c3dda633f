// Logs failed requests so that clients cannot fill the log: what a client has caused is logged at the debug level, and the
// number of requests that were refused because of too many at once, once a minute.
import type { AppError } from './errors.ts'
import type { Logger } from './log.ts'

const logRefusedEveryMs = 60_000

export type FailureLog = Pick<Logger, 'debug' | 'warn' | 'error'>

export function createFailureLog(log: FailureLog) {
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  return (requestId: string, error: AppError): void => {
    const { cause: err = error, code, message, status } = error
    // Nothing failed: it was refused before it began.
    if (code === 'unavailable' && error.cause === undefined) {
      refused += 1
      if (performance.now() - loggedAt < logRefusedEveryMs) return
      log.warn({ event: 'request.refused', requests: refused }, message)
      refused = 0
      loggedAt = performance.now()
    } else {
      log[status >= 500 ? 'error' : 'debug'](
        { event: 'request.failed', requestId, code, err },
        code,
      )
    }
  }
}
