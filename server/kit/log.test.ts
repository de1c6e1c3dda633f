import { expect, test } from 'vitest'
import { AppError, unavailable } from './errors.ts'
import { createFailureLog } from './log.ts'

test('clients cannot fill the log: refusals are counted, and what they caused is debug', () => {
  const lines: unknown[] = []
  const at = (level: string) => (line: object) => void lines.push({ level, ...line })
  const logFailure = createFailureLog({ debug: at('debug'), warn: at('warn'), error: at('error') })
  const busy = new AppError('unavailable', 'Too many people are signing in.')
  for (let n = 0; n < 1000; n++) logFailure(`id-${n}`, busy)
  const cause = new Error('aborted')
  logFailure('id-a', new AppError('invalid_request', 'The body broke off.', { cause }))
  logFailure('id-b', unavailable(cause))
  expect(lines).toEqual([
    { level: 'warn', event: 'request.refused', requests: 1 },
    {
      level: 'debug',
      event: 'request.failed',
      requestId: 'id-a',
      code: 'invalid_request',
      err: cause,
    },
    { level: 'error', event: 'request.failed', requestId: 'id-b', code: 'unavailable', err: cause },
  ])
})
