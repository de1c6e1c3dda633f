// Moves an installation to an empty PostgreSQL database. Everything is copied while the program is running; then the
// copy catches up until little differs. Only the last pass runs in a read-only window, in which writes are refused; it is
// as long as the pass before it, which says how long that will be. At the end both sides have the same rows and digests.

import { BackupError } from '../backups/backup-error.ts'
import type { TableShape, TableSum } from '../backups/backup-format.ts'
import { openSnapshot } from '../backups/open-snapshot.ts'
import { requireEqualShapes } from '../backups/restore-backup.ts'
import type { KnownDatabase } from '../backups/restore-target.ts'
import type { Snapshot } from '../backups/snapshot.ts'
import { sumTable } from '../backups/table-digest.ts'
import type { Place } from '../database/open.ts'
import { findReadOnly, setReadOnly } from '../database/set-read-only.ts'
import { type MergedTable, mergeTable } from './merge-table.ts'
import { type MovedTable, type MoveTarget, openMoveTarget } from './move-target.ts'

export interface MoveOptions {
  known: readonly KnownDatabase[]
  /** The databases whose writes are refused in the window. */
  pausable: readonly string[]
  /** The address of the target, and the same for people, without credentials. */
  url: string
  target: string
  /** Throws if the target has schemas of an installation. */
  requireEmpty(): Promise<void>
  signal: AbortSignal
  now: () => number
  onProgress(progress: MoveProgress): void
  onEvent(event: MoveEvent): void
  /** Above this, the window does not begin. */
  maxWindowMs: number
}

export interface MoveProgress {
  step: 'copying' | 'comparing' | 'checking'
  /** Rows. */
  done: number
  total: number
}

export type MoveEvent =
  | { type: 'resumed' }
  /** An earlier run was interrupted in its window: writes are accepted again. */
  | { type: 'reopened' }
  | { type: 'copied'; rows: number; changes: number; ms: number }
  | { type: 'window'; estimateMs: number }

export interface MoveSummary {
  tables: MovedTable[]
  /** How long writes were refused; undefined if an earlier run had moved everything. */
  windowMs: number | undefined
}

/** Passes that catch up before the window, and how few changes are enough to stop. */
const maxCatchUps = 4
const fewChanges = 1000

/**
 * Throws a BackupError, or the signal's reason; then the source is as it was, and a later run goes on with what was
 * copied. A process that is killed in the window leaves the source read-only.
 */
export async function moveInstallation(from: Place, options: MoveOptions): Promise<MoveSummary> {
  const { known, maxWindowMs, now, onEvent, pausable, signal, target: targetName, url } = options
  const names = known.map(({ name }) => name)
  const mode = await findReadOnly(from, pausable)
  if (mode?.state === 'moved') {
    throw new BackupError(`These databases were moved to ${mode.target}.`)
  }
  if (mode && mode.target !== targetName) {
    throw new BackupError(
      `These databases are being moved to ${mode.target}: run that again, or animal-store read-only off.`,
    )
  }
  const target = await openMoveTarget(
    url,
    known,
    await readInstallation(from, known),
    options.requireEmpty,
  )
  try {
    if (target.published) return await endEarlierRun(target.published)
    if (mode) {
      await setReadOnly(from, pausable, undefined)
      onEvent({ type: 'reopened' })
    }
    if (target.isResumed) onEvent({ type: 'resumed' })
    return await move()
  } finally {
    await target.close()
  }

  /** The last run was killed after it had published: what is missing is the mark in the source. */
  async function endEarlierRun(tables: MovedTable[]): Promise<MoveSummary> {
    if (!mode) {
      throw new BackupError(
        `${targetName} has a copy of an earlier run, and the source was written since: drop its schemas, and run this again.`,
      )
    }
    await finish()
    return { tables, windowMs: undefined }
  }

  async function finish(): Promise<void> {
    await setReadOnly(from, pausable, { state: 'moved', target: targetName, until: null })
    await target.finish()
  }

  async function move(): Promise<MoveSummary> {
    let last = await runPass(from, names, target, options, 'copying')
    for (let i = 0; i < maxCatchUps; i++) {
      last = await runPass(from, names, target, options, 'comparing')
      // The first pass after copying is slower: PostgreSQL completes what was written.
      if (i > 0 && last.changes <= fewChanges) break
    }
    const checkStart = performance.now()
    await target.checkForeignKeys()
    const estimateMs = last.ms + 2 * (performance.now() - checkStart)
    if (estimateMs > maxWindowMs) {
      throw new BackupError(
        `The read-only window would take about ${seconds(estimateMs)}, more than the limit of ${seconds(maxWindowMs)}. Everything so far is kept: run it again with a higher limit, or when there are fewer writes.`,
      )
    }
    signal.throwIfAborted()
    onEvent({ type: 'window', estimateMs })
    const start = performance.now()
    try {
      await setReadOnly(from, pausable, {
        state: 'paused',
        target: targetName,
        until: Math.round(now() + estimateMs),
      })
      last = await runPass(from, names, target, options, 'comparing')
      await target.prepareToPublish(last.tables)
      signal.throwIfAborted()
    } catch (error) {
      await setReadOnly(from, pausable, undefined)
      throw error
    }
    try {
      await target.publish()
    } catch (error) {
      throw new BackupError(
        `It is not known whether ${targetName} is complete (${(error as Error).message}), and writes stay refused: run this again.`,
        { cause: error },
      )
    }
    const windowMs = performance.now() - start
    await finish()
    return { tables: last.tables, windowMs }
  }
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

interface Pass {
  tables: MovedTable[]
  changes: number
  ms: number
}

/** Makes the target equal to a snapshot of the source. Compares both after it, except for the first copy. */
async function runPass(
  from: Place,
  names: readonly string[],
  target: MoveTarget,
  { onEvent, onProgress, signal }: MoveOptions,
  step: 'copying' | 'comparing',
): Promise<Pass> {
  const start = performance.now()
  const source = await openSnapshot(from, names)
  const tables: MovedTable[] = []
  let changes = 0
  try {
    const all = source.databases.flatMap(({ name, tables }) =>
      tables.map((table) => ({ database: name, table })),
    )
    let total = 0
    for (const { database, table } of all) total += await source.countRows(database, table)
    let done = 0
    const changed: { database: string; table: TableShape; source: TableSum }[] = []
    const existing = await target.openSnapshot()
    try {
      requireEqualShapes('The source', source.databases, existing.databases)
      for (const { database, table } of all) {
        const merged = await merge(source, existing, database, table, (count) => {
          done += count
          onProgress({ step, done, total })
        })
        changes += merged.changes
        if (merged.changes > 0) changed.push({ database, table, source: merged.source })
        tables.push(withTarget(merged.source, merged.target))
      }
    } finally {
      await existing.close()
    }
    if (step === 'comparing') await compareAgain(changed)
    const ms = performance.now() - start
    onEvent({ type: 'copied', rows: done, changes, ms })
    return { tables, changes, ms }
  } finally {
    await source.close()
  }

  async function merge(
    snapshot: Snapshot,
    existing: Snapshot,
    database: string,
    table: TableShape,
    onRows: (count: number) => void,
  ): Promise<MergedTable> {
    const write = (batch: Parameters<MoveTarget['write']>[2]): Promise<void> =>
      target.write(database, table, batch)
    try {
      return await mergeTable(snapshot, existing, database, table, { signal, write, onRows })
    } catch (error) {
      if ((error as { code?: unknown }).code !== uniqueViolation) throw error
      // Such as a host that another row has now, and that comes later in the order of the keys.
      await target.clear(database, table)
      const empty = await target.openSnapshot()
      try {
        return await mergeTable(snapshot, empty, database, table, {
          signal,
          write,
          onRows: () => {},
        })
      } finally {
        await empty.close()
      }
    }
  }

  /** Reads the tables that were changed, and throws a BackupError if one is not equal now. */
  async function compareAgain(
    changed: readonly { database: string; table: TableShape; source: TableSum }[],
  ): Promise<void> {
    if (changed.length === 0) return
    const total = changed.reduce((sum, { source: { rows } }) => sum + rows, 0)
    let done = 0
    const snapshot = await target.openSnapshot()
    try {
      for (const { database, source: sum, table } of changed) {
        const found = await sumTable(snapshot, database, table, (count) => {
          signal.throwIfAborted()
          done += count
          onProgress({ step: 'checking', done, total })
        })
        const at = tables.findIndex(
          (each) => each.database === database && each.table === sum.table,
        )
        tables[at] = withTarget(sum, found)
        if (found.rows === sum.rows && found.sha256 === sum.sha256) continue
        throw new BackupError(
          `The table ${database}.${sum.table} differs after it was copied: ${sum.rows} rows in the source, ${found.rows} in the target, or other values. Does another process write to the target?`,
        )
      }
    } finally {
      await snapshot.close()
    }
  }
}

const uniqueViolation = '23505'

const withTarget = (source: TableSum, { rows, sha256 }: TableSum): MovedTable => ({
  ...source,
  target: { rows, sha256 },
})

/** The id of the installation that the databases belong to. Throws a BackupError if there are no databases. */
async function readInstallation(from: Place, known: readonly KnownDatabase[]): Promise<string> {
  const snapshot = await openSnapshot(
    from,
    known.map(({ name }) => name),
  )
  try {
    for (const { name, version } of snapshot.databases) {
      const newest = known.find((each) => each.name === name)?.migrations.at(-1)?.id
      if (version !== newest) {
        throw new BackupError(
          `The database ${name} has version ${version}, and this program ${newest}: start this program on it first, or use the one that runs there.`,
        )
      }
    }
    for (const { name, tables } of snapshot.databases) {
      const schedule = tables.find((table) => table.name === 'backup_schedule')
      if (!schedule) continue
      const at = schedule.columns.findIndex((column) => column.name === 'installation')
      for await (const [row] of snapshot.readRows(name, schedule)) return String(row?.[at])
    }
    throw new BackupError('The databases have no id of an installation: start this program there.')
  } finally {
    await snapshot.close()
  }
}
