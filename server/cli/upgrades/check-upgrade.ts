// What the installed version would do with the present databases, and whether it may: pure functions of what was read.
import { compareVersions } from '../../platform/config/compare-versions.ts'
import { type Migration, statementsOf } from '../../platform/database/migrate.ts'
import { firstVersion } from '../../platform/system/processes.ts'

/**
 * Processes of this version and later may run beside this one (CONTRIBUTING, "Migrations"). Raised when a migration
 * breaks the statements of earlier ones.
 */
const compatibleSince = '1.0.0-rc.1'

/** Rows that a statement reads or writes in a second, on a slow disk. */
const rowsPerSecond = 100_000

export interface PendingMigration {
  id: number
  name: string
  /** Rows of the tables that it writes or reads as a whole. */
  rows: number
  estimatedSeconds: number
}

export interface DatabaseCheck {
  name: string
  version: number
  newVersion: number
  pending: PendingMigration[]
  /** Why this program refuses the database. */
  problem: string | undefined
}

/** `applied`: checksums by id, null where none is stored. `rows`: by table. */
export function checkDatabase(
  name: string,
  engine: 'sqlite' | 'postgres',
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, string | null>,
  rows: ReadonlyMap<string, number>,
): DatabaseCheck {
  const version = Math.max(0, ...applied.keys())
  const newVersion = migrations.at(-1)?.id ?? 0
  const known = migrations.filter(({ id }) => id <= version)
  const changed = known.find((migration) => {
    const stored = applied.get(migration.id)
    return stored !== null && stored !== statementsOf(migration, engine).checksum
  })
  const pending = migrations
    .filter(({ id }) => id > version)
    .map((migration) => {
      const tables = findWrittenTables(statementsOf(migration, engine).text)
      const count = tables.reduce((sum, table) => sum + (rows.get(table) ?? 0), 0)
      const { id, name } = migration
      return { id, name, rows: count, estimatedSeconds: Math.ceil(count / rowsPerSecond) }
    })
  const problem =
    version > newVersion
      ? `it has version ${version}, and this program knows ${newVersion}: use a newer program`
      : changed
        ? `its migration ${changed.id} (${changed.name}) is not this program's: use the program that created it`
        : undefined
  return { name, version, newVersion, pending, problem }
}

/** The tables whose rows a migration goes through; adding a table or a column does not depend on their number. */
export function findWrittenTables(sql: string): string[] {
  const found = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .flatMap((statement) => patterns.map((pattern) => pattern.exec(statement)?.[1]))
  return [...new Set(found)].filter((name) => name !== undefined)
}

const patterns = [
  /^\s*update\s+(\w+)/i,
  /^\s*delete\s+from\s+(\w+)/i,
  /^\s*insert\s+into\s[\s\S]*?\bselect\b[\s\S]*?\bfrom\s+(\w+)/i,
  /^\s*create\s+(?:unique\s+)?index\s+\w+\s+on\s+(\w+)/i,
  /^\s*alter\s+table\s+(\w+)\s+(?:drop\s+column|alter\s+column|add\s+constraint)/i,
]

/** Whether a process of this version may run beside this one. The first version records none (null). */
export const isCompatible = (version: string | null): boolean =>
  compareVersions(version ?? firstVersion, compatibleSince) >= 0
