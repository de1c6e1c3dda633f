// The background job of the object storage: moves large files out of the database, or back into it, and deletes objects
// that nothing refers to any more. One process at a time does it, under a lease, and each step can be the last one:
//
//   reserved  a row in `objects`, to be deleted in a day         nothing is lost: the bytes are in the database
//   uploaded  the same, and the object is in the bucket          the same; the next run uploads another object
//   moved     the row of the file refers to the object           both changes are one transaction
//   retired   no file refers to it, to be deleted in 30 days     one transaction with the end, or the return, of the file
//   deleted   from the bucket, then the row                      deleting it twice does no harm
//
// In the bucket of another installation nothing is written or deleted: files can only be moved back.
// Reading files in the bucket is publishing's own (objects/).
import { randomBytes } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { renewWhile } from '#kit/jobs/lease.ts'
import { type PollLoop, startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { type Metrics, sharedGauge } from '#kit/metrics.ts'
import type { Bucket } from '#publishing/objects/bucket.ts'
import { claimBucket } from '#publishing/objects/bucket-owner.ts'
import {
  countFiles,
  findExpiredObjects,
  findFiles,
  findForms,
  forgetObjectsTransaction,
  moveFileTransaction,
  reserveObjectsTransaction,
  returnFileTransaction,
  type StorageLease,
  storageLeases,
} from '#publishing/objects/object-rows.ts'
import { findPlace, packForms, readForms } from '#publishing/objects/read-objects.ts'

interface MoveContext {
  bucket: Bucket
  move: 'out' | 'back'
  /** The id of an installation whose bucket this one takes over. */
  takeOver: string | undefined
  database: Database
  clock: Clock
  log: Logger
}

/** Without settings, it only reports files that are still in an object storage. */
export function openObjectStorage(
  { objectStorage: settings }: Pick<Config, 'objectStorage'>,
  {
    bucket,
    clock,
    database,
    log,
    metrics,
  }: Omit<MoveContext, 'bucket' | 'move' | 'takeOver'> & {
    /** Undefined without settings. */
    bucket: Bucket | undefined
    metrics: Metrics
  },
) {
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
    /** Moves files and deletes objects that are due; resolves when nothing is left, or it failed. */
    async runNow() {
      await job?.runNow()
    },
    async stop() {
      await job?.stop()
    },
  }
}

const intervalMs = 300_000
/** Files that are moved at once: they are in memory. */
const maxFilesAtOnce = 4
const maxBytesAtOnce = 16 * 1024 * 1024
const maxDeletions = 100

/** `runNow` moves and deletes everything that is due, unless another process is doing it. */
export function startMovingFiles(context: MoveContext): PollLoop {
  const { bucket, clock, database, log, move, takeOver } = context
  const { read } = database
  // The hash of the last file that was tried: what cannot be moved does not keep others waiting.
  let after = ''
  let otherOwner: string | undefined

  async function deleteExpired(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = clock()
      const keys = await findExpiredObjects(read, now, maxDeletions)
      if (keys.length === 0) return
      for (const key of keys) await bucket.delete(key, signal)
      await forgetObjectsTransaction(database, { keys, now })
    }
  }

  /** Both return false if there are no more files after the last ones. */
  async function moveOut(lease: StorageLease, signal: AbortSignal): Promise<boolean> {
    const files = firstOf(await findFiles(read, 'toMove', after, maxFilesAtOnce))
    if (files.length === 0) return false
    after = files.at(-1)?.hash ?? after
    // An earlier object of the same file may be about to be deleted: each has a name of its own.
    const objects = files.map(({ hash }) => {
      return { hash, key: `${hash}-${randomBytes(8).toString('hex')}` }
    })
    const keys = objects.map(({ key }) => key)
    await reserveObjectsTransaction(database, { lease, keys, now: clock() })
    await forAll(objects, async ({ hash, key }) => {
      const forms = await findForms(read, hash)
      if (!forms) return
      const { body, digests } = packForms(forms)
      await bucket.put(key, body, signal)
      await moveFileTransaction(database, {
        ...{ lease, hash, key, digests, now: clock() },
        gzipSize: forms.gzip?.length ?? null,
        brotliSize: forms.brotli?.length ?? null,
      })
    })
    return true
  }

  async function moveBack(): Promise<boolean> {
    const files = firstOf(await findFiles(read, 'moved', after, maxFilesAtOnce))
    if (files.length === 0) return false
    after = files.at(-1)?.hash ?? after
    await forAll(files, async ({ hash, ...row }) => {
      const place = findPlace(row)
      if (!place) return
      const forms = await readForms(bucket, place)
      const returned = { hash, key: place.object, forms, now: clock() }
      await returnFileTransaction(database, returned)
    })
    if (!(await hasFiles(''))) {
      const message = 'all files are in the database: the object storage can be turned off'
      log.info({ event: 'object_storage.empty' }, message)
    }
    return true
  }

  async function hasFiles(from: string): Promise<boolean> {
    const which = move === 'out' ? 'toMove' : 'moved'
    return (await findFiles(read, which, from, 1)).length > 0
  }

  /** Whether this installation may write and delete in the bucket. */
  async function isOwner(lease: StorageLease, signal: AbortSignal): Promise<boolean> {
    const owner = await claimBucket(bucket, database, lease, takeOver, signal)
    if (owner !== undefined && owner !== otherOwner) {
      const message = `the bucket belongs to another installation, ${owner}: this one writes and deletes nothing there. If that one is gone, add take_over=${owner} to OBJECT_STORAGE_URL; if this one is a copy, set OBJECT_STORAGE_MOVE=off`
      log.error({ event: 'object_storage.not_owner', owner }, message)
    }
    otherOwner = owner
    return owner === undefined
  }

  async function work(lease: StorageLease, signal: AbortSignal): Promise<void> {
    if (await isOwner(lease, signal)) await deleteExpired(signal)
    else if (move === 'out') return
    const moveSome = () => (move === 'out' ? moveOut(lease, signal) : moveBack())
    const isResumed = after !== ''
    while (await moveSome()) signal.throwIfAborted()
    after = ''
    while (isResumed && (await moveSome())) signal.throwIfAborted()
    after = ''
  }

  return startPollLoop({
    name: 'moving files and deleting objects',
    log,
    intervalMs,
    async poll(signal) {
      const now = clock()
      const isIdle = (await findExpiredObjects(read, now, 1)).length === 0 && !(await hasFiles(''))
      if (isIdle) return
      const leaseClock = { now: await readDatabaseClock(database) }
      if (!(await storageLeases.isDue(read, leaseClock))) return
      const claim = { ...leaseClock, max: 1 }
      const [lease] = await database.write(storageLeases.claimTransaction, claim)
      if (!lease) return
      try {
        await renewWhile(storageLeases, lease, { database, log, signal }, (held) =>
          work(lease, held),
        )
      } finally {
        await database.write(storageLeases.releaseTransaction, { lease })
      }
    },
  })
}

/** At least one, if there are any. */
function firstOf<File extends { size: bigint }>(files: File[]): File[] {
  let bytes = 0
  return files.filter(({ size }, i) => {
    bytes += Number(size)
    return i === 0 || bytes <= maxBytesAtOnce
  })
}

/** Does all of them, and then throws the first error. */
async function forAll<T>(all: T[], action: (one: T) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(all.map(action))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
