// Reads that share a transaction see what is committed in between, and hold no lock beyond their turn of the event loop.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createChangeCounter, createSharedReads, type SharedReads } from './sqlite.ts'

let folder: string
let writer: DatabaseSync
let reader: DatabaseSync
let reads: SharedReads

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shared-reads-'))
  const path = join(folder, 'a.db')
  writer = new DatabaseSync(path)
  writer.exec('pragma journal_mode = wal; pragma synchronous = off')
  writer.exec('create table t (a); insert into t values (0)')
  reader = new DatabaseSync(path, { readOnly: true })
  reads = createSharedReads(reader, createChangeCounter(path, reader))
})
afterEach(() => {
  reader.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

function read(): unknown {
  reads.begin()
  return reader.prepare('select a from t').get()?.a
}

/** Whether a connection holds a lock that keeps the log from being reset. */
const isHeld = (): boolean => writer.prepare('pragma wal_checkpoint(restart)').get()?.busy === 1

it('see every commit of another connection', () => {
  for (let i = 1; i < 10; i++) {
    writer.exec(`update t set a = ${i}`)
    expect([read(), read(), read()]).toEqual([i, i, i])
  }
})

it('share a transaction until the turn ends', async () => {
  read()
  expect(reader.isTransaction).toBe(false)
  read()
  expect(isHeld()).toBe(true)
  await turn()
  expect(isHeld()).toBe(false)
  read()
  expect(reader.isTransaction).toBe(false)
})

it('let go of it before a write', () => {
  read()
  read()
  reads.end()
  expect(isHeld()).toBe(false)
  expect([read(), read()]).toEqual([0, 0])
})
