// All bytes that a store has on disk: the files of its data folder and, on PostgreSQL, the rows of its tables as text.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestDatabase } from './database.ts'
import { query, queryEach } from './query.ts'

export async function readStoredBytes(place: TestDatabase): Promise<string> {
  const { databaseUrl, dataDir } = place
  const texts = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'))
  if (databaseUrl === undefined) return texts.join('\n')
  const tables = await query(
    place,
    'public',
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('production', 'staging', 'publishing', 'limits')`,
  )
  const statements = tables.map(({ name }) => `select t::text as text from ${name} t`)
  const rows = (await queryEach(place, 'public', statements)).flat()
  return [...texts, ...rows.map(({ text }) => text)].join('\n')
}
