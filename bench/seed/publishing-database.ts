// Writes rows directly into a migrated publishing database whose server is stopped.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { SeedTarget } from './seed-animals.ts'

export type SqlValue = string | number | null | Buffer

export interface PublishingWriter {
  insert(table: string, values: Record<string, SqlValue>): Promise<void>
  /** `sql` has a `?` for each value. */
  run(sql: string, values?: SqlValue[]): Promise<void>
}

/** Runs `write` in one transaction and increments the version of the published content. */
export async function writePublishing(
  target: SeedTarget,
  write: (writer: PublishingWriter) => Promise<void>,
): Promise<void> {
  const { close, run } = 'databaseUrl' in target ? await openPostgres(target) : openSqlite(target)
  const writer: PublishingWriter = {
    run,
    async insert(table, values) {
      const columns = Object.keys(values)
      const placeholders = columns.map(() => '?')
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders.join(', ')})`
      await run(sql, Object.values(values))
    },
  }
  try {
    await run('BEGIN')
    await write(writer)
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
    async run(sql: string, values: SqlValue[] = []): Promise<void> {
      let index = 0
      await client.query(
        sql.replaceAll('?', () => `$${++index}`),
        values,
      )
    },
    close: () => client.end(),
  }
}

function openSqlite({ folder }: { folder: string }) {
  const database = new DatabaseSync(join(folder, 'publishing.db'))
  return {
    async run(sql: string, values: SqlValue[] = []): Promise<void> {
      database.prepare(sql).run(...values)
    },
    async close(): Promise<void> {
      database.close()
    },
  }
}
