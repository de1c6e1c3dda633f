// upgrade check says what this version would do with the data of an earlier one, and changes nothing.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { knownDatabases } from '../../server/cli/backups/known-databases.ts'
import { migrateDatabase } from '../../server/platform/database/open.ts'
import { folderForTest, placeForTest } from '../backups/backups-in-test.ts'
import { cases } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'
import { loadRelease, releases } from './release-data.ts'

interface Report {
  isReady: boolean
  databases: { name: string; version: number; pending: { id: number }[]; problem: string | null }[]
  processes: { version: string | null; isCompatible: boolean }[]
  lastBackupAt: string | null
  problems: string[]
}

async function check(place: TestDatabase, ...options: string[]) {
  const { status, stderr, stdout } = await runCommand(place, [
    'upgrade',
    'check',
    ...options,
    '--json',
  ])
  expect(stderr).toBe('')
  return { status, ...(JSON.parse(stdout) as Report) }
}

async function migrationsOf(place: TestDatabase): Promise<unknown[]> {
  return await query(place, 'publishing', 'select id from migrations order by id')
}

describe.each(cases(engines))('upgrade check on %s', (engine) => {
  it('lists the migrations of an earlier release, and needs a backup', async () => {
    const { place } = await loadRelease(engine, releases[0] ?? '')
    const before = await migrationsOf(place)
    const found = await check(place)
    expect(found).toMatchObject({ status: 1, isReady: false, lastBackupAt: null })
    expect(found.problems).toEqual([expect.stringContaining('There is no backup')])
    const publishing = found.databases.find(({ name }) => name === 'publishing')
    expect(publishing).toMatchObject({ version: before.length, problem: null })
    expect(publishing?.pending[0]?.id).toBe(before.length + 1)

    const file = join(await folderForTest(), 'before.backup')
    expect((await runCommand(place, ['backup', file])).status).toBe(0)
    expect(await check(place, '--backup', file)).toMatchObject({ status: 0, isReady: true })
    expect(
      await check(place, '--backup', join(file, '..'), '--max-backup-age', '0s'),
    ).toMatchObject({
      status: 1,
      problems: [expect.stringContaining('it has to be from the last 0s')],
    })
    expect(await migrationsOf(place)).toEqual(before)
    const { status, stdout } = await runCommand(place, ['upgrade', 'check', '--backup', file])
    expect(status).toBe(0)
    expect(stdout).toMatch(/\nReady to upgrade\. The migrations take about \d+ s\.\n$/)
  })

  it('finds other migrations, newer databases and processes of versions that cannot run beside it', async () => {
    const place = await placeForTest(engine)
    for (const { migrations, name } of knownDatabases) {
      await migrateDatabase(place, name, [...migrations])
    }
    const now = Date.now()
    for (const [id, version] of [
      ['a', `'0.9.0'`],
      ['b', 'null'],
    ]) {
      await query(
        place,
        'limits',
        `insert into processes (id, node, pid, started_at, seen_at, version)
         values ('${id}', 'web', 7, ${now}, ${now}, ${version})`,
      )
    }
    await query(place, 'production', `update migrations set checksum = 'other' where id = 2`)
    await query(place, 'staging', `insert into migrations (id, name) values (99, 'later')`)
    const { databases, problems, processes, status } = await check(place)
    expect(status).toBe(1)
    expect(databases.filter(({ problem }) => problem).map(({ name }) => name)).toEqual([
      'production',
      'staging',
    ])
    expect(processes.map(({ isCompatible, version }) => [version, isCompatible])).toEqual([
      ['0.9.0', false],
      [null, true],
    ])
    expect(problems).toEqual([
      expect.stringContaining(`The database production: its migration 2`),
      expect.stringContaining('The database staging: it has version 99'),
      expect.stringContaining('The process 7 on web has version 0.9.0, which cannot run beside'),
      expect.stringContaining('There is no backup'),
    ])
  })
})
