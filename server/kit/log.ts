// Logs are JSON lines on standard error, or readable text on a terminal. Standard output is for users.
// Logs must not contain secrets: never pass headers, bodies or query strings.
import { pino } from 'pino'
import type { LogMethods } from './log-events.ts'

/** Each line has an event of the closed list in log-events.ts. */
export interface Logger extends LogMethods {
  isLevelEnabled(level: string): boolean
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

/** Creates the process's logger. Lines are written immediately, so that none are lost if the process is killed. */
export function createLog(level: LogLevel, terminal: boolean): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!terminal) {
    return pino(
      { ...options, formatters: { level: (label: string) => ({ level: label }) } },
      pino.destination({ dest: 2, sync: true }),
    )
  }
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
  })
}
