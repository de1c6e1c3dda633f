// Rows written straight into a publishing database whose schema is there and whose server is stopped.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { SeedTarget } from './seed.ts'

export type Value = string | number | null | Buffer

export interface PublishingRows {
  insert(table: string, values: Record<string, Value>): Promise<void>
  /** With `?` for each value. */
  run(sql: string, values?: Value[]): Promise<void>
}

/** In one transaction, after which what is published counts as changed. */
export async function writePublishing(
  target: SeedTarget,
  write: (rows: PublishingRows) => Promise<void>,
): Promise<void> {
  const { close, run } = 'databaseUrl' in target ? await openPostgres(target) : openSqlite(target)
  const rows: PublishingRows = {
    run,
    async insert(table, values) {
      const columns = Object.keys(values)
      const places = columns.map(() => '?')
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`
      await run(sql, Object.values(values))
    },
  }
  try {
    await run('BEGIN')
    await write(rows)
    await run('UPDATE publishing_state SET version = version + 1')
    await run('COMMIT')
  } finally {
    await close()
  }
}

async function openPostgres({ databaseUrl }: { databaseUrl: string }) {
  const options = '-c search_path=publishing'
  const client = new pg.Client({ connectionString: databaseUrl, options })
  await client.connect()
  return {
    async run(sql: string, values: Value[] = []): Promise<void> {
      let place = 0
      await client.query(
        sql.replaceAll('?', () => `$${++place}`),
        values,
      )
    },
    close: () => client.end(),
  }
}

function openSqlite({ folder }: { folder: string }) {
  const database = new DatabaseSync(join(folder, 'publishing.db'))
  return {
    async run(sql: string, values: Value[] = []): Promise<void> {
      database.prepare(sql).run(...values)
    },
    async close(): Promise<void> {
      database.close()
    },
  }
}
