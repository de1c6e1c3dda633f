// Scheduled backups: one process of all nodes writes each one, under a lease, in a worker thread. The one row of
// `backup_schedule` has the last good backup, the last failure, and the lease:
//
//   due      neither the last good backup nor the last failure is recent enough. What a clock that was ahead has recorded
//            for the future does not count. The process that claims the lease writes the backup.
//   writing  the lease is held and renewed. If its process dies, the lease expires, and another process starts anew.
//   written  recorded with its file and size; the next one is due after BACKUP_EVERY.
//   failed   recorded with its message; due again after an hour at most. Not recorded when the process only stops.
import { once } from 'node:events'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import type { AllowanceTables } from '../allowances/allowance-migrations.ts'
import type { Clock } from '../clock.ts'
import { type Config, readProgramVersion } from '../config/config.ts'
import { type Database, getOne, type Session } from '../database/database.ts'
import { plainRow } from '../database/plain-row.ts'
import { queriesFor, statementsFor } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import { unlocked } from '../database/transactions.ts'
import { createFolder } from '../disk.ts'
import { type Lease, LeaseLostError, leasesOf, renewWhile } from '../jobs/lease.ts'
import { type PollLoop, startPollLoop } from '../jobs/poll-loop.ts'
import type { Logger } from '../log.ts'
import { asBackupError, BackupError } from './backup-format.ts'
import type { BackupJob, FromBackupWorker } from './backup-worker.ts'
import { deleteOldBackups, scheduledFileName } from './delete-old-backups.ts'
import type { BackupSummary } from './write-backup.ts'

const prepareQuery = queriesFor<AllowanceTables>()
const prepare = statementsFor<AllowanceTables>()

const take = prepareQuery()((db) =>
  db.updateTable('backup_schedule').set((eb) => ({ id: eb.ref('id') })),
)
const read = prepare.select('backup_schedule', 'all', {})
const touch = prepare.update('backup_schedule', { polled_at: 'now', interval_ms: 'interval' }, {})

interface FinishedBackup {
  /** When it began. */
  at: number
  node: string
  file: string
  bytes: number
  ms: number
}

const succeed = prepare.update(
  'backup_schedule',
  {
    last_at: 'at',
    last_node: 'node',
    last_file: 'file',
    last_bytes: 'bytes',
    last_ms: 'ms',
    failures: 0n,
  },
  {},
)
const fail = prepare.update(
  'backup_schedule',
  { failed_at: 'now', failure: 'failure', failures: { add: 1n } },
  {},
)

type ScheduleRow = Awaited<ReturnType<typeof readSchedule>>

async function readSchedule({ read: session }: Pick<Database, 'read'>) {
  return plainRow(await getOne(session, read, {}))
}

/**
 * `latest`: a good backup that began then or before is not recent enough. `retryBefore`: the same for a failure. After
 * `future`: what was recorded while the clock was wrong, which does not count.
 */
interface DueParams {
  latest: number
  retryBefore: number
  future: number
}

const backupLeases = leasesOf<AllowanceTables>()<DueParams>()({
  table: 'backup_schedule',
  key: ['id'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 60_000,
  async lock(session) {
    await session.all(take, {})
  },
  due: (db, param, isFree) => {
    const isOver = (column: 'last_at' | 'failed_at', latest: 'latest' | 'retryBefore') =>
      sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} <= ${param(latest)} or ${sql.ref(column)} > ${param('future')})`
    return db
      .selectFrom('backup_schedule')
      .select('id')
      .where(isOver('last_at', 'latest'))
      .where(isOver('failed_at', 'retryBefore'))
      .where(isFree('lease_until'))
      .orderBy('id')
      .limit(sql<number>`${param('max')}`)
  },
})

type BackupLease = Lease<{ id: bigint }>

/** Records that a process with this interval is running. */
const recordPoll = unlocked(async (session, interval: number, now: number) => {
  await session.all(touch, { now, interval })
})

/** Both throw LeaseLostError, and change nothing, when the lease is lost. */
const recordSuccess = unlocked(async (session, lease: BackupLease, finished: FinishedBackup) => {
  await whileHeld(session, lease)
  await session.all(succeed, finished)
  await backupLeases.release(session, { lease })
})
const recordFailure = unlocked(
  async (session, lease: BackupLease, failure: string, now: number) => {
    await whileHeld(session, lease)
    await session.all(fail, { now, failure })
    await backupLeases.release(session, { lease })
  },
)

async function whileHeld(session: Session, lease: BackupLease): Promise<void> {
  await session.all(take, {})
  await backupLeases.requireLease(session, lease)
}

const pollEveryMs = 60_000
const recordPollEveryMs = 5 * 60_000
/** Without a poll for this long, no node has a schedule any more. */
const scheduledWithinMs = 3 * recordPollEveryMs
const hourMs = 3_600_000
/** What was recorded for later than this was recorded while the clock was wrong. */
const clockToleranceMs = 60_000

export type BackupStatus = ReturnType<typeof statusOf>

interface BackupParts {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backups'>
  /** The database of what the program remembers of itself. */
  database: Database
  clock: Clock
  log: Logger
}

export function openBackups({ clock, config, database, log }: BackupParts) {
  const { backups, databaseUrl, dataDir } = config
  let loop: PollLoop | undefined

  async function poll(settings: NonNullable<typeof backups>, signal: AbortSignal): Promise<void> {
    const { everyMs, folder, keep } = settings
    const now = await readDatabaseClock(database)
    const row = await readSchedule(database)
    if (row.intervalMs !== everyMs || now - (row.polledAt ?? 0) >= recordPollEveryMs) {
      await recordPoll(database, everyMs, now)
    }
    const due = {
      latest: now - everyMs,
      retryBefore: now - retryAfterMs(everyMs),
      future: now + clockToleranceMs,
    }
    if (!(await backupLeases.isDue(database.read, { ...due, now }))) return
    const [lease] = await database.write(backupLeases.claimTransaction, { ...due, now, max: 1 })
    if (!lease) return
    if (isOld(row, everyMs, now)) {
      log.warn(
        { event: 'backup.old', lastBackupAt: timeOf(row.lastAt) },
        'the last good backup is old, or was made while the clock was ahead',
      )
    }
    const file = join(folder, scheduledFileName(now))
    try {
      const { bytes, ms } = await renewWhile(
        backupLeases,
        lease,
        { database, log, signal },
        (lease) => write(file, row.installation, keep, lease),
      )
      await recordSuccess(database, lease, { at: now, node: hostname(), file, bytes, ms })
      log.info({ event: 'backup.written', file, bytes, ms }, 'backup written')
    } catch (error) {
      await handleFailure(error, lease, file, signal)
    }
  }

  async function write(file: string, installation: string, keep: number, signal: AbortSignal) {
    const started = performance.now()
    const folder = join(file, '..')
    try {
      createFolder(folder)
      // Before the next one, so that drafts of a process that died take no space.
      deleteOldBackups(folder, installation, Number.POSITIVE_INFINITY)
    } catch (error) {
      throw asBackupError(error, folder, 'used')
    }
    const { bytes } = await runBackupWorker(
      {
        place: { dataDir, databaseUrl },
        file,
        program: readProgramVersion(),
        scheduledBy: installation,
      },
      signal,
    )
    const deleted = deleteOldBackups(folder, installation, keep, basename(file))
    if (deleted.length > 0)
      log.info({ event: 'backup.deleted', folder, deleted }, 'old backups deleted')
    return { bytes, ms: Math.round(performance.now() - started) }
  }

  async function handleFailure(
    error: unknown,
    lease: BackupLease,
    file: string,
    signal: AbortSignal,
  ): Promise<void> {
    // Stopping: another process, or the next start, makes it at once.
    if (signal.aborted) {
      await database.write(backupLeases.releaseTransaction, { lease })
      return
    }
    log.error({ event: 'backup.failed', file, err: error }, 'backup failed')
    if (error instanceof LeaseLostError) return
    // Other messages may have what is not for the dashboard.
    const message = error instanceof BackupError ? error.message : 'Internal error: see the log.'
    await recordFailure(database, lease, message, clock())
  }

  return {
    /** Undefined if no node has a schedule. */
    async status() {
      const row = await readSchedule(database)
      const now = clock()
      const everyMs = backups?.everyMs ?? intervalElsewhere(row, now)
      return everyMs === undefined ? undefined : statusOf(row, everyMs, now)
    },
    /** Starts the schedule, if this process has one. */
    begin() {
      if (!backups) return
      loop = startPollLoop({
        name: 'scheduled backups',
        log,
        intervalMs: pollEveryMs,
        poll: (signal) => poll(backups, signal),
      })
    },
    /** Makes a backup if one is due; resolves when it is finished. */
    async runNow() {
      await loop?.runNow()
    },
    async stop() {
      await loop?.stop()
    },
  }
}

const retryAfterMs = (everyMs: number): number => Math.min(everyMs, hourMs)

/** Of another node that has a schedule. */
function intervalElsewhere({ intervalMs, polledAt }: ScheduleRow, now: number): number | undefined {
  return polledAt !== undefined && now - polledAt < scheduledWithinMs ? intervalMs : undefined
}

function isOld({ failures, lastAt }: ScheduleRow, everyMs: number, now: number): boolean {
  if (lastAt === undefined) return failures > 0
  return now - lastAt > 2 * everyMs || lastAt > now + clockToleranceMs
}

function statusOf(row: ScheduleRow, everyMs: number, now: number) {
  const { failedAt, failure, failures, lastAt, lastBytes, lastFile, lastMs, lastNode } = row
  const afterLast = lastAt === undefined ? now : lastAt + everyMs
  const afterFailure = failures > 0 ? (failedAt ?? 0) + retryAfterMs(everyMs) : 0
  return {
    /** The last good one. */
    last:
      lastAt === undefined
        ? undefined
        : {
            at: lastAt,
            node: lastNode ?? '',
            file: lastFile ?? '',
            bytes: lastBytes ?? 0,
            ms: lastMs ?? 0,
          },
    nextAt: Math.max(afterLast, afterFailure),
    lastFailure:
      failedAt === undefined ? undefined : { at: failedAt, message: failure ?? 'Unknown.' },
    /** The last good one is older than two intervals or of the future, or there is none and the last attempt failed. */
    isOld: isOld(row, everyMs, now),
  }
}

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString()

const maxMegabytes = 256

/**
 * Writes a backup in a worker thread, with bounded memory. Throws a BackupError, or the signal's reason. An aborted one
 * leaves a draft, which the next pass deletes.
 */
async function runBackupWorker(job: BackupJob, signal: AbortSignal): Promise<BackupSummary> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
    workerData: job,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  })
  worker.unref()
  try {
    const exited = once(worker, 'exit', { signal }).then((): never => {
      throw new Error('the thread that writes the backup exited')
    })
    exited.catch(() => {})
    const answered: Promise<FromBackupWorker[]> = once(worker, 'message', { signal })
    const [message] = await Promise.race([answered, exited])
    if (message?.type === 'done') return message.summary
    const text = message?.message ?? 'no result'
    throw message?.isKnown ? new BackupError(text) : new Error(text)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    await worker.terminate()
  }
}
