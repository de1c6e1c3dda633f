// Scheduled backups: one process makes them, old ones are deleted, and status, metric and log say how they ended.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyBackup } from '#kit/backups/read-backup.ts'
import type { System } from '#kit/system/schema.ts'
import { cases } from '../cases.ts'
import { type Engine, engines } from '../database.ts'
import { folderForTest } from '../folder-for-test.ts'
import { placeForTest } from '../place-for-test.ts'
import { day, hour, type Person, startPublishing } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { type StartOptions, startStore } from '../running-store.ts'

async function startScheduled(
  engine: Engine,
  env: Record<string, string> = {},
  options: StartOptions = {},
) {
  const parent = await folderForTest()
  const folder = join(parent, 'backups')
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const publishing = await startPublishing(engine, {
    ...options,
    env: { BACKUP_DIR: folder, ...env },
    log,
  })
  onTestFinished(() => publishing.release())
  const { store } = publishing
  return {
    ...publishing,
    folder,
    /** Messages with their levels. */
    logged: () => lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level} ${msg}`),
    runNow: () => store.running.backups.runNow(),
    files: () => readdirSync(folder).sort(),
    /** The metric; NaN before the first backup. */
    async age() {
      const { text } = await store.askServer('/metrics')
      return Number(/^animal_store_backup_age_seconds (\S+)$/m.exec(text)?.[1])
    },
  }
}

const backupsOf = async (operator: Person) =>
  ((await operator.ask('/system')).json as System).backups

describe.each(cases(engines))('scheduled backups on %s', (engine) => {
  it('are made when they are due, checked, and the oldest are deleted', async () => {
    const { age, files, folder, operator, pass, runNow, store } = await startScheduled(engine, {
      BACKUP_EVERY: '6h',
      BACKUP_KEEP: '2',
    })
    await runNow()
    const [first = ''] = files()
    expect(first).toBe('animal-store-scheduled-20270101T000000Z.backup')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, first)).mode & 0o777).toBe(0o600)
    const { bytes, hasKey } = verifyBackup(join(folder, first))
    expect(hasKey).toBe(false)
    expect(await backupsOf(operator)).toMatchObject({
      last: {
        createdAt: '2027-01-01T00:00:00.000Z',
        file: join(folder, first),
        sizeBytes: bytes,
      },
      nextAt: '2027-01-01T06:00:00.000Z',
      lastFailure: null,
      isOld: false,
    })
    expect(await age()).toBe(0)

    pass(6 * hour - 1)
    await runNow()
    expect(files()).toEqual([first])
    expect(await age()).toBe(6 * 3600 - 0.001)
    pass(1)
    await runNow()
    pass(6 * hour)
    await store.ask('/pets', { body: { name: 'Rex', categoryId: 1 } })
    await runNow()
    expect(files()).toEqual([
      'animal-store-scheduled-20270101T060000Z.backup',
      'animal-store-scheduled-20270101T120000Z.backup',
    ])
    const { manifest } = verifyBackup(join(folder, files()[1] ?? ''))
    const pets = manifest.tables.find(
      ({ database, table }) => database === 'production' && table === 'pets',
    )
    expect(pets?.rows).toBe(1)
  })

  it('delete only files of this installation', async () => {
    const place = await placeForTest(engine)
    // Databases of tests are copies of one, with the mark of one installation.
    await query(place, 'limits', `update backup_schedule set installation = 'other'`)
    const other = await startScheduled(engine, {}, { place })
    await other.runNow()
    const [foreign = ''] = other.files()
    const { files, folder, pass, runNow } = await startScheduled(engine, { BACKUP_KEEP: '1' })
    await runNow()
    const [first = ''] = files()
    // Older than those that are kept, but of another installation, no backups, no files, or named by people.
    const foreignName = 'animal-store-scheduled-20200101T000000Z.backup'
    writeFileSync(join(folder, foreignName), readFileSync(join(other.folder, foreign)))
    const kept = [
      'animal-store-scheduled-20200102T000000Z.backup',
      'animal-store-20200101T000000Z.backup',
      'mine.backup',
      'notes.txt',
    ]
    for (const name of kept) writeFileSync(join(folder, name), 'mine')
    mkdirSync(join(folder, 'animal-store-scheduled-20200103T000000Z.backup'))
    const link = 'animal-store-scheduled-20200104T000000Z.backup'
    symlinkSync(join(folder, first), join(folder, link))
    const mine = 'animal-store-before-the-move.backup'
    writeFileSync(join(folder, mine), readFileSync(join(folder, first)))
    // Of a process that was killed.
    const draft = `${first}.0123456789ab.partial`
    writeFileSync(join(folder, draft), readFileSync(join(folder, first)).subarray(0, 9000))
    const before = files()
    pass(day)
    await runNow()
    const second = 'animal-store-scheduled-20270102T000000Z.backup'
    expect(files()).toEqual(
      [...before.filter((name) => name !== first && name !== draft), second].sort(),
    )
  })

  it('go on after a time in which the clock was ahead', async () => {
    const { files, logged, operator, pass, runNow, store } = await startScheduled(engine, {
      BACKUP_KEEP: '2',
    })
    const warnings = () => logged().filter((line) => line.includes('while the clock was ahead'))
    const year = 365 * day
    await runNow()
    pass(year)
    for (const ms of [0, day, day]) {
      pass(ms)
      await runNow()
    }
    // That it was old after a year.
    expect(warnings()).toHaveLength(1)
    pass(-year - day)
    // And the process that would have made the next one died then.
    const taken = `update backup_schedule set lease = 'died', lease_until = last_at + ${day}`
    await query(store.place, 'limits', taken)
    expect(await backupsOf(operator)).toMatchObject({ isOld: true })
    await runNow()
    expect(warnings()).toHaveLength(2)
    const last = { createdAt: '2027-01-02T00:00:00.000Z' }
    expect(await backupsOf(operator)).toMatchObject({ isOld: false, last })
    // The new one is kept, although two have later names.
    const file = (await backupsOf(operator))?.last?.file ?? ''
    expect(files()).toContain(basename(file))
    await runNow()
    expect(files()).toHaveLength(2)
    expect(warnings()).toHaveLength(2)
  })

  it('that fail are retried and told, and warned about once the last good one is old', async () => {
    const { age, folder, logged, operator, pass, runNow } = await startScheduled(engine)
    await runNow()
    expect((await backupsOf(operator))?.last).not.toBeNull()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'no folder')
    pass(day)
    await runNow()
    const failed = await backupsOf(operator)
    expect(failed).toMatchObject({
      last: { createdAt: '2027-01-01T00:00:00.000Z' },
      nextAt: '2027-01-02T01:00:00.000Z',
      lastFailureAt: '2027-01-02T00:00:00.000Z',
      isOld: false,
    })
    expect(failed?.lastFailure).toContain(folder)
    // Root may write into any folder, but not into a file.
    expect(failed?.lastFailure).toMatch(/ENOTDIR|EEXIST/)
    expect(logged()).toContain('50 backup failed')
    expect(logged()).not.toContain(
      '40 the last good backup is old, or was made while the clock was ahead',
    )

    pass(hour - 1)
    await runNow()
    expect((await backupsOf(operator))?.lastFailureAt).toBe('2027-01-02T00:00:00.000Z')
    pass(day + 1)
    await runNow()
    expect(await backupsOf(operator)).toMatchObject({
      lastFailureAt: '2027-01-03T01:00:00.000Z',
      isOld: true,
    })
    expect(logged()).toContain(
      '40 the last good backup is old, or was made while the clock was ahead',
    )
    expect(await age()).toBe(49 * 3600)

    rmSync(folder)
    pass(hour)
    await runNow()
    const { last, isOld } = (await backupsOf(operator)) ?? {}
    expect({ createdAt: last?.createdAt, isOld }).toEqual({
      createdAt: '2027-01-03T02:00:00.000Z',
      isOld: false,
    })
  })

  it('are made by one process of several', async () => {
    const folder = join(await folderForTest(), 'backups')
    const place = await placeForTest(engine)
    const nodes = []
    for (let i = 0; i < 3; i++) {
      const node = await startStore(engine, { place, env: { BACKUP_DIR: folder } })
      onTestFinished(() => node.release())
      nodes.push(node)
    }
    await Promise.all(nodes.map(({ running }) => running.backups.runNow()))
    const done = await Promise.all(nodes.map(({ running }) => running.backups.status()))
    expect(new Set(done.map((status) => status?.last?.at)).size).toBe(1)
    for (let i = 1; i <= 3; i++) {
      // So that each would write a file of its own.
      for (const [n, { clock }] of nodes.entries()) clock.now += day + 1000 * n
      await Promise.all(nodes.map(({ running }) => running.backups.runNow()))
      expect(readdirSync(folder)).toHaveLength(i + 1)
    }
  })
})
