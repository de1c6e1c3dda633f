// Runs upgrade check on the local databases, with or without a running server of an earlier version.
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readBackupHeader } from '../../platform/backups/read-backup.ts'
import type { Config } from '../../platform/config/config.ts'
import { readProgramVersion } from '../../platform/config/program-version.ts'
import { type Inspection, inspectDatabase } from '../../platform/database/inspect.ts'
import { checksumsOf } from '../../platform/database/migrate.ts'
import { modeOf, refusalToStart } from '../../platform/database/read-only.ts'
import { firstVersion, seenWithinMs } from '../../platform/system/processes.ts'
import { formatBytes } from '../backups/backup-text.ts'
import { knownDatabases } from '../backups/known-databases.ts'
import {
  CommandError,
  formatMinute,
  type Input,
  loadConfig,
  print,
  readDuration,
  UsageError,
} from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { checkDatabase, type DatabaseCheck, isCompatible } from './check-upgrade.ts'

const defaultMaxAge = '24h'

interface FoundDatabase extends DatabaseCheck {
  bytes: number
  rows: number
}

interface RunningProcess {
  node: string
  pid: number
  /** Null: it records none. */
  version: string | null
  isCompatible: boolean
}

export async function runUpgradeCheck(input: Input): Promise<number> {
  const config = loadConfig()
  const now = Date.now()
  const { backup: backupPath, 'max-backup-age': maxAge = defaultMaxAge } = input.options
  const maxAgeMs = readDuration(maxAge)
  if (maxAgeMs === undefined)
    throw new UsageError('--max-backup-age accepts a duration such as 12h or 2d')
  const databases: FoundDatabase[] = []
  let processes: RunningProcess[] = []
  let lastBackupAt = backupPath === undefined ? undefined : findBackup(resolve(backupPath))
  for (const { migrations, name } of knownDatabases) {
    await inspectDatabase(config, name, async (found) => {
      if (!found) throw new CommandError(missing(config, name))
      databases.push(await checkFound(name, found, migrations))
      if (found.rows.has('processes')) processes = await listRunning(found, now)
      if (backupPath === undefined && found.rows.has('backup_schedule')) {
        const [row] = await found.all('select last_at from backup_schedule')
        if (row?.last_at) lastBackupAt = Number(row.last_at)
      }
    })
  }
  const problems = [
    ...databases.flatMap(({ name, problem }) =>
      problem ? [`The database ${name}: ${problem}.`] : [],
    ),
    ...processes
      .filter((one) => !one.isCompatible)
      .map(
        ({ node, pid, version }) =>
          `The process ${pid} on ${node} has version ${version ?? firstVersion}, which cannot run beside this one: stop it before the upgrade.`,
      ),
    ...describeAge(lastBackupAt, now, maxAgeMs, maxAge),
  ]
  const version = readProgramVersion()
  const seconds = databases
    .flatMap(({ pending }) => pending)
    .reduce((sum, { estimatedSeconds }) => sum + estimatedSeconds, 0)
  const report = {
    version,
    isReady: problems.length === 0,
    estimatedSeconds: seconds,
    databases: databases.map(({ problem, ...rest }) => ({ ...rest, problem: problem ?? null })),
    processes,
    lastBackupAt: lastBackupAt === undefined ? null : new Date(lastBackupAt).toISOString(),
    problems,
  }
  const lines = [
    `Version ${version} would run these migrations:`,
    columns(databases.flatMap(describeDatabase)),
    `The running processes: ${processes.length === 0 ? 'none' : processes.map(({ node, pid, version }) => `${pid} on ${node} (${version ?? firstVersion})`).join(', ')}.`,
    `The last backup: ${formatMinute(lastBackupAt)}.`,
    ...(problems.length === 0
      ? [`Ready to upgrade. The migrations take about ${seconds} s.`]
      : ['', 'Not ready to upgrade:', ...problems]),
  ]
  print(input, report, lines.join('\n'))
  return problems.length === 0 ? 0 : 1
}

const missing = ({ dataDir, databaseUrl }: Config, name: string): string =>
  databaseUrl === undefined
    ? `${join(dataDir, `${name}.db`)} does not exist: set DATA_DIR, or DATABASE_URL, as the server has it.`
    : `The database has no schema ${name}: set DATABASE_URL as the server has it.`

async function checkFound(
  name: string,
  { all, bytes, engine, rows }: Inspection,
  migrations: Parameters<typeof checkDatabase>[2],
): Promise<FoundDatabase> {
  // The first versions stored no checksums.
  const applied = checksumsOf(await all('select * from migrations'))
  const checked = checkDatabase(name, engine, migrations, applied, rows)
  const mode = rows.has('read_only') ? modeOf(await all('select * from read_only')) : undefined
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0)
  const problem = mode ? refusalToStart(name, mode) : checked.problem
  return { ...checked, problem, bytes, rows: total }
}

async function listRunning({ all }: Inspection, now: number): Promise<RunningProcess[]> {
  const rows = await all(`select * from processes where seen_at > ${now - seenWithinMs}`)
  return rows.map(({ node, pid, version }) => {
    const known = typeof version === 'string' ? version : null
    return {
      node: String(node),
      pid: Number(pid),
      version: known,
      isCompatible: isCompatible(known),
    }
  })
}

/** When the newest backup of a folder, or this one, was created. */
function findBackup(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new CommandError(`${path} does not exist.`)
  const files = stat.isDirectory()
    ? readdirSync(path)
        .map((name) => join(path, name))
        .filter((file) => file.endsWith('.backup'))
    : [path]
  const times = files
    .map((file) => readBackupHeader(file)?.createdAt)
    .filter((time) => time !== undefined)
    .map((time) => Date.parse(time))
  return times.length === 0 ? undefined : Math.max(...times)
}

function describeAge(
  at: number | undefined,
  now: number,
  maxAgeMs: number,
  maxAge: string,
): string[] {
  if (at !== undefined && now - at <= maxAgeMs) return []
  const found =
    at === undefined ? 'There is no backup' : `The last backup is of ${formatMinute(at)}`
  return [
    `${found}, and it has to be from the last ${maxAge}: run animal-store backup, and name the file with --backup.`,
  ]
}

function describeDatabase({
  bytes,
  name,
  newVersion,
  pending,
  rows,
  version,
}: FoundDatabase): string[][] {
  const size = `${rows.toLocaleString('en')} rows, ${formatBytes(bytes)}`
  const change = pending.length === 0 ? `${version}, up to date` : `${version} → ${newVersion}`
  return [
    [name, change, size],
    ...pending.map((one) => ['', `${one.id} ${one.name}`, `about ${one.estimatedSeconds} s`]),
  ]
}
