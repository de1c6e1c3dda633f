// The worker thread that writes a scheduled backup, so that requests do not wait for it. Started by open-backups.ts.
import { parentPort, workerData } from 'node:worker_threads'
import type { Place } from '../database/engines/open.ts'
import { BackupError } from './backup-format.ts'
import { type BackupSummary, createBackup } from './write-backup.ts'

export interface BackupJob {
  place: Pick<Place, 'dataDir' | 'databaseUrl'>
  file: string
  program: string
  scheduledBy: string
}

export type FromBackupWorker =
  | { type: 'done'; summary: BackupSummary }
  /** `isKnown`: the message is for operators. */
  | { type: 'failed'; message: string; isKnown: boolean }

async function run({ file, place, program, scheduledBy }: BackupJob): Promise<FromBackupWorker> {
  try {
    return { type: 'done', summary: await createBackup(place, file, { program, scheduledBy }) }
  } catch (error) {
    const { message } = error as Error
    return { type: 'failed', message, isKnown: error instanceof BackupError }
  }
}

parentPort?.postMessage(await run(workerData as BackupJob))
