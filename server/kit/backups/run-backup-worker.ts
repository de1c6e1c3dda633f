// Writes a backup in a worker thread, with bounded memory.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { BackupError } from './backup-error.ts'
import type { BackupJob, FromBackupWorker } from './backup-worker.ts'
import type { BackupSummary } from './write-backup.ts'

const maxMegabytes = 256

/** Throws a BackupError, or the signal's reason. An aborted one leaves a draft, which the next pass deletes. */
export async function runBackupWorker(job: BackupJob, signal: AbortSignal): Promise<BackupSummary> {
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
    const [answer] = await Promise.race([answered, exited])
    if (answer?.type === 'done') return answer.summary
    const message = answer?.message ?? 'no result'
    throw answer?.isKnown ? new BackupError(message) : new Error(message)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    await worker.terminate()
  }
}
