// Statements on the databases of a place, beside the program.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestDatabase } from './database.ts'

/** Runs a statement in the database of this name, and returns the rows. */
export async function query(
  place: TestDatabase,
  schema: string,
  statement: string,
  /** On SQLite, runs before it. */
  pragma = '',
): Promise<Record<string, unknown>[]> {
  if (place.databaseUrl === undefined) {
    const file = new DatabaseSync(join(place.dataDir, `${schema}.db`), { timeout: 5000 })
    try {
      file.exec(pragma)
      const ready = file.prepare(statement)
      ready.setReadBigInts(true)
      return ready.all()
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    await client.query(`set search_path to ${schema}`)
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
