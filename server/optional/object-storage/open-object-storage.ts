// The object storage of one process: the reader of moved files, the background job, and metrics.
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import { sharedGauge, type Tally, tallies } from '#kit/tally.ts'
import { openBucket } from '#publishing/objects/bucket.ts'
import { countFiles } from '#publishing/objects/object-rows.ts'
import { createObjectReader, type ObjectReader } from '#publishing/objects/read-objects.ts'
import { startMovingFiles } from './move-files.ts'

export interface ObjectStorage extends ObjectReader {
  begin(): Promise<void>
  /** Moves files and deletes objects that are due; resolves when nothing is left, or it failed. */
  runNow(): Promise<void>
  stop(): Promise<void>
}

interface ObjectStorageContext {
  database: Database
  clock: Clock
  metrics: Metrics
  log: Logger
}

/** Without settings, it only reports files that are still in an object storage. */
export function openObjectStorage(
  { objectStorage: settings }: Pick<Config, 'objectStorage'>,
  { clock, database, log, metrics }: ObjectStorageContext,
): ObjectStorage {
  const { read } = database
  const count = settings && countRequests(metrics)
  const bucket = settings && openBucket({ ...settings, ...(count && { count }) })
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
    ...createObjectReader(bucket, log),
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
      bucket?.close()
    },
  }
}

function countRequests({ registry }: Metrics) {
  const requests = tallies(
    registry,
    'animal_store_object_requests_total',
    'Requests to the object storage by operation and result.',
  )
  const counts = new Map<string, Tally>()
  return (operation: string, result: string): void => {
    const key = `${operation} ${result}`
    const tally = counts.get(key) ?? requests({ operation, result })
    counts.set(key, tally)
    tally.add()
  }
}
