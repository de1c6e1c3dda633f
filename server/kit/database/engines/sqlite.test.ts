// A statement is compiled once for a connection, whatever its parameters are. The counter changes with every commit of any
// connection or process, and only then.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { queriesFor } from '../query.ts'
import { createChangeCounter, createSession } from './sqlite.ts'

it('compiles a statement with a limit once', async () => {
  const connection = new DatabaseSync(':memory:')
  onTestFinished(() => connection.close())
  connection.exec(
    'create table rows (id integer primary key); insert into rows values (1), (2), (3)',
  )
  let compiled = 0
  // Called for each part of a statement that is compiled.
  connection.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) compiled++
    return constants.SQLITE_OK
  })
  const session = createSession(connection)
  const query = queriesFor<{ rows: { id: bigint } }>()<{ limit: number }>()((db, param) =>
    db.selectFrom('rows').select('id').orderBy('id').limit(param('limit')),
  )
  for (const limit of [1, 2, 3]) {
    expect(await session.tuples(query, { limit })).toHaveLength(limit)
  }
  expect(compiled).toBe(1)
})

const folder = mkdtempSync(join(tmpdir(), 'change-counter-'))
const path = join(folder, 'a.db')
const writer = new DatabaseSync(path)
writer.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (a)')
const reader = new DatabaseSync(path, { readOnly: true })
const counter = createChangeCounter(reader)
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
  const before = counter()
  expect(counter()).toBe(before)
  change()
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
