// Moving files to the object storage and back, in one process. Reading them there is publishing's own (objects/).
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { type Metrics, sharedGauge } from '#kit/metrics.ts'
import type { Bucket } from '#publishing/objects/bucket.ts'
import { countFiles } from '#publishing/objects/object-rows.ts'
import { startMovingFiles } from './move-files.ts'

export interface ObjectStorage {
  begin(): Promise<void>
  /** Moves files and deletes objects that are due; resolves when nothing is left, or it failed. */
  runNow(): Promise<void>
  stop(): Promise<void>
}

interface ObjectStorageContext {
  /** Undefined without settings. */
  bucket: Bucket | undefined
  database: Database
  clock: Clock
  metrics: Metrics
  log: Logger
}

/** Without settings, it only reports files that are still in an object storage. */
export function openObjectStorage(
  { objectStorage: settings }: Pick<Config, 'objectStorage'>,
  { bucket, clock, database, log, metrics }: ObjectStorageContext,
): ObjectStorage {
  const { read } = database
  if (settings && settings.move !== 'off') {
    const waiting = settings.move === 'out' ? 'toMove' : 'moved'
    sharedGauge(
      metrics.registry,
      'animal_store_object_files_waiting',
      'Files that wait to be moved to or from the object storage, counted up to 100,000.',
      () => countFiles(read, waiting),
    )
  }
  let job: PollLoop | undefined

  return {
    async begin() {
      if (bucket && settings) {
        const { move, takeOver } = settings
        if (move !== 'off') job = startMovingFiles({ bucket, move, takeOver, database, clock, log })
        return
      }
      const files = await countFiles(read, 'moved')
      if (files > 0) {
        const text = 'files are in an object storage, but OBJECT_STORAGE_URL is not set'
        log.error({ event: 'object_storage.unavailable', files }, `${text}: visitors get a 503`)
      }
    },
    async runNow() {
      await job?.runNow()
    },
    async stop() {
      await job?.stop()
    },
  }
}
