// Logs are JSON lines on standard error (readable ones on a terminal); standard output is for people.
// Nothing secret may reach them: no header, no body, no query string is ever passed in.
import { type Logger, pino } from 'pino'

export type { Logger }
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Creates the process's logger. Lines are written at once, so that none is lost when the process is killed. */
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
