// Finds what a restore would replace. A place that has anything is refused: a restore never overwrites.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../database/open.ts'
import { keyFileIn } from '../secret-key-file.ts'
import { connectForBackup } from './postgres-snapshot.ts'

/** A line for each database file, also a write-ahead log alone, or each schema with tables; empty for an empty place. */
export async function findExisting(
  { databaseUrl, dataDir }: Place,
  names: readonly string[],
): Promise<string[]> {
  return databaseUrl === undefined
    ? findFiles(dataDir, names)
    : await findSchemas(databaseUrl, names)
}

/** The key file, if there is one with another key. */
export function findOtherKey(dataDir: string, key: Buffer): string[] {
  const file = keyFileIn(dataDir)
  try {
    return readFileSync(file).equals(key) ? [] : [`${file} (another key)`]
  } catch {
    return []
  }
}

function findFiles(dataDir: string, names: readonly string[]): string[] {
  const isDatabase = new RegExp(
    `^(${names.map(RegExp.escape).join('|')})\\.db(-wal|-shm|-journal)?$`,
  )
  let found: string[]
  try {
    found = readdirSync(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return found
    .filter((name) => isDatabase.test(name))
    .sort()
    .map((name) => {
      const file = join(dataDir, name)
      const { mtime, size } = statSync(file)
      return `${file} (${size.toLocaleString('en')} bytes, changed ${mtime.toISOString()})`
    })
}

async function findSchemas(url: string, names: readonly string[]): Promise<string[]> {
  const client = await connectForBackup(url)
  try {
    const { rows } = await client.query<{ schema: string; tables: string; bytes: string }>(
      `select n.nspname::text as schema, count(*)::text as tables,
         sum(pg_total_relation_size(c.oid))::text as bytes
       from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'v', 'm')
       where n.nspname = any($1) group by 1 order by 1`,
      [names],
    )
    return rows.map(({ bytes, schema, tables }) => {
      const size = Number(bytes).toLocaleString('en')
      return `schema ${schema} (${tables} ${tables === '1' ? 'table' : 'tables'}, ${size} bytes)`
    })
  } finally {
    await client.end()
  }
}
