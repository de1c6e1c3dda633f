// What every job of a benchmark run shares.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase } from '../../test/database.ts'
import type { Postgres } from '../../test/postgres.ts'
import type { Cores } from './cores.ts'
import type { EngineName, Options } from './options.ts'

export interface BenchContext {
  options: Options
  cores: Cores
  /** A temporary folder that is deleted at the end of the run. */
  folder: string
  /** Undefined if the run does not include PostgreSQL. */
  postgres: Postgres | undefined
  /** Printed below the table. */
  notes: string[]
  /** Prints a line of progress. */
  log(line: string): void
}

export interface ServerPlace {
  /** A temporary folder that belongs to one server. */
  folder: string
  cores: string | undefined
}

export function createServerPlace({ cores, folder }: BenchContext): ServerPlace {
  return { folder: mkdtempSync(join(folder, 'server-')), cores: cores.server }
}

/** The URL of a new database for a server on `engine`; undefined for SQLite. */
export async function createDatabaseFor(
  { postgres }: BenchContext,
  engine: EngineName,
  name: string,
): Promise<string | undefined> {
  if (engine !== 'postgresql' || !postgres) return undefined
  return await createDatabase(name, 'template1', postgres.url)
}
