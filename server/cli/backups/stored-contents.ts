// What the local databases hold, for the commands on backups: sums of tables as text, the objects to which files refer, which are
// in the object storage and in no backup, and everything that is encrypted.
import type { TableSum } from '#kit/backups/backup-format.ts'
import type { BackupProgress } from '#kit/backups/snapshot.ts'
import type { Config } from '#kit/config/config.ts'
import { withDatabase } from '#kit/database/engines/open.ts'
import type { StoredSecrets } from '#kit/database/re-encrypt.ts'
import { type Bucket, BucketError, openBucket } from '#publishing/objects/bucket.ts'
import { forgetBucketTransaction } from '#publishing/objects/bucket-owner.ts'
import { findFiles } from '#publishing/objects/object-rows.ts'
import { findPlace, sizeOfObject } from '#publishing/objects/read-objects.ts'
import { knownDatabases } from '../../known-databases.ts'
import { loadConfig } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'
import type { Progress } from '../command-line/progress.ts'

/** All objects, also those that are only kept for older backups. */
export function countObjects(tables: readonly TableSum[]): number {
  const objects = tables.find(
    ({ database, table }) => database === 'publishing' && table === 'objects',
  )
  return objects?.rows ?? 0
}

/** For the text of backup and backup verify. */
export function objectLines(tables: readonly TableSum[]): string[] {
  const objects = countObjects(tables)
  if (objects === 0) return []
  const count = objects.toLocaleString('en')
  return [`Objects in the object storage are not part of it (${count}): keep the bucket, too.`]
}

interface CheckedObjects {
  /** Files whose bytes are in the object storage. */
  files: number
  /** Keys of objects that do not exist, or have another size. */
  missing: string[]
  /** Why not all of them were checked. */
  unchecked?: string
}

const pageFiles = 200
const maxRequests = 8

/** In the restored database: the bucket is that of the installation from which the backup is. */
export async function forgetBucket(): Promise<void> {
  await withPublishing((database) => forgetBucketTransaction(database, undefined))
}

/** Checks that the object of each file in the local database exists. */
export async function checkObjects(onProgress: (done: number) => void): Promise<CheckedObjects> {
  return await withPublishing(async ({ read }, { objectStorage }) => {
    const checked: CheckedObjects = { files: 0, missing: [] }
    if (!objectStorage) checked.unchecked = 'OBJECT_STORAGE_URL is not set'
    const bucket = objectStorage && openBucket(objectStorage)
    for (let after = ''; ; ) {
      const files = await findFiles(read, 'moved', after, pageFiles)
      const last = files.at(-1)
      if (!last) break
      after = last.hash
      const places = files.map(findPlace).filter((place) => place !== undefined)
      checked.files += places.length
      for (let start = 0; start < places.length; start += maxRequests) {
        if (!bucket || checked.unchecked !== undefined) break
        const some = places.slice(start, start + maxRequests)
        const sizes = await findSizes(
          bucket,
          some.map(({ object }) => object),
        )
        if (typeof sizes === 'string') checked.unchecked = sizes
        else {
          const lost = some.filter((place, i) => sizes[i] !== sizeOfObject(place))
          checked.missing.push(...lost.map(({ object }) => object))
        }
        onProgress(checked.files)
      }
    }
    bucket?.close()
    return checked
  })
}

/** The reason if the bucket is unavailable. */
async function findSizes(bucket: Bucket, keys: string[]): Promise<(number | undefined)[] | string> {
  try {
    return await Promise.all(keys.map((key) => bucket.findSize(key)))
  } catch (error) {
    if (error instanceof BucketError) return error.message
    throw error
  }
}

/** What the operator has to know before the start; undefined if nothing is missing. */
export function describeProblem({ files, missing, unchecked }: CheckedObjects): string | undefined {
  const count = files.toLocaleString('en')
  if (unchecked !== undefined) {
    return `${count} files are in an object storage, which could not be checked (${unchecked}): set OBJECT_STORAGE_URL as it was, and make sure that the bucket has these objects. Until then, visitors get a 503 for these files.`
  }
  const [first] = missing
  if (first === undefined) return undefined
  return `${missing.length.toLocaleString('en')} of ${count} objects are missing in the object storage, such as ${first}: visitors will get a 503 for these files. Copy the objects into the bucket, or deploy the files again.`
}

/** `1,234 rows in 4 databases`. */
export function sumRows(tables: readonly TableSum[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const databases = new Set(tables.map(({ database }) => database)).size
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} in ${databases} databases`
}

const steps = {
  copying: 'Copying',
  checking: 'Checking',
  restoring: 'Restoring',
  comparing: 'Comparing',
}

/** Shows how far a backup or its restore is. */
export const showProgress =
  ({ update }: Progress) =>
  ({ done, step, total }: BackupProgress): void => {
    const isOfRows = step === 'copying' || step === 'comparing'
    const shown = isOfRows ? { unit: 'rows' } : { unit: 'MB', count: Math.round(done / 1e6) }
    update({ label: steps[step], done, total, ...shown })
  }

/** Rows by database, and rows and digests by table. */
export function summarize(tables: readonly TableSum[]) {
  const rows: Record<string, number> = {}
  for (const { database, rows: count } of tables) rows[database] = (rows[database] ?? 0) + count
  return { rows, tables }
}

/** `12.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

/** Opens all databases, migrated, for as long as `use` runs. */
export function withAllSecrets<T>(
  use: (stored: StoredSecrets, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const openNext = (stored: StoredSecrets): Promise<T> => {
    const next = knownDatabases[stored.length]
    if (!next) return use(stored, config)
    return withDatabase(config, next, (database) => openNext([...stored, { ...next, database }]))
  }
  return openNext([])
}
