// Runs migrate-to, with or without running servers, and read-only off.
import { findExisting } from '../../platform/backups/find-existing.ts'
import { installedDatabases } from '../../platform/backups/installed-databases.ts'
import { openSnapshot } from '../../platform/backups/open-snapshot.ts'
import { sumTable } from '../../platform/backups/table-digest.ts'
import type { Config } from '../../platform/config/config.ts'
import { parseDatabaseUrl } from '../../platform/config/database-url.ts'
import { openDatabase } from '../../platform/database/open.ts'
import { findReadOnly, setReadOnly } from '../../platform/database/set-read-only.ts'
import {
  type MoveEvent,
  type MoveProgress,
  type MoveSummary,
  moveInstallation,
} from '../../platform/moves/move-installation.ts'
import { listProcesses } from '../../platform/system/processes.ts'
import { abortOnSignal } from '../command-line/abort-on-signal.ts'
import {
  CommandError,
  type Input,
  loadConfig,
  print,
  readDuration,
  UsageError,
} from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { createProgress } from '../command-line/progress.ts'
import { summarize, sumRows } from './backup-text.ts'
import { knownDatabases } from './known-databases.ts'

/** The database of limits is written in the window, too: counters, and which processes run. */
const pausable = installedDatabases.filter((name) => name !== 'limits')

export async function runMigrateTo(input: Input): Promise<undefined> {
  const config = loadConfig()
  const url = readTarget(input.operands[0] ?? '')
  const target = describeTarget(url)
  const limit = input.options['max-read-only']
  const maxWindowMs = limit === undefined ? Number.POSITIVE_INFINITY : readDuration(limit)
  if (maxWindowMs === undefined) {
    throw new UsageError('--max-read-only accepts a duration such as 30s or 5m')
  }
  if (input.options['dry-run'] !== undefined) {
    await requireEmpty(url, target)
    return await tryOut(input, config, target)
  }
  await requireKnowingProcesses(config)
  const progress = createProgress(process.stderr, () => performance.now())
  const { end, signal } = abortOnSignal()
  const say = (text: string): void => {
    progress.end()
    process.stderr.write(`${text}\n`)
  }
  try {
    const moved = await moveInstallation(config, {
      known: knownDatabases,
      pausable,
      url,
      target,
      requireEmpty: () => requireEmpty(url, target),
      signal,
      maxWindowMs,
      now: Date.now,
      onProgress: ({ done, step, total }: MoveProgress) =>
        progress.update({ label: labels[step], done, total, count: done, unit: 'rows' }),
      onEvent: (event) => say(describeEvent(event)),
    })
    progress.end()
    const { tables, windowMs } = moved
    print(
      input,
      { target, dryRun: false, readOnlyMs: windowMs && Math.round(windowMs), ...summarize(tables) },
      describeMove(moved, config, target),
    )
  } finally {
    progress.end()
    end()
  }
}

const labels = { copying: 'Copying', comparing: 'Comparing', checking: 'Checking' }

/** Reads everything, and changes nothing. */
async function tryOut(input: Input, config: Config, target: string): Promise<undefined> {
  const progress = createProgress(process.stderr, () => performance.now())
  const snapshot = await openSnapshot(config, installedDatabases)
  const start = performance.now()
  const tables = []
  try {
    const all = snapshot.databases.flatMap(({ name, tables }) =>
      tables.map((table) => ({ name, table })),
    )
    let total = 0
    for (const { name, table } of all) total += await snapshot.countRows(name, table)
    let done = 0
    for (const { name, table } of all) {
      const sum = await sumTable(snapshot, name, table, (count) => {
        done += count
        progress.update({ label: 'Reading', done, total, count: done, unit: 'rows' })
      })
      tables.push(sum)
    }
  } finally {
    progress.end()
    await snapshot.close()
  }
  // In the window, both sides are read.
  const seconds = Math.ceil((2 * (performance.now() - start)) / 1000)
  print(
    input,
    { target, dryRun: true, estimatedReadOnlySeconds: seconds, ...summarize(tables) },
    `${sumRows(tables)} can be moved to ${target}. Writes would be refused for about ${seconds} s, after everything was copied. Nothing was changed.`,
  )
}

/** Throws a UsageError, which does not repeat the address. */
function readTarget(text: string): string {
  const password = /^postgres(?:ql)?:\/\/[^/?#]*:[^/?#]*@|[?&]password=/
  if (password.test(text)) {
    throw new UsageError(
      'POSTGRES_URL must not have a password, which other users of this machine could see: set PGPASSWORD, or write it to ~/.pgpass',
    )
  }
  if (parseDatabaseUrl(text)) return text
  throw new UsageError('POSTGRES_URL accepts an address such as postgres://user@host/database')
}

/** For people, without credentials. */
function describeTarget(url: string): string {
  const names = parseDatabaseUrl(url)?.names.join(', ') ?? ''
  const database = /^[^/]*\/\/[^/?#]*\/([^?#]*)/.exec(url)?.[1] ?? ''
  return `PostgreSQL at ${names}${database === '' ? '' : `, database ${decodeURIComponent(database)}`}`
}

async function requireEmpty(url: string, target: string): Promise<void> {
  const found = await findExisting({ dataDir: '', databaseUrl: url }, installedDatabases)
  if (found.length === 0) return
  process.stderr.write(`${target} is not empty:\n${columns(found.map((line) => [line]))}`)
  throw new CommandError('nothing was moved: give an empty database, or drop these schemas.')
}

/** An earlier version would go on writing in the window. */
async function requireKnowingProcesses(config: Config): Promise<void> {
  const limits = openDatabase(config, 'limits', { durability: 'off', onError: () => {} })
  try {
    const old = (await listProcesses(limits, Date.now())).filter(({ version }) => !version)
    if (old.length === 0) return
    const names = old.map(({ node, pid }) => `${node} (process ${pid})`).join(', ')
    throw new CommandError(
      `an earlier version of the program is running, which would go on writing: restart ${names} with this version, or stop it and wait for two minutes.`,
    )
  } finally {
    await limits.close()
  }
}

function describeEvent(event: MoveEvent): string {
  const format = (count: number): string => count.toLocaleString('en')
  switch (event.type) {
    case 'resumed':
      return 'An earlier run was interrupted: what it has copied is compared, and the rest is copied.'
    case 'reopened':
      return 'An earlier run was interrupted in its read-only window: writes are accepted again until the next one.'
    case 'copied': {
      const { changes, ms, rows } = event
      return `Read ${format(rows)} rows, wrote ${format(changes)} to the target (${seconds(ms)}).`
    }
    case 'window':
      return `Writes are refused from now on, for about ${seconds(event.estimateMs)}. Reads are served.`
  }
}

const seconds = (ms: number): string =>
  `${ms < 9_950 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`

function describeMove(
  { tables, windowMs }: MoveSummary,
  { secretKeys }: Config,
  target: string,
): string {
  const rows = Object.entries(summarize(tables).rows)
  const inTarget = summarize(tables.map((table) => ({ ...table, ...table.target }))).rows
  return [
    `Moved ${sumRows(tables)} to ${target}.`,
    columns([
      ['', 'Source', 'Target'],
      ...rows.map(([name, count]) => [
        name,
        `${count.toLocaleString('en')} rows`,
        `${(inTarget[name] ?? 0).toLocaleString('en')} rows`,
      ]),
    ]),
    `All ${tables.length} tables have the same SHA-256 on both sides (--json lists them).`,
    ...(windowMs === undefined ? [] : [`Writes were refused for ${seconds(windowMs)}.`]),
    'The old databases stay read-only, and the program does not start on them any more.',
    `Now set DATABASE_URL to the new place on every node${secretKeys.length > 0 ? '' : ', keep DATA_DIR with its secret.key'}, and restart the program.`,
  ].join('\n')
}

export async function runReadOnlyOff(input: Input): Promise<undefined> {
  const config = loadConfig()
  const mode = await findReadOnly(config, pausable)
  if (mode) await setReadOnly(config, pausable, undefined)
  const text =
    mode?.state === 'moved'
      ? `Writes are accepted again. The data was moved to ${mode.target}: what is written from now on is missing there.`
      : mode
        ? 'Writes are accepted again.'
        : 'The databases were not read-only.'
  print(input, { wasReadOnly: mode !== undefined, movedTo: mode?.target ?? null }, text)
}
