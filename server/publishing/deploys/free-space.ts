// Keeps disk space free: below the floor uploads and deploys are refused and builds wait, so that what the store and
// the accounts write always has room. The disk of a PostgreSQL server on another machine cannot be seen from here.
import { tmpdir } from 'node:os'
import type { Config } from '#kit/config/config.ts'
import { readFreeBytes } from '#kit/disk.ts'
import { AppError } from '#kit/errors.ts'
import type { Logger } from '#kit/log.ts'

const retryAfterSeconds = 60

/** The folders whose disks the program needs. */
export function foldersWritten({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): string[] {
  return databaseUrl === undefined ? [dataDir, tmpdir()] : [tmpdir()]
}

export function watchFreeSpace(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'minFreeBytes'>,
  log: Logger,
) {
  const { minFreeBytes } = config
  const folders = foldersWritten(config)
  let wasEnough = true

  /** On the fullest disk. */
  const readLeast = async () => Math.min(...folders.map(readFreeBytes))

  async function isEnough(): Promise<boolean> {
    if (minFreeBytes === 0) return true
    const freeBytes = await readLeast()
    const enough = freeBytes >= minFreeBytes
    if (wasEnough && !enough) {
      log.warn(
        { event: 'disk.low', freeBytes, minFreeBytes },
        'too little free disk space: deploys are refused',
      )
    }
    if (enough && !wasEnough)
      log.info({ event: 'disk.recovered', freeBytes }, 'enough free disk space again')
    wasEnough = enough
    return enough
  }

  return {
    isEnough,
    readFreeBytes: readLeast,
    /** Throws `unavailable` below the floor. */
    async require(): Promise<void> {
      if (await isEnough()) return
      const message =
        'The server has too little free disk space for deploys. Try again later, or contact the operator.'
      throw new AppError('unavailable', message, {
        headers: { 'Retry-After': `${retryAfterSeconds}` },
      })
    },
  }
}
