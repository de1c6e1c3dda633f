// The closed list of log events: the names that monitoring can rely on. A name is never given another meaning. A line
// has no other fields than those listed here. A test compares the list with docs/log-events.md.

type Level = 'debug' | 'info' | 'warn' | 'error'

const event = <const L extends Level, const F extends string>(
  levels: readonly L[],
  meaning: string,
  fields: readonly F[] = [],
) => ({ levels, meaning, fields })

/** `err` has type, message and stack of an error. */
export const logEvents = {
  'request.finished': event(
    ['debug', 'info', 'error'],
    'A request was answered; error: with a 5xx status, debug: a successful read, an anonymous request that was refused.',
    [
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
  ),
  'request.failed': event(
    ['debug', 'error'],
    'A request was answered with an internal error or a 503; debug: the client caused it.',
    ['requestId', 'code', 'err'],
  ),
  'request.refused': event(
    ['warn'],
    'Requests got a 503 because too many came at once. Logged once a minute.',
    ['requests'],
  ),
  'request.not_answered': event(['error'], 'An error could not be sent to the client.', [
    'requestId',
    'err',
  ]),
  'request.not_recorded': event(['error'], 'Counters or last uses miss a finished request.', [
    'err',
  ]),
  'rate_limit.not_refunded': event(['error'], 'A 304 was counted by a rate limit.', ['err']),
  'http2.stream_failed': event(['error'], 'A stream ended with an internal error.', ['err']),
  'tls.handshake_failed': event(['error'], 'A handshake ended with an internal error.', ['err']),
  'proxy.client_unnamed': event(['warn'], 'A proxy does not name its clients, or is not trusted.', [
    'proxy',
  ]),
  'server.stopping': event(['info'], 'The server was told to stop.', ['signal']),
  'worker.died': event(['error'], 'A worker process ended; a replacement is started.', [
    'status',
    'signal',
  ]),
  'worker.not_started': event(['error'], 'A replacement could not be started; it is retried.', [
    'err',
  ]),
  'encryption_key.missing': event(
    ['error'],
    'Stored secrets were encrypted with a key that is not here; what can be issued again is.',
    ['keyId', 'secrets'],
  ),
  'configuration.unsafe': event(['warn'], 'A setting is allowed, but unsafe.'),
  'open_files.few': event(['warn'], 'The process may open fewer files than it should.', [
    'openFiles',
  ]),
  'data_folder.open': event(['warn'], 'Other users of the machine can open the data folder.', [
    'dataDir',
    'mode',
  ]),
  'credentials.not_written': event(['warn'], 'The first API keys could not be written to a file.', [
    'dataDir',
    'err',
  ]),
  'database.connection_lost': event(['warn'], 'A connection to PostgreSQL was lost.', ['err']),
  'database.migration_waiting': event(['warn'], 'A migration waits for a lock of another session.'),
  'clock.right': event(['info'], 'The clock agrees with that of the database again.', [
    'aheadSeconds',
    'maxSeconds',
  ]),
  'clock.off': event(['warn'], 'The clock differs from that of the database by 2 s or more.', [
    'aheadSeconds',
    'maxSeconds',
  ]),
  'clock.unusable': event(['error'], 'The clock is off by 30 s or more: not ready.', [
    'aheadSeconds',
    'maxSeconds',
  ]),
  'loop.failed': event(['warn'], 'Background work failed; it is retried. Logged once in a row.', [
    'loop',
    'err',
  ]),
  'job.failed': event(['error'], 'A background job failed; it is due again later.', [
    'job',
    'domainId',
    'channel',
    'projectId',
    'number',
    'err',
  ]),
  'disk.full': event(['error'], 'The process starts on a full disk, and serves only reads.', [
    'dataDir',
    'freeBytes',
  ]),
  'disk.low': event(['warn'], 'Too little free disk space: deploys are refused.', [
    'freeBytes',
    'minFreeBytes',
  ]),
  'disk.recovered': event(['info'], 'There is enough free disk space again.', ['freeBytes']),
  'backup.written': event(['info'], 'A scheduled backup was written and checked.', [
    'file',
    'bytes',
    'ms',
  ]),
  'backup.deleted': event(['info'], 'Old scheduled backups were deleted.', ['folder', 'deleted']),
  'backup.failed': event(['error'], 'A scheduled backup failed; it is retried.', ['file', 'err']),
  'backup.old': event(['warn'], 'The last good backup is too old, or of the future.', [
    'lastBackupAt',
  ]),
  'certificate.issued': event(['info'], 'A host has its first certificate.', [
    'host',
    'authority',
    'until',
  ]),
  'certificate.renewed': event(['info'], 'A host has a new certificate.', [
    'host',
    'authority',
    'until',
  ]),
  'certificate.not_issued': event(['warn'], 'The authority did not issue; it is retried.', [
    'host',
    'authority',
    'type',
    'detail',
  ]),
  'certificate.failed': event(['error'], 'Processing a certificate failed; it is retried.', [
    'host',
    'err',
  ]),
  'certificate.early_renewal': event(['info'], 'The authority suggests an early renewal.', [
    'host',
    'explanation',
  ]),
  'authorization.deactivated': event(
    ['info'],
    'An authorization of a removed domain was deactivated at the authority.',
    ['host', 'directory'],
  ),
  'authorization.not_deactivated': event(
    ['warn'],
    'The authority did not deactivate an authorization; it is retried.',
    ['host', 'directory', 'err'],
  ),
  'certificate.profile_missing': event(['warn'], 'The authority does not offer ACME_PROFILE.', [
    'profile',
    'directory',
  ]),
  'internal_root.renewed': event(['warn'], 'Replace the internal root in the trust stores.', [
    'permittedHosts',
  ]),
  'operator_certificate.loaded': event(['info'], 'PLATFORM_CERTIFICATE_FILE is in use.', [
    'hosts',
    'until',
  ]),
  'operator_certificate.invalid': event(['warn'], 'It cannot be used; an earlier one stays.'),
  'operator_certificate.expiring': event(['warn'], 'It expires soon: renew it.', [
    'hosts',
    'until',
  ]),
  'platform_host.taken': event(['warn'], 'A project has proven a host of the platform.', ['host']),
  'deploy.live': event(['info'], 'A deploy is live.', ['projectId', 'number']),
  'deploy.preview': event(['info'], 'A preview shows a deploy.', ['projectId', 'number']),
  'deploy.aborted': event(['info'], 'A build was aborted; another process builds it.', [
    'projectId',
    'number',
  ]),
  'deploy.failed': event(['error'], 'Building a deploy failed by an internal error.', [
    'projectId',
    'number',
    'err',
  ]),
  'object_storage.unavailable': event(
    ['error'],
    'Moved files cannot be read: visitors get a 503 for them. Logged once a minute.',
    ['files', 'err'],
  ),
  'object_storage.available': event(['info'], 'Moved files can be read again.'),
  'object_storage.object_lost': event(['error'], 'An object is missing or has other bytes.', [
    'object',
    'err',
  ]),
  'object_storage.not_owner': event(
    ['error'],
    'The bucket belongs to another installation: nothing is written or deleted there.',
    ['owner'],
  ),
  'object_storage.empty': event(['info'], 'All files are in the database again.'),
  'first_project.failed': event(['warn'], 'The own documentation could not be deployed.', ['err']),
  'webhook.failed': event(['info'], 'An attempt to deliver an event failed; it may be retried.', [
    'webhook',
    'message',
    'error',
  ]),
  'webhook.attempt_not_recorded': event(['warn'], 'An attempt was not recorded: it is repeated.', [
    'webhook',
    'err',
  ]),
  'webhook.not_signed': event(['error'], 'The signing secret cannot be decrypted.', [
    'webhook',
    'err',
  ]),
  'notice.delayed': event(['info'], 'A mail or webhook to an owner failed; it is retried.', [
    'channel',
    'recipient',
    'tries',
    'error',
  ]),
  'notice.failed': event(['warn'], 'A mail or webhook to an owner failed permanently.', [
    'channel',
    'recipient',
    'tries',
    'error',
  ]),
}

export type LogEvent = keyof typeof logEvents
type LevelOf<E extends LogEvent> = (typeof logEvents)[E]['levels'][number]
type FieldOf<E extends LogEvent> = (typeof logEvents)[E]['fields'][number]
type EventAt<L extends Level> = { [E in LogEvent]: L extends LevelOf<E> ? E : never }[LogEvent]

/** What a line at a level has: an event that is listed for the level, and fields of this event. */
type LogLine<L extends Level> = {
  [E in EventAt<L>]: { event: E } & Partial<Record<FieldOf<E>, unknown>>
}[EventAt<L>]

export type LogMethods = { [L in Level]: (line: LogLine<L>, message: string) => void }
