// All stored bytes about accounts: the files of SQLite, the rows of PostgreSQL.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { TestDatabase } from '../database.ts'

export async function everythingKept(place: TestDatabase): Promise<string> {
  const files = readdirSync(place.dataDir).map((name) => readFileSync(join(place.dataDir, name)))
  const texts = files.map((bytes) => bytes.toString('latin1'))
  if (place.databaseUrl === undefined) return texts.join('\n')
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  try {
    const tables = await client.query(
      `select schemaname, tablename from pg_tables where schemaname in ('publishing', 'limits')`,
    )
    for (const { schemaname, tablename } of tables.rows) {
      const { rows } = await client.query(`select t::text from ${schemaname}.${tablename} t`)
      texts.push(...rows.map(({ t }) => t))
    }
  } finally {
    await client.end()
  }
  return texts.join('\n')
}
