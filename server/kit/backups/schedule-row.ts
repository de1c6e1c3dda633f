// The row of scheduled backups: when one is due, who makes it, how the last ones ended.

import { sql } from 'kysely'
import { type Database, getOne, type Session } from '../database/database.ts'
import { plainRow } from '../database/plain-row.ts'
import { queriesFor } from '../database/query.ts'
import { unlocked } from '../database/transactions.ts'
import { type Lease, leasesOf } from '../jobs/lease.ts'

interface BackupTables {
  backup_schedule: {
    id: bigint
    installation: string
    interval_ms: bigint | null
    polled_at: bigint | null
    last_at: bigint | null
    last_node: string | null
    last_file: string | null
    last_bytes: bigint | null
    last_ms: bigint | null
    failed_at: bigint | null
    failure: string | null
    failures: bigint
    lease: string | null
    lease_until: bigint | null
  }
}

const prepareQuery = queriesFor<BackupTables>()

const take = prepareQuery()((db) =>
  db.updateTable('backup_schedule').set((eb) => ({ id: eb.ref('id') })),
)
const read = prepareQuery()((db) => db.selectFrom('backup_schedule').selectAll())
const touch = prepareQuery<{ now: number; interval: number }>()((db, param) =>
  db
    .updateTable('backup_schedule')
    .set({ polled_at: param('now'), interval_ms: param('interval') }),
)

interface FinishedBackup {
  /** When it began. */
  at: number
  node: string
  file: string
  bytes: number
  ms: number
}

const succeed = prepareQuery<FinishedBackup>()((db, param) =>
  db.updateTable('backup_schedule').set({
    last_at: param('at'),
    last_node: param('node'),
    last_file: param('file'),
    last_bytes: param('bytes'),
    last_ms: param('ms'),
    failures: 0n,
  }),
)
const fail = prepareQuery<{ now: number; failure: string }>()((db, param) =>
  db.updateTable('backup_schedule').set((eb) => ({
    failed_at: param('now'),
    failure: param('failure'),
    failures: eb('failures', '+', 1n),
  })),
)

export type ScheduleRow = Awaited<ReturnType<typeof readSchedule>>

export async function readSchedule({ read: session }: Pick<Database, 'read'>) {
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

export const backupLeases = leasesOf<BackupTables>()<DueParams>()({
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

export type BackupLease = Lease<{ id: bigint }>

/** Records that a process with this interval is running. */
export const recordPoll = unlocked(async (session, interval: number, now: number) => {
  await session.all(touch, { now, interval })
})

/** Both throw LeaseLostError, and change nothing, when the lease is lost. */
export const recordSuccess = unlocked(
  async (session, lease: BackupLease, finished: FinishedBackup) => {
    await whileHeld(session, lease)
    await session.all(succeed, finished)
    await backupLeases.release(session, { lease })
  },
)
export const recordFailure = unlocked(
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
