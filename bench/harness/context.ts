// What every job of a benchmark run shares.

import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Cores } from './cores.ts'
import type { EngineName, Options } from './options.ts'
import type { TemporaryPostgres } from './temporary-postgres.ts'

export interface BenchContext {
  options: Options
  cores: Cores
  /** A temporary folder that is deleted at the end of the run. */
  folder: string
  /** Undefined if the run does not include PostgreSQL. */
  postgres: TemporaryPostgres | undefined
  /** Prints a line of progress. */
  log(line: string): void
}

export interface ServerPlace {
  /** A temporary folder that belongs to one server. */
  folder: string
  cores: string | undefined
}

export function createServerPlace(
  { folder }: Pick<BenchContext, 'folder'>,
  cores: string | undefined,
): ServerPlace {
  mkdirSync(folder, { recursive: true })
  return { folder: mkdtempSync(join(folder, 'server-')), cores }
}

/** The URL of a new database for a server on `engine`; undefined for SQLite. */
export function createDatabaseFor(
  { postgres }: Pick<BenchContext, 'postgres'>,
  engine: EngineName,
  name: string,
): string | undefined {
  return engine === 'postgresql' ? postgres?.createDatabase(name) : undefined
}
