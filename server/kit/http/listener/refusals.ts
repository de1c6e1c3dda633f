// The errors of requests that reach no handler.
import { AppError } from '../../errors.ts'

/** The error for a host without a handler. */
export function nothingServed(host: string): AppError {
  return new AppError('route_not_found', `Nothing is served at the host ${JSON.stringify(host)}.`)
}

export function tooManyConnections(): AppError {
  const message = 'Too many connections are open. Close some, and try again in a moment.'
  return new AppError('unavailable', message, {
    headers: { Connection: 'close', 'Retry-After': '5' },
  })
}

export function misdirected(host: string): AppError {
  return new AppError(
    'misdirected_request',
    `This connection is not for the host ${JSON.stringify(host)}. Open another one.`,
    { headers: { Connection: 'close' } },
  )
}
