// The contents of a backup as text for terminals, and for --json.
import type { TableSum } from '#kit/backups/backup-format.ts'

/** `1,234 rows in 4 databases`. */
export function sumRows(tables: readonly TableSum[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const databases = new Set(tables.map(({ database }) => database)).size
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} in ${databases} databases`
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
