// Backups by the command line, and empty places to restore them into.
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { folderForTest } from '../folder-for-test.ts'
import { type CommandResult, runCommand } from '../served-process.ts'

export interface TableSum {
  database: string
  table: string
  rows: number
  sha256: string
}

export interface BackupReport {
  file: string
  bytes: number
  createdAt: string
  engine: string
  hasKey: boolean
  tables: TableSum[]
}

/** Writes `one.backup` in a new folder. */
export async function backUp(place: TestDatabase, ...options: string[]): Promise<BackupReport> {
  return await backUpTo(join(await folderForTest(), 'one.backup'), place, ...options)
}

export async function backUpTo(
  file: string,
  place: TestDatabase,
  ...options: string[]
): Promise<BackupReport> {
  return reportOf(await runCommand(place, ['backup', file, '--json', ...options]))
}

export async function restore(
  place: TestDatabase,
  file: string,
): Promise<BackupReport & { missingKeys: string[] }> {
  return reportOf(await runCommand(place, ['restore', file, '--json']))
}

function reportOf<Report>({ status, stderr, stdout }: CommandResult): Report {
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}
