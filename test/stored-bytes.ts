// All bytes that a store has on disk: the files of its data folder and, on PostgreSQL, the rows of its tables as text.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { TestDatabase } from './database.ts'

export async function readStoredBytes({ databaseUrl, dataDir }: TestDatabase): Promise<string> {
  const texts = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'))
  if (databaseUrl === undefined) return texts.join('\n')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('production', 'staging', 'publishing', 'limits')`,
    )
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`)
      texts.push(...rows.map(({ text }) => text))
    }
  } finally {
    await client.end()
  }
  return texts.join('\n')
}
