// An installation is moved to PostgreSQL while it is running: interrupted at several points, resumed, and complete.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { System } from '../../server/platform/system/schema.ts'
import { cases, isLong } from '../cases.ts'
import { type Engine, engines, type TestDatabase } from '../database.ts'
import { killAt } from '../kill-at.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { type Answer, ask, type RunningStore, startStore } from '../running-store.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { emptyPlace, placeForTest, type TableSum } from './backups-in-test.ts'

interface Moved {
  dryRun: boolean
  readOnlyMs: number
  tables: (TableSum & { target: { rows: number; sha256: string } })[]
}

const hasPostgres = engines.includes('postgres')
/** A dozen commands, each of which takes long on a busy machine. */
const slow = { timeout: 300_000 }

const page = '<!doctype html><title>Zoo</title><h1>The zoo is open</h1>'

/** A running program with animals, accounts and a published site, and the empty database that it is moved to. */
async function startedMove(engine: Engine) {
  const place = await placeForTest(engine)
  const store = await startedStore(engine, place)
  const { operator, member } = await peopleAt(portOf(store), store.setUpToken ?? '')
  await operator.create('zoo')
  await operator.deployFolder('zoo', { 'index.html': page, 'map.bin': Buffer.alloc(300_000, 7) })
  const people = [operator.account.id, (await member()).account.id].sort()
  for (let i = 0; i < 5; i++) await created(store, `before ${i}`)
  const target = await emptyPlace('postgres')
  const url = new URL(target.databaseUrl as string)
  const PGPASSWORD = url.password
  url.password = ''
  const migrate = (env: Record<string, string> = {}, ...options: string[]) =>
    runCommand(place, ['migrate-to', url.href, ...options], { PGPASSWORD, ...env })
  return { place, store, operator, people, target: { ...target, dataDir: place.dataDir }, migrate }
}

const portOf = ({ running }: RunningStore): number => running.config.httpPort

async function startedStore(engine: Engine, place: TestDatabase): Promise<RunningStore> {
  const store = await startStore(engine, { place, now: Date.now() })
  onTestFinished(() => store.release())
  return store
}

async function created({ ask }: RunningStore, name: string, key?: string): Promise<number> {
  const answer = await ask('/pets', { body: { name, categoryId: 1 }, ...(key ? { key } : {}) })
  expect(answer.status, answer.text).toBe(201)
  return (answer.json as { id: number }).id
}

/** The status and the message of /readyz. */
async function readyAt({ running }: RunningStore): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${running.config.httpPort}/readyz`)
  const { message = '' } = (await answer.json()) as { message?: string }
  return `${answer.status} ${message}`.trim()
}

function expectRefused(answer: Answer): void {
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    json: { code: 'unavailable', message: expect.stringContaining('Nothing was changed.') },
  })
}

function expectSuccess({ status, stderr, stdout }: CommandResult): Moved {
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

const schemasOf = async (place: TestDatabase): Promise<unknown[]> =>
  (
    await query(
      place,
      'public',
      `select nspname::text as name from pg_namespace
       where nspname !~ '^pg_' and nspname not in ('public', 'information_schema') order by 1`,
    )
  ).map(({ name }) => name)

/** A unique value goes to a row whose key comes before that of its earlier owner. */
async function swapEmails(place: TestDatabase, [first = '', last = '']: string[]): Promise<void> {
  const key = async (id: string): Promise<string> => {
    const [row] = await query(
      place,
      'publishing',
      `select email_key as k from accounts where id = '${id}'`,
    )
    return String(row?.k)
  }
  const [ofFirst, ofLast] = [await key(first), await key(last)]
  for (const [id, value] of [
    [last, 'nobody'],
    [first, ofLast],
    [last, ofFirst],
  ]) {
    await query(
      place,
      'publishing',
      `update accounts set email_key = '${value}' where id = '${id}'`,
    )
  }
}

/** Adds animals one after the other until it is aborted. Returns the ids of those that were acknowledged. */
async function writeUntilAborted(
  { ask }: RunningStore,
  name: string,
  signal: AbortSignal,
): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; !signal.aborted; i++) {
    const answer = await ask('/pets', { body: { name: `${name} ${i}`, categoryId: 1 } })
    if (answer.status === 201) ids.push((answer.json as { id: number }).id)
    else expectRefused(answer)
  }
  return ids
}

describe.runIf(hasPostgres).each(cases(engines))('migrate-to from %s', slow, (engine) => {
  it('moves everything, however often it is interrupted', async () => {
    const { migrate, operator, people, place, store, target } = await startedMove(engine)
    const shop = store.ask

    const tried = expectSuccess(await migrate({}, '--dry-run', '--json'))
    expect(tried.dryRun).toBe(true)
    expect(tried.tables.find(({ table }) => table === 'pets')?.rows).toBeGreaterThanOrEqual(5)
    expect(await schemasOf(target)).toEqual([])

    // Killed while the first tables are copied.
    const killed = await migrate(killAt('insert into publishing_restoring', 3))
    expect(killed).toMatchObject({ status: null, stdout: '' })
    const kept = await created(store, 'between')
    expect((await shop('/pets/1', { method: 'DELETE' })).status).toBe(204)
    await swapEmails(place, people)

    // A window that would be too long does not begin.
    const tooLong = await migrate({}, '--max-read-only', '0s')
    expect(tooLong).toMatchObject({ status: 1, stdout: '' })
    expect(tooLong.stderr).toMatch(/^An earlier run was interrupted: what it has copied/)
    expect(tooLong.stderr).toMatch(/\nanimal-store: The read-only window would take about \d+ s/)
    await created(store, 'after the limit')

    // Killed in the window: writes stay refused, reads are served.
    expect(await migrate(killAt('rename to production'))).toMatchObject({ status: null })
    const listed = await shop('/pets?limit=100')
    expectRefused(await shop('/pets', { body: { name: 'refused', categoryId: 1 } }))
    expectRefused(await operator.ask('/projects', { body: { slug: 'refused', name: 'Refused' } }))
    expect(await shop('/pets?limit=100')).toMatchObject({ status: 200, text: listed.text })
    expect((await operator.ask('/projects/zoo')).status).toBe(200)
    expect(await readyAt(store)).toBe('200')
    const modeShown = async () => ((await operator.ask('/system')).json as System).readOnly
    expect(await modeShown()).toMatchObject({
      state: 'paused',
      target: expect.stringContaining('PostgreSQL at '),
      until: expect.any(String),
    })
    const start = await runCommand(place, ['serve'])
    expect(start).toMatchObject({ status: 2, stdout: '' })
    expect(start.stderr).toMatch(/production is read-only: it is being moved to PostgreSQL at /)

    // Resumed under load: what is acknowledged is in the target, and nothing else.
    const stopping = new AbortController()
    onTestFinished(() => stopping.abort())
    const writers = ['a', 'b'].map((name) => writeUntilAborted(store, name, stopping.signal))
    const writing = Promise.all(writers)
    writing.catch(() => {})
    const done = await migrate({}, '--json')
    const moved = expectSuccess(done)
    stopping.abort()
    const acknowledged = (await writing).flat()
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(done.stderr).toContain('interrupted in its read-only window: writes are accepted again')
    expect(done.stderr).toMatch(/\nWrites are refused from now on, for about [\d.]+ s\./)
    for (const { rows, sha256, target } of moved.tables) expect(target).toEqual({ rows, sha256 })
    expect(await schemasOf(target)).toEqual(['limits', 'production', 'publishing', 'staging'])

    // The old place is read-only, and nothing starts there.
    expectRefused(await shop('/pets', { body: { name: 'late', categoryId: 1 } }))
    expect((await shop('/pets/2')).status).toBe(200)
    await expect
      .poll(() => readyAt(store))
      .toBe('503 Not ready: the data was moved to another database.')
    expect(await modeShown()).toMatchObject({ state: 'moved', until: null })
    const old = await runCommand(place, ['serve'])
    expect(old).toMatchObject({ status: 2, stdout: '' })
    expect(old.stderr).toMatch(/production was moved to PostgreSQL at \S+, database test_\w+: set /)
    expect(old.stderr).not.toContain('@')
    const again = await migrate()
    expect(again).toMatchObject({ status: 1, stdout: '' })
    expect(again.stderr).toMatch(/^animal-store: These databases were moved to PostgreSQL at /)

    const next = await startedStore('postgres', target)
    const key = store.keys.production
    const listedThere = await next.ask('/pets?limit=100', { key })
    expect(listedThere).toMatchObject({ status: 200, text: (await shop('/pets?limit=100')).text })
    const rows = await query(target, 'production', 'select id from pets')
    const pets = new Set(rows.map(({ id }) => Number(id)))
    expect([kept, ...acknowledged].filter((id) => !pets.has(id))).toEqual([])
    expect(await created(next, 'first in the new place', key)).toBe(Math.max(...pets) + 1)
    const site = new URL(`http://zoo.docs.localhost:${portOf(next)}`)
    expect((await ask(portOf(next), site, '', '', { key: null })).text).toBe(page)

    // The way to serve the old place again.
    const lifted = await runCommand(place, ['read-only', 'off'])
    expect(lifted).toMatchObject({ status: 0, stderr: '' })
    expect(lifted.stdout).toContain('written from now on is missing there')
    await created(store, 'in the old place')
    expect(await modeShown()).toBe(null)
  })

  if (isLong)
    it('that is killed after the target is complete only has to mark the source', async () => {
      const { migrate, place, store, target } = await startedMove(engine)
      // The window sets the mode of three databases on SQLite, one by one; then comes the mark.
      const marks = engine === 'sqlite' ? 4 : 2
      const point =
        engine === 'sqlite' ? 'delete from read_only' : 'lock table production.read_only'
      expect(await migrate(killAt(point, marks))).toMatchObject({ status: null, stdout: '' })
      expectRefused(await store.ask('/pets', { body: { name: 'refused', categoryId: 1 } }))
      const ended = expectSuccess(await migrate({}, '--json'))
      for (const { rows, sha256, target } of ended.tables) expect(target).toEqual({ rows, sha256 })
      expect(await schemasOf(target)).toEqual(['limits', 'production', 'publishing', 'staging'])
      const start = await runCommand(place, ['serve'])
      expect(start.stderr).toContain('production was moved to PostgreSQL')
    })
})
