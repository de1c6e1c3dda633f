// The counter changes with every commit of any connection or process, and only then. Compared with SQLite's own.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChangeCounter } from './sqlite.ts'

let folder: string
let path: string
let writer: DatabaseSync
let reader: DatabaseSync
let counter: () => number
let own: () => unknown

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'change-counter-'))
  path = join(folder, 'a.db')
  writer = new DatabaseSync(path)
  writer.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (a)')
  reader = new DatabaseSync(path, { readOnly: true })
  counter = createChangeCounter(path, reader)
  own = () => reader.prepare('pragma data_version').get()?.data_version
})
afterAll(() => {
  reader.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

const changes: [string, () => void][] = [
  ['a commit', () => writer.exec('insert into t values (1)')],
  ['a second insert', () => writer.exec('insert into t values (1)')],
  [
    'a commit after a checkpoint',
    () => {
      writer.exec('pragma wal_checkpoint(truncate)')
      writer.exec('insert into t values (1)')
    },
  ],
  [
    'a commit on another connection',
    () => {
      const other = new DatabaseSync(path)
      other.exec('delete from t')
      other.close()
    },
  ],
  [
    'a commit in another process',
    () => {
      const code = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('insert into t values (2)')`
      expect(spawnSync(process.execPath, ['-e', code]).status).toBe(0)
    },
  ],
]

it.each(changes)('changes with %s', (_, change) => {
  const [before, ownBefore] = [counter(), own()]
  expect(counter()).toBe(before)
  change()
  expect(own()).not.toBe(ownBefore)
  expect(counter()).not.toBe(before)
  expect(counter()).toBe(counter())
})

it('does not change with a read, a rollback or an empty checkpoint', () => {
  const before = counter()
  reader.prepare('select * from t').all()
  writer.exec('begin immediate; insert into t values (3); rollback')
  expect(counter()).toBe(before)
})

it('never returns the same number twice in thousands of commits', () => {
  const seen = new Set<number>()
  for (let i = 0; i < 3000; i++) {
    writer.exec(`insert into t values (${i})`)
    seen.add(counter())
  }
  expect(seen.size).toBe(3000)
})

it("keeps SQLite's locks when a second counter opens the file", () => {
  reader.exec('begin')
  reader.prepare('select count(*) from t').get()
  createChangeCounter(path, reader)
  const code = `const d = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)});
    console.log(d.prepare('pragma wal_checkpoint(truncate)').get().busy)`
  writer.exec('insert into t values (4)')
  // The reader's snapshot is older: a process that did not see its lock would reset the log.
  expect(spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' }).stdout.trim()).toBe('1')
  reader.exec('commit')
})
