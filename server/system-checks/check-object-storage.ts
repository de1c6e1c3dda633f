// Whether the object storage answers, and whether the bucket is this installation's.
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import { BucketError, openBucket } from '#publishing/objects/bucket.ts'
import { findOtherOwner } from '#publishing/objects/bucket-owner.ts'
import { countFiles } from '#publishing/objects/object-rows.ts'

const { ok, problem, skipped } = findingsOf('objects')

/** `database`: of publishing; undefined before the first start. */
export async function checkObjectStorage(
  settings: Config['objectStorage'],
  database: Database | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!database) return []
  if (!settings) {
    const subject = 'OBJECT_STORAGE_URL'
    const files = await countFiles(database.read, 'moved').catch(() => undefined)
    if (files === undefined)
      return [skipped(subject, 'Its files cannot be read from the database.')]
    if (files === 0) return [skipped(subject, 'All files are in the database.')]
    const message = `${files} files are in an object storage, but it is not set: visitors get a 503.`
    return [problem(subject, message, 'Set it and its keys as they were.')]
  }
  const subject = settings.url.href
  const bucket = openBucket(settings)
  try {
    const other = await findOtherOwner(bucket, database.read, signal)
    if (other === undefined) return [ok(subject, 'Responds.')]
    if (settings.move === 'off')
      return [ok(subject, 'Responds. It is only read: it belongs to another installation.')]
    return [
      problem(
        subject,
        `It belongs to another installation, ${other}: nothing is written or deleted there.`,
        `If that one is gone, add take_over=${other} to OBJECT_STORAGE_URL. If this one is a copy, set OBJECT_STORAGE_MOVE=off.`,
      ),
    ]
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    const fix = 'Check the address of the bucket, its keys and their rights, and the firewall.'
    return [problem(subject, `It does not respond as expected (${error.message}).`, fix)]
  } finally {
    bucket.close()
  }
}
