// What a write is answered when its transaction is cut, delayed or refused, at every point: 503 with Retry-After when
// nothing was changed, and never will be; 504 outcome_unknown when the commit was sent and not confirmed. Repeated with
// its Idempotency-Key, it is executed once either way.

import { execFileSync } from 'node:child_process'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { type Answer, startStore } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { type CommitFault, startPostgresProxy } from './postgres-proxy.ts'
import { serveForTest } from './processes.ts'
import { Shop } from './shop.ts'
import {
  count,
  create,
  expectNothingChanged,
  expectOnce,
  expectUnknown,
  shortTimeout,
  slow,
  startOn,
  unknown,
} from './written-once.ts'

describe.runIf(engines.includes('postgres'))('a create behind a faulty network', slow, () => {
  async function startProxy() {
    const place = await placeForTest('postgres')
    const proxy = await startPostgresProxy(place.databaseUrl as string)
    onTestFinished(() => proxy.close())
    return { place, proxied: { ...place, databaseUrl: proxy.url }, proxy }
  }
  async function start(env: Record<string, string> = {}) {
    const { proxied, proxy } = await startProxy()
    return { proxy, store: await startOn(proxied, env) }
  }

  /** Only what is held is answered when its time is over. */
  const timeoutFor = ({ action }: CommitFault): Record<string, string> =>
    action === 'hold' ? { DATABASE_TIMEOUT_MS: shortTimeout } : {}

  const beforeCommit: [string, CommitFault][] = [
    ['cut in its transaction', { at: 'statement', action: 'cut' }],
    ['delayed in its transaction', { at: 'statement', action: 'hold' }],
  ]
  it.each(cases(beforeCommit))('%s, has changed nothing: a 503', async (_, fault) => {
    const { proxy, store } = await start(timeoutFor(fault))
    const { release } = proxy.inject('first-Rex', fault)
    expectNothingChanged(await create(store, 'Rex', 'first-Rex'))
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
  it.each(cases(atCommit))('%s, has an unknown outcome: a 504', async (_, fault, wasCommitted) => {
    const { proxy, store } = await start(timeoutFor(fault))
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
    const [rex, max] = (await queued) as [Answer, Answer]
    expectUnknown(rex)
    // Unless it came too late for the batch.
    if (max.status !== 201) expectUnknown(max)
    await create(store, 'Rex', 'Rex')
    await create(store, 'Max', 'Max')
    expect([await count(store, 'Rex'), await count(store, 'Max')]).toEqual([1, 1])
  })

  const production = ['--environment', 'production']
  const commands: [string, string[], string][] = [
    ['keys create', ['keys', 'create', '--label', 'till', ...production], ''],
    [
      'animals import',
      ['animals', 'import', '-', ...production],
      '[{"name":"till","categoryId":1}]',
    ],
  ]
  it.each(cases(commands))(
    'by %s is to be checked before it is repeated',
    async (_, words, input) => {
      const { proxied, proxy } = await startProxy()
      proxy.inject('till', { at: 'committed', action: 'cut' })
      const { status, stderr } = await runCommand(proxied, words, {}, input)
      expect(stderr).toContain('Check before you run the command again.')
      expect(status).toBe(1)
      const [noun = ''] = words
      const show = noun === 'keys' ? ['keys', 'list'] : ['animals', 'export']
      const { stdout } = await runCommand(proxied, [...show, ...production])
      expect(stdout.match(/\btill\b/g)).toHaveLength(1)
    },
  )

  it('is stored once when its client hangs up during the commit', async () => {
    const { proxy, store } = await start()
    const { reached, release } = proxy.inject('Rex', { at: 'committed', action: 'hold' })
    const agent = new Agent({ keepAlive: true })
    const rexOnce = { body: { name: 'Rex', categoryId: 1 }, headers: { 'idempotency-key': 'Rex' } }
    const hangingUp = store.ask('/pets', { ...rexOnce, agent }).catch(() => {})
    await reached
    agent.destroy()
    await hangingUp
    release()
    await expectOnce(store, 'Rex', true)
  })

  it('is answered when the program stops during the commit', async () => {
    const { place, proxied, proxy } = await startProxy()
    const store = await startStore('postgres', { place: proxied })
    const { reached, release } = proxy.inject('Rex', { at: 'committed', action: 'hold' })
    const creating = create(store, 'Rex', 'Rex')
    await reached
    const stopped = store.running.stop()
    release()
    expect((await creating).status).toBe(201)
    await stopped
    const { ask, ...again } = await startOn(place)
    const key = store.keys.production
    await expectOnce({ ...again, ask: (path, asked) => ask(path, { key, ...asked }) }, 'Rex', true)
  })

  it('of a rate limit has changed nothing that was asked for: a 503', async () => {
    const { proxy, store } = await start({ RATE_LIMIT: '1000/1h' })
    const words = ['keys', 'list', '--json', ...production]
    const [key] = JSON.parse((await runCommand(store.place, words)).stdout) as [{ id: string }]
    for (const at of ['statement', 'answer'] as const) {
      for (const ask of [() => create(store, 'Rex'), () => store.ask('/pets')]) {
        const { reached } = proxy.inject(key.id, { at, action: 'cut', schema: 'production' })
        expectNothingChanged(await ask())
        await reached
      }
    }
    expect(await count(store, 'Rex')).toBe(0)
  })

  it('that fails after an earlier commit of its request has changed something: a 504', async () => {
    const { proxied, proxy } = await startProxy()
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
})

describe.runIf(engines.includes('sqlite'))('a create on SQLite', slow, () => {
  async function startLockable() {
    const place = await placeForTest('sqlite')
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
    const served = await serveForTest(await placeForTest('sqlite'))
    const shop = new Shop(served.port, served.keys.production)
    const limitFiles = (bytes: string): Buffer =>
      execFileSync('prlimit', ['--pid', `${served.pid}`, `--fsize=${bytes}`])
    expect((await shop.create('First')).status).toBe(201)
    limitFiles('1024:unlimited')
    const response = await shop.create('Rex', 'Rex')
    expect(response.json).toEqual(unknown)
    expect(response.headers).not.toHaveProperty('retry-after')
    limitFiles('unlimited:unlimited')
    expect((await shop.create('Rex', 'Rex')).status).toBe(201)
    const pets = await shop.walk('/pets')
    expect(pets.map(({ name }) => name)).toEqual(['First', 'Rex'])
    expect(await served.end()).toBe(0)
  })
})
