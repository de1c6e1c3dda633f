// Statements on the databases of a place, beside the program.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestDatabase } from './database.ts'

type Place = Pick<TestDatabase, 'dataDir' | 'databaseUrl'>

/** Runs a statement in the database of this name, and returns the rows. */
export async function query(
  place: Place,
  schema: string,
  statement: string,
  /** On SQLite, runs before it. */
  pragma = '',
): Promise<Rows> {
  const [rows = []] = await queryEach(place, schema, [statement], pragma)
  return rows
}

type Rows = Record<string, unknown>[]

/** The rows of each statement, by one connection. */
export async function queryEach(
  place: Place,
  schema: string,
  statements: readonly string[],
  pragma = '',
): Promise<Rows[]> {
  if (place.databaseUrl === undefined) {
    const file = new DatabaseSync(join(place.dataDir, `${schema}.db`), { timeout: 5000 })
    try {
      file.exec(pragma)
      return statements.map((statement) => {
        const ready = file.prepare(statement)
        ready.setReadBigInts(true)
        return ready.all()
      })
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    await client.query(`set search_path to ${schema}`)
    const results: Rows[] = []
    for (const statement of statements) results.push((await client.query(statement)).rows)
    return results
  } finally {
    await client.end()
  }
}
