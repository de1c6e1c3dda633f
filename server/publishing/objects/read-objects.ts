// Reads the forms of files that are in the object storage. A problem is logged once, not with each request, and becomes
// `unavailable`: visitors get a 503, never other bytes.
//
// A file is stored as one object, its forms one after the other, so that it needs one upload. The row of the file has the
// SHA-256 of each block of each form: what comes back is checked, also when only a range is read.

import { hash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import type { Encoding } from '#kit/http/response/ready-response.ts'
import type { Logger } from '#kit/log.ts'
import type { PublishingTables } from '../database/tables.ts'
import { type Bucket, BucketError } from './bucket.ts'

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

export interface Forms {
  content: Uint8Array
  /** Null if not stored. */
  gzip: Uint8Array | null
  brotli: Uint8Array | null
}

/** All but `size` are null as long as the forms are in the row itself. */
export const placeColumns = [
  ...(['object', 'size', 'gzip_size', 'brotli_size', 'block_digests'] as const),
] as const
type PlaceRow = Pick<Selectable<PublishingTables['files']>, (typeof placeColumns)[number]>

/** Where the forms of a file are: columns of its row. */
export interface ObjectPlace extends PlaceRow {
  object: string
  block_digests: Uint8Array
}

/** Undefined if the forms are in the row itself. */
export function findPlace(row: PlaceRow): ObjectPlace | undefined {
  const { block_digests, object } = row
  return object === null || block_digests === null ? undefined : { ...row, object, block_digests }
}

/** A range is read in whole blocks. */
const blockBytes = 256 * 1024
const digestBytes = 32

/** The bytes of the object, and the digests of its blocks. Each form begins with a new block. */
export function packForms({ brotli, content, gzip }: Forms): { body: Buffer; digests: Buffer } {
  const forms = [content, gzip, brotli].filter((form) => form !== null)
  const digests = forms.flatMap((form) =>
    Array.from({ length: countBlocks(form.length) }, (_, i) =>
      hash('sha256', form.subarray(i * blockBytes, (i + 1) * blockBytes), 'buffer'),
    ),
  )
  return { body: Buffer.concat(forms), digests: Buffer.concat(digests) }
}

/** `length` bytes of a form, starting at `from`, exactly as they were stored. Throws BucketError. */
export async function readForm(
  bucket: Pick<Bucket, 'read'>,
  place: ObjectPlace,
  encoding: Encoding,
  from: number,
  length: number,
): Promise<Buffer> {
  const { firstBlock, size, start } = findForm(place, encoding)
  if (from + length > size) throw new BucketError('damaged', `the ${encoding} form is shorter`)
  const first = Math.floor(from / blockBytes)
  const begin = first * blockBytes
  const end = Math.min(Math.ceil((from + length) / blockBytes) * blockBytes, size)
  const bytes = await bucket.read(place.object, start + begin, end - begin)
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const digestAt = (firstBlock + first + at / blockBytes) * digestBytes
    const expected = place.block_digests.subarray(digestAt, digestAt + digestBytes)
    if (!hash('sha256', bytes.subarray(at, at + blockBytes), 'buffer').equals(expected)) {
      throw new BucketError('damaged', 'its bytes are not those that were stored')
    }
  }
  return bytes.subarray(from - begin, from - begin + length)
}

/** All forms. Throws BucketError. */
export async function readForms(bucket: Bucket, place: ObjectPlace): Promise<Forms> {
  const read = async (encoding: Encoding, size: bigint | null) =>
    size === null ? null : await readForm(bucket, place, encoding, 0, Number(size))
  return {
    content: await readForm(bucket, place, 'identity', 0, Number(place.size)),
    gzip: await read('gzip', place.gzip_size),
    brotli: await read('br', place.brotli_size),
  }
}

/** The size of the object. */
export function sizeOfObject({ brotli_size, gzip_size, size }: ObjectPlace): number {
  return Number(size) + Number(gzip_size ?? 0) + Number(brotli_size ?? 0)
}

/** Its first byte and its first block in the object; a size of 0 if it is not stored. */
function findForm({ brotli_size, gzip_size, size }: ObjectPlace, encoding: Encoding) {
  const sizes = [size, gzip_size, brotli_size].map((one) => Number(one ?? 0))
  const index = { identity: 0, gzip: 1, br: 2 }[encoding]
  const before = sizes.slice(0, index)
  return {
    start: before.reduce((sum, one) => sum + one, 0),
    firstBlock: before.reduce((sum, one) => sum + countBlocks(one), 0),
    size: sizes[index] ?? 0,
  }
}

const countBlocks = (bytes: number): number => Math.ceil(bytes / blockBytes)
