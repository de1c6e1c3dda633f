// What a write is answered when its transaction is cut, delayed or refused, at every point: 503 with Retry-After when
// nothing was changed, and never will be; 504 outcome_unknown when the commit was sent and not confirmed. Repeated with
// its Idempotency-Key, it is executed once either way.
import { execFileSync } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type Engine, engines, type TestDatabase } from '../database.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { type Answer, type RunningStore, startStore } from '../running-store.ts'
import { type CommitFault, startPostgresProxy } from './postgres-proxy.ts'
import { serveForTest } from './processes.ts'
import { Shop } from './shop.ts'

/** DATABASE_TIMEOUT_MS where a test waits until it is over. */
const shortTimeout = '2000'

const unavailable = { code: 'unavailable', status: 503, message: expect.any(String) }
const unknown = {
  code: 'outcome_unknown',
  status: 504,
  message: expect.stringMatching(/Idempotency-Key/),
}

function expectNothingChanged(answer: Answer): void {
  expect(answer.json).toEqual(unavailable)
  expect(answer.headers['retry-after']).toBe('1')
}

function expectUnknown(answer: Answer): void {
  expect(answer.json).toEqual(unknown)
  expect(answer.status).toBe(504)
  expect(answer.headers).not.toHaveProperty('retry-after')
}

const create = (store: RunningStore, name: string, key?: string): Promise<Answer> =>
  store.ask('/pets', {
    body: { name, categoryId: 1 },
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  })

/** How many animals have the name. */
async function count(store: RunningStore, name: string): Promise<number> {
  const { json, status } = await store.ask('/pets?limit=100')
  expect(status).toBe(200)
  return (json as { name: string }[]).filter((pet) => pet.name === name).length
}

/** Repeats a create with its key: it was executed once, then or now. */
async function expectOnce(store: RunningStore, name: string, wasCommitted: boolean): Promise<void> {
  const again = await create(store, name, name)
  expect(again.status).toBe(201)
  expect(again.headers['idempotent-replayed']).toBe(wasCommitted ? 'true' : undefined)
  expect(await count(store, name)).toBe(1)
  expect((await create(store, name, name)).text).toBe(again.text)
}

async function placeFor(engine: Engine): Promise<TestDatabase> {
  const place = await createTestDatabase(engine)
  onTestFinished(() => place.release())
  return place
}

async function startOn(place: TestDatabase, env: Record<string, string> = {}) {
  const store = await startStore(place.engine, { place, env })
  onTestFinished(() => store.release())
  return store
}

describe.runIf(engines.includes('postgres'))('a create behind a faulty network', () => {
  async function start(env: Record<string, string> = {}) {
    const place = await placeFor('postgres')
    const proxy = await startPostgresProxy(place.databaseUrl as string)
    onTestFinished(() => proxy.close())
    const store = await startOn({ ...place, databaseUrl: proxy.url }, env)
    return { proxy, store }
  }

  const beforeCommit: [string, CommitFault][] = [
    ['cut in its transaction', { at: 'statement', action: 'cut' }],
    ['delayed in its transaction', { at: 'statement', action: 'hold' }],
  ]
  it.each(beforeCommit)('%s, has changed nothing: a 503', async (_, fault) => {
    const { proxy, store } = await start({ DATABASE_TIMEOUT_MS: shortTimeout })
    const { release } = proxy.inject('Rex', fault)
    expectNothingChanged(await create(store, 'Rex'))
    release()
    // In the order of commits, so that the first one would be there.
    expect((await create(store, 'Later')).status).toBe(201)
    expect(await count(store, 'Rex')).toBe(0)
    expect((await create(store, 'Rex')).status).toBe(201)
    expect(await count(store, 'Rex')).toBe(1)
  })

  const atCommit: [string, CommitFault, boolean][] = [
    ['cut before its commit arrives', { at: 'commit', action: 'cut' }, false],
    ['whose commit arrives too late', { at: 'commit', action: 'hold' }, false],
    ['cut after its commit', { at: 'committed', action: 'cut' }, true],
    ['whose commit is confirmed too late', { at: 'committed', action: 'hold' }, true],
  ]
  it.each(atCommit)('%s, has an unknown outcome: a 504', async (_, fault, wasCommitted) => {
    const { proxy, store } = await start({ DATABASE_TIMEOUT_MS: shortTimeout })
    const { release } = proxy.inject('Rex', fault)
    expectUnknown(await create(store, 'Rex', 'Rex'))
    release()
    await expectOnce(store, 'Rex', wasCommitted)
  })

  it('is answered 504 together with the writes of its batch, and those that wait are not', async () => {
    const { proxy, store } = await start()
    const holding = proxy.inject('First', { at: 'committed', action: 'hold' })
    const first = create(store, 'First')
    await holding.reached
    // These share the next transaction.
    const cutting = proxy.inject('Rex', { at: 'commit', action: 'cut' })
    const batch = [create(store, 'Rex', 'Rex'), create(store, 'Max', 'Max')]
    const queued = Promise.all(batch)
    holding.release()
    expect((await first).status).toBe(201)
    await cutting.reached
    for (const answer of await queued) {
      if (answer.status !== 201) expectUnknown(answer)
    }
    await create(store, 'Rex', 'Rex')
    await create(store, 'Max', 'Max')
    expect([await count(store, 'Rex'), await count(store, 'Max')]).toEqual([1, 1])
  })

  it('is stored once when its client hangs up during the commit', async () => {
    const { proxy, store } = await start()
    const { reached, release } = proxy.inject('Rex', { at: 'committed', action: 'hold' })
    const agent = new Agent({ keepAlive: true })
    const hangingUp = createAndHangUp(store, agent, 'Rex')
    await reached
    agent.destroy()
    await hangingUp
    release()
    await expectOnce(store, 'Rex', true)
  })

  it('is answered when the program stops during the commit', async () => {
    const place = await placeFor('postgres')
    const proxy = await startPostgresProxy(place.databaseUrl as string)
    onTestFinished(() => proxy.close())
    const store = await startStore('postgres', { place: { ...place, databaseUrl: proxy.url } })
    const { reached, release } = proxy.inject('Rex', { at: 'committed', action: 'hold' })
    const creating = create(store, 'Rex', 'Rex')
    await reached
    const stopped = store.running.stop()
    release()
    expect((await creating).status).toBe(201)
    await stopped
    const again = await startOn(place)
    const key = store.keys.production
    await expectOnce(
      { ...again, ask: (path, asked) => again.ask(path, { key, ...asked }) },
      'Rex',
      true,
    )
  })

  it('that fails after an earlier commit of its request has changed something: a 504', async () => {
    const place = await placeFor('postgres')
    const proxy = await startPostgresProxy(place.databaseUrl as string)
    onTestFinished(() => proxy.close())
    const proxied = { ...place, databaseUrl: proxy.url }
    const { operator, release } = await startPublishing('postgres', { place: proxied })
    onTestFinished(release)
    await operator.create('docs')
    // The files are stored first, then the deploy with their paths.
    proxy.inject('first-page.html', { at: 'statement', action: 'cut' })
    const body = archiveOf({ 'first-page.html': 'x' })
    const upload = { body, type: 'application/octet-stream' }
    expectUnknown(await operator.ask('/projects/docs/archives', upload))
    expect((await operator.ask('/projects/docs/archives', upload)).status).toBe(201)
  })

  it('is never stored twice, nor without an answer that says so, under faults of every kind', async () => {
    const { proxy, store } = await start({ DATABASE_TIMEOUT_MS: shortTimeout })
    const faults = [...beforeCommit, ...atCommit]
    const outcomes = new Map<string, 'stored' | 'not stored' | 'unknown'>()
    const clients = Array.from({ length: faults.length }, async (_, client) => {
      const [, fault] = faults[client] as [string, CommitFault]
      for (let n = 0; n < 3; n++) {
        const name = `${client}-${n}.`
        // The second turn of each client meets no fault of its own, only those of its batch.
        const { release } = n === 1 ? { release() {} } : proxy.inject(name, fault)
        const answer = await create(store, name)
        release()
        if (answer.status === 503) expectNothingChanged(answer)
        else if (answer.status !== 201) expectUnknown(answer)
        const told = { 201: 'stored', 503: 'not stored', 504: 'unknown' } as const
        outcomes.set(name, told[answer.status as 201 | 503 | 504])
      }
    })
    await Promise.all(clients)
    await expect.poll(async () => (await create(store, 'Last')).status).toBe(201)
    const found = new Map<string, number>()
    const { json } = await store.ask('/pets?limit=100')
    for (const { name } of json as { name: string }[]) found.set(name, (found.get(name) ?? 0) + 1)
    for (const [name, outcome] of outcomes) {
      const times = found.get(name) ?? 0
      if (outcome === 'stored') expect([name, times]).toEqual([name, 1])
      if (outcome === 'not stored') expect([name, times]).toEqual([name, 0])
      if (outcome === 'unknown') expect(times).toBeLessThan(2)
    }
    expect(new Set(outcomes.values())).toEqual(new Set(['stored', 'not stored', 'unknown']))
  })
})

/** A create whose connection may break. */
async function createAndHangUp(store: RunningStore, agent: Agent, name: string): Promise<void> {
  const headers = { 'idempotency-key': name }
  await store.ask('/pets', { body: { name, categoryId: 1 }, headers, agent }).catch(() => {})
}

describe.runIf(engines.includes('postgres'))('an error of PostgreSQL', () => {
  /** Raised for animals named Rex, when they are inserted or at the commit. */
  async function startWithTrigger(when: 'insert' | 'commit', action: string) {
    const place = await placeFor('postgres')
    const client = new pg.Client({ connectionString: place.databaseUrl })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    const store = await startOn(place)
    await client.query(`create function production.refuse() returns trigger language plpgsql as
      $$ begin if new.name = 'Rex' then ${action}; end if; return new; end $$`)
    const deferred = when === 'commit' ? 'deferrable initially deferred' : ''
    await client.query(`create constraint trigger refuse after insert on production.pets ${deferred}
      for each row execute function production.refuse()`)
    return { store, drop: () => client.query('drop trigger refuse on production.pets') }
  }

  const transient = [
    '40001',
    '40P01',
    '57P01',
    '57P03',
    '08006',
    '08003',
    '25006',
    '57014',
    '53100',
  ]
  it.each(transient)('%s in a transaction has changed nothing: a 503', async (code) => {
    const { drop, store } = await startWithTrigger(
      'insert',
      `raise exception using errcode = '${code}'`,
    )
    expectNothingChanged(await create(store, 'Rex', 'Rex'))
    await drop()
    await expectOnce(store, 'Rex', false)
  })

  it.each(['40001', '40P01', '57014'])(
    '%s at a commit has changed nothing: a 503',
    async (code) => {
      const { drop, store } = await startWithTrigger(
        'commit',
        `raise exception using errcode = '${code}'`,
      )
      expectNothingChanged(await create(store, 'Rex', 'Rex'))
      await drop()
      await expectOnce(store, 'Rex', false)
    },
  )

  it.each(['40003', '08007'])(
    '%s at a commit says that the outcome is unknown: a 504',
    async (code) => {
      const { drop, store } = await startWithTrigger(
        'commit',
        `raise exception using errcode = '${code}'`,
      )
      expectUnknown(await create(store, 'Rex', 'Rex'))
      await drop()
      await expectOnce(store, 'Rex', false)
    },
  )

  it('that ends the connection in a transaction has changed nothing, at a commit it is unknown', async () => {
    const end = 'perform pg_terminate_backend(pg_backend_pid()), pg_sleep(0)'
    for (const when of ['insert', 'commit'] as const) {
      const { drop, store } = await startWithTrigger(when, end)
      const answer = await create(store, 'Rex', 'Rex')
      if (when === 'insert') expectNothingChanged(answer)
      else expectUnknown(answer)
      await drop()
      await expectOnce(store, 'Rex', false)
    }
  })
})

describe.runIf(engines.includes('postgres'))('a commit that no standby confirms', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    return () => postgres.stop()
  })

  async function start(timeoutMs: string) {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    onTestFinished(() => client.end())
    const name = `standby_${timeoutMs}_${Date.now()}`
    await client.query(`create database ${name}`)
    const databaseUrl = postgres.url.replace(/postgres$/, name)
    const { databaseTimeoutMs: _, ...place } = await placeFor('sqlite')
    const store = await startOn(
      { ...place, engine: 'postgres', databaseUrl },
      {
        DATABASE_TIMEOUT_MS: timeoutMs,
      },
    )
    const require = async (names: string): Promise<void> => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`)
      await client.query('select pg_reload_conf()')
      const shown = async () => (await client.query('show synchronous_standby_names')).rows[0]
      await expect.poll(shown).toEqual({ synchronous_standby_names: names })
    }
    await require('nobody')
    onTestFinished(() => require(''))
    const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep'
      and application_name = 'animal-store production'`
    const signalCommit = async (signal: string): Promise<void> => {
      await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1)
      await client.query(`select ${signal}(pid) from (${waiting}) as w`)
    }
    return { require, signalCommit, store }
  }

  it('is not acknowledged, and the writes behind it change nothing', async () => {
    const { require, store } = await start(shortTimeout)
    expectUnknown(await create(store, 'Rex', 'Rex'))
    expectNothingChanged(await create(store, 'Max', 'Max'))
    await require('')
    await expectOnce(store, 'Rex', true)
    await expectOnce(store, 'Max', false)
  })

  it.each(['pg_cancel_backend', 'pg_terminate_backend'])('nor after %s', async (signal) => {
    const { require, signalCommit, store } = await start('20000')
    const creating = create(store, 'Rex', 'Rex')
    await signalCommit(signal)
    expectUnknown(await creating)
    await require('')
    await expectOnce(store, 'Rex', true)
  })
})

describe.runIf(engines.includes('sqlite'))('a create on SQLite', () => {
  async function startLockable() {
    const place = await placeFor('sqlite')
    const store = await startOn(place, { DATABASE_TIMEOUT_MS: shortTimeout })
    const other = new DatabaseSync(join(place.dataDir, 'production.db'))
    onTestFinished(() => other.close())
    return { other, store }
  }

  it('that waits for another process beyond its deadline is not executed later', async () => {
    const { other, store } = await startLockable()
    other.exec('begin immediate')
    const first = create(store, 'Rex')
    // The next one waits behind the first one.
    expect(await count(store, 'Rex')).toBe(0)
    const queued = create(store, 'Max')
    expectNothingChanged(await first)
    expectNothingChanged(await queued)
    other.exec('rollback')
    expect((await create(store, 'Later')).status).toBe(201)
    expect([await count(store, 'Rex'), await count(store, 'Max')]).toEqual([0, 0])
    expect((await create(store, 'Max')).status).toBe(201)
    expect(await count(store, 'Max')).toBe(1)
  })

  it('whose commit the disk refuses has an unknown outcome, and is executed once', async () => {
    const served = await serveForTest(await placeFor('sqlite'))
    const shop = new Shop(served.port, served.keys.production)
    const limitFiles = (bytes: string): Buffer =>
      execFileSync('prlimit', ['--pid', `${served.pid}`, `--fsize=${bytes}`])
    expect((await shop.create('First')).status).toBe(201)
    limitFiles('1024:unlimited')
    const answer = await shop.create('Rex', 'Rex')
    expect(answer.json).toEqual(unknown)
    expect(answer.headers).not.toHaveProperty('retry-after')
    limitFiles('unlimited:unlimited')
    expect((await shop.create('Rex', 'Rex')).status).toBe(201)
    const pets = await shop.walk('/pets')
    expect(pets.map(({ name }) => name)).toEqual(['First', 'Rex'])
    expect(await served.end()).toBe(0)
  })

  it('is stored once when its client hangs up before the response', async () => {
    const { other, store } = await startLockable()
    other.exec('begin immediate')
    const { httpPort } = store.running.config
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
    const sent = httpRequest({
      ...{ host: '127.0.0.1', port: httpPort, method: 'POST', path: '/v1/pets', agent: false },
      headers: {
        host: 'localhost',
        authorization: `Bearer ${store.keys.production}`,
        'content-type': 'application/json',
        'idempotency-key': 'Rex',
        expect: '100-continue',
      },
    })
    sent.on('error', () => {})
    await new Promise<void>((resolve) => sent.once('continue', () => sent.end(body, resolve)))
    sent.destroy()
    other.exec('rollback')
    const again = await create(store, 'Rex', 'Rex')
    expect(again.status).toBe(201)
    expect(await count(store, 'Rex')).toBe(1)
  })
})
