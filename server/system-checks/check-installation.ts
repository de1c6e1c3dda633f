// The installation itself: whether its settings are safe, whether its databases respond, take writes and have this program's
// migrations (on PostgreSQL also how many connections are left), whether the disks have room and are private, and whether
// there is a recent backup. Invalid settings end a start, so that only the command line can report them.
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { inspectOperatorCertificate } from '#domains/edge/operator-certificate.ts'
import type { BackupStatus } from '#kit/backups/open-backups.ts'
import type { KnownDatabase } from '#kit/backups/snapshot.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, findConfigWarnings, isPrivateName, projectRoot } from '#kit/config/config.ts'
import { type Database, getOne } from '#kit/database/database.ts'
import { queriesFor } from '#kit/database/query.ts'
import { findUnknownKeys } from '#kit/database/re-encrypt.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { readFreeBytes } from '#kit/disk.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import { foldersWritten } from '#publishing/deploys/free-space.ts'

const configuration = findingsOf('configuration')
const fixOfMissingKey =
  'Put your copy of secret.key into DATA_DIR, or add the key to SECRET_KEY, and restart.'

export async function checkConfiguration(
  config: Config,
  databases: readonly CheckedDatabase[],
  secrets: Secrets | undefined,
  now: number,
): Promise<Finding[]> {
  const { baseUrl, dashboardUrl, stagingBaseUrl } = config
  const findings = findConfigWarnings(config).map((text) => {
    const [message = text, fix = ''] = text.split(/(?<=\.) (?=Use )/)
    return configuration.warning('PLATFORM_HOST', message, fix)
  })
  for (const [name, url] of Object.entries({
    BASE_URL: baseUrl,
    STAGING_BASE_URL: stagingBaseUrl,
    DASHBOARD_URL: dashboardUrl,
  })) {
    if (url.protocol === 'https:' || isPrivateName(url.hostname)) continue
    const message = `${url.origin} is a public address without encryption: keys and passwords can be read on the way.`
    findings.push(configuration.warning(name, message, `Set ${name} to an https address.`))
  }
  const mode = modeOf(join(projectRoot, '.env'))
  if (mode !== undefined && (mode & 0o077) !== 0) {
    const message = 'Other users of this machine can read the .env file, which has secrets.'
    findings.push(
      configuration.warning('.env', message, `Run chmod 600 '${join(projectRoot, '.env')}'.`),
    )
  }
  const own = inspectOperatorCertificate(config, now)
  if (own) {
    const renew = 'Renew the certificate: the files are read again when they change.'
    const finding = own.isUsable ? configuration.warning : configuration.problem
    findings.push(finding('PLATFORM_CERTIFICATE_FILE', own.message, renew))
  }
  // Whether a database responds is a check of its own.
  const missing = await findUnknownKeys(databases, secrets).catch(() => [])
  for (const [id, count] of missing) {
    const message = `The encryption key ${id} of ${count} stored secrets is missing.`
    findings.push(configuration.problem('SECRET_KEY', message, fixOfMissingKey))
  }
  return findings.length > 0 ? findings : [configuration.ok('settings', 'All settings are valid.')]
}

/** For settings that the program refuses: the message names the setting and what it accepts. */
export function invalidConfiguration(message: string): Finding {
  return configuration.problem(
    'settings',
    message,
    'Correct the setting: the program does not start with it.',
  )
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode
}

export interface CheckedDatabase extends KnownDatabase {
  /** Undefined if it was not created yet. */
  database: Database | undefined
}

interface MigrationTables {
  migrations: { id: bigint; name: string }
}

const data = findingsOf('database')
const prepareQuery = queriesFor<MigrationTables>()
const newest = prepareQuery()((db) =>
  db.selectFrom('migrations').select((eb) => eb.fn.max('id').as('id')),
)
/** Changes the rows to what they are: only a database that takes writes can commit it. */
const rewrite = prepareQuery()((db) =>
  db.updateTable('migrations').set((eb) => ({ name: eb.ref('name') })),
)
const commitNoChange = unlocked(async (session) => {
  await session.all(rewrite, {})
})
const connections = queriesFor<Record<never, never>>()()(
  (_db) => sql<{ max: bigint; used: bigint; encoding: string }>`
      select current_setting('server_encoding') as encoding, current_setting('max_connections')::bigint
        - current_setting('superuser_reserved_connections')::bigint as max,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
)

/** A process holds some of its connections already, so that it needs fewer than these. */
const defaultConnections = 36

export async function checkDatabases(
  databases: readonly CheckedDatabase[],
  { databaseConnections = defaultConnections }: Pick<Config, 'databaseConnections'>,
): Promise<Finding[]> {
  const findings = await Promise.all(databases.map(checkDatabase))
  const onServer = databases.find(({ database }) => database?.engine === 'postgres')?.database
  const isOnline = findings.some(({ status }) => status !== 'problem')
  if (onServer && isOnline) findings.push(...(await checkServer(onServer, databaseConnections)))
  return findings
}

async function checkDatabase({ database, migrations, name }: CheckedDatabase): Promise<Finding> {
  if (!database) return data.skipped(name, 'It does not exist yet: the first start creates it.')
  const newestId = migrations.at(-1)?.id ?? 0
  const start = performance.now()
  let applied: number
  try {
    applied = Number((await getOne(database.read, newest, {})).id ?? 0)
  } catch (error) {
    if (isMissing(error))
      return data.skipped(name, 'It has no tables yet: the first start creates them.')
    const fix =
      database.engine === 'sqlite'
        ? 'Check DATA_DIR, its disk and its owner.'
        : 'Check DATABASE_URL, and that PostgreSQL runs and accepts connections from here.'
    return data.problem(name, `It does not respond (${reasonOf(error)}).`, fix)
  }
  const ms = Math.round((performance.now() - start) * 10) / 10
  try {
    await commitNoChange(database)
  } catch (error) {
    const fix =
      database.engine === 'sqlite'
        ? 'Check the free disk space, and which processes hold the database open.'
        : 'Check that it is the primary, its disk, and its synchronous standbys.'
    return data.problem(name, `It responds, but takes no writes (${reasonOf(error)}).`, fix)
  }
  if (applied > newestId) {
    const message = `A newer program has migrated it (version ${applied}, this program knows ${newestId}).`
    return data.problem(name, message, 'Run the newer program, or restore a backup.')
  }
  const pending = migrations.filter(({ id }) => id > applied).length
  if (pending > 0) {
    const message = `${pending} of ${migrations.length} migrations have not been applied.`
    return data.warning(
      name,
      message,
      'Restart the server: each start applies them. Back up first.',
    )
  }
  return data.ok(name, `Responds in ${ms} ms, takes writes, version ${applied}.`)
}

async function checkServer(database: Database, needed: number): Promise<Finding[]> {
  const { encoding, max, used } = await getOne(database.read, connections, {})
  const left = Number(max - used)
  const message = `${left} of ${max} connections are left; a process opens up to ${needed}.`
  const fix =
    'Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS, WORKERS or the number of nodes.'
  const found =
    left < needed ? data.warning('connections', message, fix) : data.ok('connections', message)
  if (encoding === 'UTF8') return [found]
  const text = `The database has the encoding ${encoding}: some text cannot be stored, or is not compared right.`
  const restore = 'Restore a backup into a database with the encoding UTF8.'
  return [data.problem('encoding', text, restore), found]
}

/** 42P01: the relation does not exist. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  return code === '42P01' || /^no such table/.test(message ?? '')
}

/** A code of the system or the database: messages may have what is not for the page. */
function reasonOf(error: unknown): string {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown }
  return String(cause?.code ?? code ?? 'no response')
}

const disk = findingsOf('disk')
const backup = findingsOf('backups')
/** Free space below this multiple of the floor is a warning. */
const warnBelowFloors = 4
/** A floor for every installation, also where MIN_FREE_DISK is 0. */
const minBytes = 64 * 1024 * 1024

type DiskConfig = Pick<Config, 'backups' | 'databaseUrl' | 'dataDir' | 'minFreeBytes'>

export async function checkDisk(config: DiskConfig): Promise<Finding[]> {
  const { backups, dataDir, databaseUrl } = config
  const privateFolders = [
    ...(databaseUrl === undefined ? [dataDir] : []),
    ...(backups ? [backups.folder] : []),
  ]
  const measured = [...new Set([...foldersWritten(config), ...privateFolders])]
  const rooms = measured.map((folder) => checkRoom(folder, config))
  return [...rooms, ...privateFolders.flatMap(checkModes)]
}

function checkRoom(folder: string, { minFreeBytes }: DiskConfig): Finding {
  let freeBytes: number
  try {
    freeBytes = readFreeBytes(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return checkCreatable(folder)
    return disk.problem(folder, `It cannot be read (${code}).`, 'Check the folder and its owner.')
  }
  const floor = freeBytes < minBytes ? minBytes : minFreeBytes
  const [free, least] = inOneUnit(freeBytes, floor)
  const refused =
    floor === minBytes
      ? 'the databases may take no more writes'
      : 'uploads and deploys are refused (MIN_FREE_DISK)'
  const message = `${free} are free. Below ${least} ${refused}.`
  if (freeBytes < floor)
    return disk.problem(folder, message, 'Delete what is not needed, or enlarge the disk.')
  if (freeBytes < warnBelowFloors * floor)
    return disk.warning(folder, message, 'Plan for more room: look at Storage of the projects.')
  return disk.ok(folder, `${inOneUnit(freeBytes)[0]} are free.`)
}

/** Only the attempt tells. It leaves nothing: the folder would be this user's, not the service's. */
function checkCreatable(folder: string): Finding {
  let parent = folder
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    rmdirSync(mkdtempSync(join(parent, '.animal-store-')))
    return disk.skipped(folder, 'It does not exist yet.')
  } catch (error) {
    const message = `It does not exist, and cannot be created (${(error as NodeJS.ErrnoException).code}).`
    return disk.problem(folder, message, `Check ${parent} and its owner, or choose another folder.`)
  }
}

function checkModes(folder: string): Finding[] {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return []
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    const fix = `Give it to the user of the service: chown -R animal-store '${folder}'.`
    return [disk.problem(folder, 'This user cannot write it.', fix)]
  }
  if ((mode & 0o077) === 0) return []
  const message = `Other users of this machine can open it (mode ${(mode & 0o777).toString(8)}): it has keys and password hashes.`
  return [disk.warning(folder, message, `Run chmod -R go= '${folder}'.`)]
}

/** `read` gives undefined if no node has scheduled backups. */
export async function checkBackups(
  read: () => Promise<BackupStatus | undefined>,
  clock: Clock,
): Promise<Finding[]> {
  const status = await read().catch(() => 'unknown' as const)
  const subject = 'BACKUP_DIR'
  if (status === 'unknown')
    return [backup.skipped(subject, 'Their state cannot be read from the database.')]
  if (!status) {
    const fix = 'Set BACKUP_DIR on one node, or run animal-store backup regularly.'
    return [backup.warning(subject, 'Scheduled backups are off.', fix)]
  }
  const { isOld, last, lastFailure } = status
  const failure = lastFailure ? ` Last failure: ${lastFailure.message}` : ''
  const fix = 'Correct the cause, then look at the log: the backup is retried within the hour.'
  if (!last) {
    const text = `There is no good backup yet.${failure}`
    return [isOld ? backup.problem(subject, text, fix) : backup.skipped(subject, text)]
  }
  const age =
    last.at > clock() + 60_000
      ? 'The last good one is dated in the future: the clock was wrong then.'
      : `The last good one is ${inHours(clock() - last.at)} old.`
  if (isOld) return [backup.problem(subject, age + failure, fix)]
  if (lastFailure && lastFailure.at > last.at) return [backup.warning(subject, age + failure, fix)]
  return [backup.ok(subject, age)]
}

/** In gigabytes if all of them are large. */
function inOneUnit(...sizes: number[]): string[] {
  const [unit, name] =
    Math.min(...sizes) < 10_240 * 1024 ** 2 ? [1024 ** 2, 'MB'] : [1024 ** 3, 'GB']
  return sizes.map((bytes) => `${Math.floor(bytes / unit)} ${name}`)
}

function inHours(milliseconds: number): string {
  const hours = Math.max(0, milliseconds) / 3_600_000
  if (hours < 1) return `${Math.floor(hours * 60)} minutes`
  return hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`
}
