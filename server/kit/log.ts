// Logs are JSON lines on standard error, or readable text on a terminal. Standard output is for users.
// Logs must not contain secrets: never pass headers, bodies or query strings.
//
// Each line has an event of a closed list: names that monitoring can rely on, which never change their meaning, and no other
// fields than those listed with it. docs/log-events.md explains them: a test compares the lists. Requests that failed are
// logged so that clients cannot fill the log.
import { pino } from 'pino'
import type { AppError } from './errors.ts'

/** Each line has an event of the closed list below. */
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

type Level = 'debug' | 'info' | 'warn' | 'error'

/** `err` has type, message and stack of an error. */
export const logEvents = {
  'request.finished': {
    levels: ['debug', 'info', 'error'],
    fields: [
      'requestId',
      'environment',
      'operation',
      'method',
      'status',
      'milliseconds',
      'keyId',
      'site',
      'path',
    ],
  },
  'request.failed': { levels: ['debug', 'error'], fields: ['requestId', 'code', 'err'] },
  'request.refused': { levels: ['warn'], fields: ['requests'] },
  'request.not_answered': { levels: ['error'], fields: ['requestId', 'err'] },
  'request.not_recorded': { levels: ['error'], fields: ['err'] },
  'rate_limit.not_refunded': { levels: ['error'], fields: ['err'] },
  'http2.stream_failed': { levels: ['error'], fields: ['err'] },
  'tls.handshake_failed': { levels: ['error'], fields: ['err'] },
  'proxy.client_unnamed': { levels: ['warn'], fields: ['proxy'] },
  'server.stopping': { levels: ['info'], fields: ['signal'] },
  'worker.died': { levels: ['error'], fields: ['status', 'signal'] },
  'worker.not_started': { levels: ['error'], fields: ['err'] },
  'encryption_key.missing': { levels: ['error'], fields: ['keyId', 'secrets'] },
  'configuration.unsafe': { levels: ['warn'], fields: [] },
  'configuration.misspelt': { levels: ['warn'], fields: [] },
  'open_files.few': { levels: ['warn'], fields: ['openFiles'] },
  'data_folder.open': { levels: ['warn'], fields: ['dataDir', 'mode'] },
  'credentials.not_written': { levels: ['warn'], fields: ['dataDir', 'err'] },
  'database.connection_lost': { levels: ['warn'], fields: ['err'] },
  'database.migration_waiting': { levels: ['warn'], fields: [] },
  'clock.right': { levels: ['info'], fields: ['aheadSeconds', 'maxSeconds'] },
  'clock.off': { levels: ['warn'], fields: ['aheadSeconds', 'maxSeconds'] },
  'clock.unusable': { levels: ['error'], fields: ['aheadSeconds', 'maxSeconds'] },
  'loop.failed': { levels: ['warn'], fields: ['loop', 'err'] },
  'job.failed': {
    levels: ['error'],
    fields: ['job', 'domainId', 'channel', 'projectId', 'number', 'err'],
  },
  'disk.full': { levels: ['error'], fields: ['dataDir', 'freeBytes'] },
  'disk.low': { levels: ['warn'], fields: ['freeBytes', 'minFreeBytes'] },
  'disk.recovered': { levels: ['info'], fields: ['freeBytes'] },
  'backup.written': { levels: ['info'], fields: ['file', 'bytes', 'ms'] },
  'backup.deleted': { levels: ['info'], fields: ['folder', 'deleted'] },
  'backup.failed': { levels: ['error'], fields: ['file', 'err'] },
  'backup.old': { levels: ['warn'], fields: ['lastBackupAt'] },
  'certificate.issued': { levels: ['info'], fields: ['host', 'authority', 'until'] },
  'certificate.renewed': { levels: ['info'], fields: ['host', 'authority', 'until'] },
  'certificate.not_issued': { levels: ['warn'], fields: ['host', 'authority', 'type', 'detail'] },
  'certificate.failed': { levels: ['error'], fields: ['host', 'err'] },
  'certificate.early_renewal': { levels: ['info'], fields: ['host', 'explanation'] },
  'authorization.deactivated': { levels: ['info'], fields: ['host', 'directory'] },
  'authorization.not_deactivated': { levels: ['warn'], fields: ['host', 'directory', 'err'] },
  'certificate.profile_missing': { levels: ['warn'], fields: ['profile', 'directory'] },
  'internal_root.renewed': { levels: ['warn'], fields: ['permittedHosts'] },
  'operator_certificate.loaded': { levels: ['info'], fields: ['hosts', 'until'] },
  'operator_certificate.invalid': { levels: ['warn'], fields: [] },
  'operator_certificate.expiring': { levels: ['warn'], fields: ['hosts', 'until'] },
  'platform_host.taken': { levels: ['warn'], fields: ['host'] },
  'deploy.live': { levels: ['info'], fields: ['projectId', 'number'] },
  'deploy.preview': { levels: ['info'], fields: ['projectId', 'number'] },
  'deploy.aborted': { levels: ['info'], fields: ['projectId', 'number'] },
  'deploy.failed': { levels: ['error'], fields: ['projectId', 'number', 'err'] },
  'object_storage.unavailable': { levels: ['error'], fields: ['files', 'err'] },
  'object_storage.available': { levels: ['info'], fields: [] },
  'object_storage.object_lost': { levels: ['error'], fields: ['object', 'err'] },
  'object_storage.not_owner': { levels: ['error'], fields: ['owner'] },
  'object_storage.empty': { levels: ['info'], fields: [] },
  'first_project.failed': { levels: ['warn'], fields: ['err'] },
  'webhook.failed': { levels: ['info'], fields: ['webhook', 'message', 'error'] },
  'webhook.attempt_not_recorded': { levels: ['warn'], fields: ['webhook', 'err'] },
  'webhook.not_signed': { levels: ['error'], fields: ['webhook', 'err'] },
  'notice.delayed': { levels: ['info'], fields: ['channel', 'recipient', 'tries', 'error'] },
  'notice.failed': { levels: ['warn'], fields: ['channel', 'recipient', 'tries', 'error'] },
} as const satisfies Record<string, { levels: readonly Level[]; fields: readonly string[] }>
export type LogEvent = keyof typeof logEvents
type LevelOf<E extends LogEvent> = (typeof logEvents)[E]['levels'][number]
type FieldOf<E extends LogEvent> = (typeof logEvents)[E]['fields'][number]
type EventAt<L extends Level> = { [E in LogEvent]: L extends LevelOf<E> ? E : never }[LogEvent]

/** What a line at a level has: an event that is listed for the level, and fields of this event. */
type LogLine<L extends Level> = {
  [E in EventAt<L>]: { event: E } & Partial<Record<FieldOf<E>, unknown>>
}[EventAt<L>]

export type LogMethods = { [L in Level]: (line: LogLine<L>, message: string) => void }

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
