// Reads the forms of files that are in the object storage. A problem is logged once, not with each request, and becomes
// `unavailable`: visitors get a 503, never other bytes.
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import type { Encoding } from '#kit/http/request/negotiate.ts'
import type { Logger } from '#kit/log.ts'
import { type Bucket, BucketError } from './bucket.ts'
import { type ObjectPlace, readForm } from './stored-object.ts'

export interface ObjectReader {
  /** `length` bytes of a form, starting at `from`. Throws `unavailable` with a BucketError as its cause. */
  read(place: ObjectPlace, encoding: Encoding, from: number, length: number): Promise<Uint8Array>
}

/** Where the bytes of files are: in rows, or in the objects to which rows refer. */
export interface FileSource {
  read: Session
  objects: ObjectReader
}

const maxLoggedObjects = 1000
/** The storage may answer some requests and refuse others. */
const logOutageEveryMs = 60_000

/** Without a bucket nothing can be read: the object storage was turned off before all files had returned. */
export function createObjectReader(bucket: Bucket | undefined, log: Logger): ObjectReader {
  const loggedObjects = new Set<string>()
  let isOut = false
  let loggedAt = Number.NEGATIVE_INFINITY

  function logProblem(error: BucketError, object: string): void {
    if (error.problem === 'unavailable') {
      isOut = true
      if (performance.now() - loggedAt < logOutageEveryMs) return
      loggedAt = performance.now()
      log.error(
        { event: 'object_storage.unavailable', err: error },
        'the object storage is unavailable',
      )
    } else if (!loggedObjects.has(object)) {
      if (loggedObjects.size >= maxLoggedObjects) loggedObjects.clear()
      loggedObjects.add(object)
      log.error(
        { event: 'object_storage.object_lost', err: error, object },
        `an object is ${error.problem}`,
      )
    }
  }

  return {
    async read(place, encoding, from, length) {
      try {
        if (!bucket) throw new BucketError('unavailable', 'OBJECT_STORAGE_URL is not set')
        const bytes = await readForm(bucket, place, encoding, from, length)
        if (isOut) {
          log.info({ event: 'object_storage.available' }, 'the object storage is available again')
        }
        isOut = false
        return bytes
      } catch (error) {
        if (!(error instanceof BucketError)) throw error
        logProblem(error, place.object)
        throw objectUnavailable(error)
      }
    },
  }
}

const retryAfterSeconds = 5

function objectUnavailable(cause: BucketError): AppError {
  const message = 'The service cannot reach its object storage. Try again in a moment.'
  const headers = { 'Retry-After': `${retryAfterSeconds}` }
  return new AppError('unavailable', message, { cause, headers })
}

/** Whether the bytes may be there when the object storage is available again. */
export function isStorageOutage(error: unknown): boolean {
  return causeOf(error)?.problem === 'unavailable'
}

/** Whether createObjectReader has logged it. */
export function isLogged(error: unknown): boolean {
  return causeOf(error) !== undefined
}

function causeOf(error: unknown): BucketError | undefined {
  return error instanceof AppError && error.cause instanceof BucketError ? error.cause : undefined
}
