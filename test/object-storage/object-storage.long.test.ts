// Large files of sites in a real object storage, OpenStack Swift: what visitors get, kills at each step, deletion, outages,
// damaged objects, and the way back.
// In npm test: test/sites/responses.test.ts.
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Engine, engines, type TestDatabase } from '../database.ts'
import { folderForTest } from '../folder-for-test.ts'
import { emptyPlace } from '../place-for-test.ts'
import {
  day,
  type Files,
  type Person,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { type RunningStore, startStore } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { type Swift, startSwift, type TestBucket } from './swift.ts'

let swift: Swift
beforeAll(async () => {
  swift = await startSwift()
})
afterAll(() => swift.end())

const text = (bytes: number): string =>
  randomBytes(bytes / 4)
    .toString('hex')
    .replace(/./g, '$& ')
const files: Files = {
  'index.html': '<h1>small</h1>',
  // Larger than a block, with both encodings.
  'large.html': `<p>${text(700_000)}`,
  // Sent in pieces.
  'pieces.bin': randomBytes(3_000_000),
  // Never in the cache.
  'huge.bin': randomBytes(9_000_000),
}
const moved = ['/large', '/pieces.bin', '/huge.bin']

type Asked = [path: string, headers?: Record<string, string>, method?: string]
const asked: Asked[] = [
  ['/'],
  ['/huge.bin'],
  ['/huge.bin', { Range: 'bytes=262143-262144' }],
  ...['/large', '/pieces.bin'].flatMap((path): Asked[] => [
    [path],
    [path, { 'Accept-Encoding': 'gzip' }],
    [path, { 'Accept-Encoding': 'br' }],
    [path, {}, 'HEAD'],
    [path, { Range: 'bytes=0-0' }],
    [path, { Range: 'bytes=262143-262144' }],
    [path, { Range: 'bytes=1000-600000' }],
    [path, { Range: 'bytes=-70000' }],
    [path, { Range: 'bytes=99000000-' }],
  ]),
]

describe.each(engines)('object storage on %s', (engine: Engine) => {
  let bucket: TestBucket
  let publishing: PublishingInTest
  let member: Person
  const lines: Record<string, unknown>[] = []
  const log = (): Logger =>
    pino({ level: 'info', base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  const messages = () => lines.map(({ msg }) => msg).filter((msg) => msg !== 'request')

  beforeAll(async () => {
    bucket = await swift.createBucket()
    publishing = await startPublishing(engine, { env: bucket.env, log: log() })
    member = await publishing.member('paid')
  })
  afterAll(async () => {
    await publishing.release()
  })

  const storage = () => publishing.store.running.publishing.objectStorage
  const run = () => storage().runNow()
  const rows = (statement: string) => query(publishing.store.place, 'publishing', statement)
  const objects = () => rows('select key, delete_at from objects order by key')
  /** Files with bytes of this size or more in their row. */
  const inDatabase = async () =>
    (await rows('select hash from files where length(content) >= 65536')).length
  const hashOf = (content: string | Uint8Array) => hash('sha256', content)
  /** The keys of the objects of a file. */
  const keysOf = async (content: string | Uint8Array) =>
    (await bucket.keys()).filter((key) => key.startsWith(hashOf(content)))

  /** Another node on the same database, with nothing in its memory. */
  async function anotherNode(env = bucket.env): Promise<RunningStore> {
    const { clock, place } = publishing.store
    const node = await startStore(engine, { place, env, log: log(), now: clock.now })
    onTestFinished(() => node.release())
    return node
  }

  /** The status is 0 if the connection was cut before the end. */
  async function ask(
    { running }: RunningStore,
    slug: string,
    [path, headers = {}, method = 'GET']: Asked,
  ) {
    const target = { host: '127.0.0.1', port: running.config.httpPort, method, path, agent: false }
    const sent = request({ ...target, headers: { Host: `${slug}.docs.localhost`, ...headers } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const cut = { status: 0, headers: {}, body: Buffer.alloc(0) }
    return await response.toArray().then(
      (chunks) => {
        const { headers, statusCode: status } = response
        return { status, headers, body: Buffer.concat(chunks) }
      },
      () => cut,
    )
  }

  async function answersOf(node: RunningStore, slug: string) {
    const answers = []
    for (const one of asked) {
      const response = await ask(node, slug, one)
      const { date, 'x-request-id': id, ...headers } = response.headers as Record<string, string>
      answers.push({ one, status: response.status, headers, body: hashOf(response.body) })
    }
    return answers
  }

  async function deploy(slug: string, sources: Files): Promise<void> {
    expect(await member.deployFolder(slug, sources)).toMatchObject({ state: 'live' })
  }

  async function publish(slug: string, sources: Files): Promise<void> {
    await member.create(slug)
    await deploy(slug, sources)
  }

  /** What the job does after this time. */
  async function runAfter(ms: number): Promise<void> {
    publishing.pass(ms)
    await member.signIn()
    await run()
  }

  /** What keeps each object that is not to be deleted: the reason of a failure. */
  const uses = async () => {
    const found = await rows(`select objects.key, files.coded, deploy_sources.path, deploys.*
      from objects left join files on files.object = objects.key
      left join deploy_sources on deploy_sources.hash = files.hash
      left join deploys on deploys.project_id = deploy_sources.project_id
        and deploys.number = deploy_sources.number
      where objects.delete_at is null`)
    const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
    return JSON.stringify(found, shown, 2)
  }

  const remove = async (slug: string) => {
    const { status, text } = await member.delete(`/projects/${slug}?name=${slug}`)
    expect(status, text).toBe(204)
    await publishing.store.running.publishing.maintain()
    const left = () => rows(`select number from deploys where state = 'removed'`)
    await expect.poll(left).toEqual([])
  }

  it('serves the same bytes before and after files are moved', async () => {
    await publish('docs', files)
    expect(await inDatabase()).toBe(3)
    const before = await answersOf(publishing.store, 'docs')
    expect(before.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 206, 416]))
    await run()
    expect(await inDatabase()).toBe(0)
    expect((await objects()).map(({ delete_at }) => delete_at)).toEqual([null, null, null])
    expect((await bucket.keys()).sort()).toEqual((await objects()).map(({ key }) => key))
    // In the memory of this process, and for a process without memory of them.
    expect(await answersOf(publishing.store, 'docs')).toEqual(before)
    expect(await answersOf(await anotherNode(), 'docs')).toEqual(before)
    const body = before.find(({ one: [path] }) => path === '/huge.bin')?.body
    expect(body).toBe(hashOf(files['huge.bin'] as Uint8Array))
  })

  it('builds sources that were moved, and waits for them during an outage', async () => {
    const described = text(80_000)
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Zoo', version: '1', description: described },
      paths: {
        '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Pets' } } } },
      },
    })
    await publish('reference', { 'openapi.json': document })
    await run()
    expect(await keysOf(document)).toHaveLength(1)
    await deploy('reference', { 'openapi.json': document, 'about.md': '# About' })
    expect((await publishing.visit('reference', '/about')).text).toContain('About')

    bucket.proxy.setOut(true)
    const { json } = await member.post('/projects/reference/deploys', {
      files: [{ path: 'openapi.json', hash: hashOf(document) }],
    })
    const { number } = json as { number: number }
    const state = () => rows(`select state, attempts, lease from deploys where state = 'uploaded'`)
    await expect.poll(state).toMatchObject([{ lease: null }])
    await expect.poll(() => messages()).toContain('the object storage is unavailable')
    bucket.proxy.setOut(false)
    // Instead of five seconds.
    await rows('update deploys set lease_until = 0 where lease_until is not null')
    await publishing.store.running.publishing.maintain()
    expect(await member.finished('reference', number)).toMatchObject({ state: 'live' })
    await remove('reference')
  })

  it('answers 503 during an outage, logs it once, and goes on', async () => {
    const node = await anotherNode()
    lines.length = 0
    bucket.proxy.setOut(true)
    for (const path of moved) {
      expect(await ask(node, 'docs', [path])).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5', 'cache-control': 'no-store' },
      })
      expect(await ask(node, 'docs', [path, { Range: 'bytes=5-9' }])).toMatchObject({ status: 503 })
      // Its headers are in the database.
      expect(await ask(node, 'docs', [path, {}, 'HEAD'])).toMatchObject({ status: 200 })
    }
    expect((await ask(node, 'docs', ['/'])).body.toString()).toBe(files['index.html'])
    await publish('new', { 'index.html': 'new', 'a.bin': randomBytes(70_000) })
    await run()
    expect((await ask(node, 'new', ['/a.bin'])).status).toBe(200)
    expect(messages().filter((msg) => msg === 'the object storage is unavailable')).toHaveLength(1)
    expect(messages()).toContain('moving files and deleting objects failed; retrying')
    expect(JSON.stringify(lines)).not.toMatch(/testing|Signature=/)
    const metrics = await node.running.metrics.registry.metrics()
    expect(metrics).toMatch(
      /animal_store_object_requests_total\{operation="get",result="failed"\} [1-9]/,
    )
    expect(metrics).toContain('animal_store_object_files_waiting 1\n')

    bucket.proxy.setOut(false)
    await run()
    expect(await inDatabase()).toBe(0)
    expect((await ask(node, 'docs', ['/large'])).status).toBe(200)
    expect(messages()).toContain('the object storage is available again')
    await remove('new')
  })

  it('never serves other bytes than those that were stored', async () => {
    const huge = files['huge.bin'] as Uint8Array
    const [key = ''] = await keysOf(huge)
    const whole = await bucket.read(key)
    const node = await anotherNode()
    lines.length = 0
    const firstBytes: Asked = ['/huge.bin', { Range: 'bytes=0-99' }]
    const lastBytes: Asked = ['/huge.bin', { Range: 'bytes=-100' }]
    const statuses = async () => [
      (await ask(node, 'docs', firstBytes)).status,
      (await ask(node, 'docs', lastBytes)).status,
      // The first pieces are sent, and then the connection is cut.
      (await ask(node, 'docs', ['/huge.bin'])).status,
    ]

    const changed = Buffer.from(whole)
    changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
    await bucket.write(key, changed)
    expect(await statuses()).toEqual([206, 503, 0])
    await bucket.write(key, whole.subarray(0, -1))
    expect(await statuses()).toEqual([206, 503, 0])
    await bucket.delete(key)
    expect(await statuses()).toEqual([503, 503, 503])
    expect(messages()).toEqual(['an object is damaged'])
    await bucket.write(key, whole)
    expect(await statuses()).toEqual([206, 206, 200])
  })

  it('deletes an object 30 days after its last file, not one that is stored again meanwhile', async () => {
    const content = randomBytes(100_000)
    for (const slug of ['one', 'two']) {
      await publish(slug, { 'index.html': slug, 'shared.bin': content })
    }
    await run()
    const [first = ''] = await keysOf(content)
    await remove('one')
    await runAfter(31 * day)
    expect(await keysOf(content)).toEqual([first])
    await remove('two')
    await runAfter(30 * day - 1)
    expect(await keysOf(content)).toEqual([first])

    publishing.pass(1)
    const deletion = bucket.proxy.hold('DELETE', 'before')
    const done = run()
    await deletion.reached
    await publish('three', { 'index.html': 'three', 'shared.bin': content })
    deletion.release()
    await done
    const [second = ''] = await keysOf(content)
    expect(await keysOf(content)).toEqual([second])
    expect(second).not.toBe(first)
    expect((await ask(await anotherNode(), 'three', ['/shared.bin'])).body).toEqual(content)
    await remove('three')
  })

  it('moves each file once when two processes start at the same moment', async () => {
    const node = await anotherNode()
    await member.create('both')
    const some = Array.from({ length: 6 }, (_, i) => [`${i}.bin`, randomBytes(70_000)] as const)
    await deploy('both', { 'index.html': 'both', ...Object.fromEntries(some) })
    const before = (await bucket.keys()).length
    await Promise.all([run(), node.running.publishing.objectStorage.runNow()])
    await run()
    expect(await inDatabase()).toBe(0)
    expect(await bucket.keys()).toHaveLength(before + some.length)
    await remove('both')
  })

  it('loses and leaks nothing when a process is killed at any step', async () => {
    const content = randomBytes(100_000)
    await publish('killed', { 'index.html': 'killed', 'a.bin': content })
    const readingOnly = { ...bucket.env, OBJECT_STORAGE_MOVE: 'off' }
    const served = async () => {
      const response = await ask(await anotherNode(readingOnly), 'killed', ['/a.bin'])
      return response.body.equals(content)
    }

    for (const moment of ['before', 'after'] as const) {
      await killAt('PUT', moment)
      expect(await keysOf(content)).toHaveLength(moment === 'before' ? 0 : 1)
      expect(await served()).toBe(true)
    }
    await expireLease()
    await run()
    expect(await inDatabase()).toBe(0)
    expect(await keysOf(content)).toHaveLength(2)
    // The upload that was not finished.
    await runAfter(day)
    expect(await keysOf(content)).toHaveLength(1)
    expect(await served()).toBe(true)

    await remove('killed')
    // Those of earlier tests, too.
    await runAfter(30 * day - 1)
    publishing.pass(1)
    for (const moment of ['before', 'after'] as const) {
      await killAt('DELETE', moment)
      expect(await keysOf(content)).toHaveLength(moment === 'before' ? 1 : 0)
    }
    await expireLease()
    await run()
    const used = (await objects()).filter(({ delete_at }) => delete_at === null)
    expect(await objects()).toEqual(used)
    expect(used.length, await uses()).toBe(moved.length)
    expect((await bucket.keys()).sort()).toEqual(used.map(({ key }) => key))
  })

  /** Instead of waiting for it, by the clock of the database. */
  const expireLease = () => rows('update object_storage set lease_until = 0')

  /** Starts the job in another process, and kills it when a request has reached the moment. */
  async function killAt(method: string, moment: 'before' | 'after'): Promise<void> {
    const { clock, place } = publishing.store
    const held = bucket.proxy.hold(method, moment)
    const job = join(import.meta.dirname, 'move-in-process.ts')
    await expireLease()
    const child = spawn(process.execPath, [job, `${clock.now}`], {
      env: { ...bucket.env, DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl ?? '' },
      stdio: 'inherit',
    })
    const exited = once(child, 'exit')
    await Promise.race([
      held.reached,
      exited.then(() => Promise.reject(new Error(`it ended before ${method}`))),
    ])
    child.kill('SIGKILL')
    await exited
    held.drop()
  }

  it('says what a backup does not contain, and what is missing after a restore', async () => {
    const { place } = publishing.store
    const file = join(await folderForTest(), 'one.backup')
    const backup = await runCommand(place, ['backup', file])
    expect(backup.stdout).toMatch(/Objects in the object storage are not part of it \(\d+\): keep/)
    const [key = ''] = await keysOf(files['huge.bin'] as Uint8Array)
    const bytes = await bucket.read(key)
    await bucket.delete(key)
    const restored = await emptyPlace(engine)
    const result = await runCommand(restored, ['restore', file, '--json'], bucket.env)
    // The next tests have it, whatever this one finds.
    await bucket.write(key, bytes)
    const found = { objects: { files: 3, missing: [key] } }
    expect(JSON.parse(result.stdout), await uses()).toMatchObject(found)
    expect(result.stderr).toContain(
      `1 of 3 objects are missing in the object storage, such as ${key}`,
    )

    // With the setting for a copy, it only reads the bucket.
    const copy = await startCopy(restored, { OBJECT_STORAGE_MOVE: 'off' })
    const before = bucket.proxy.methods.length
    await copy.running.publishing.objectStorage.runNow()
    const { body } = await ask(copy, 'docs', ['/huge.bin'])
    expect(hashOf(body)).toBe(hashOf(files['huge.bin'] as Uint8Array))
    expect(new Set(bucket.proxy.methods.slice(before))).toEqual(new Set(['GET']))
  })

  /** A year later, when everything that could be deleted is due. */
  const takingOver = (owner: string) => ({
    OBJECT_STORAGE_URL: `${bucket.env.OBJECT_STORAGE_URL}?take_over=${owner}`,
  })

  async function startCopy(place: TestDatabase, env: Record<string, string>) {
    const now = publishing.store.clock.now + 365 * day
    const copy = await startStore(engine, {
      place,
      env: { ...bucket.env, ...env },
      log: log(),
      now,
    })
    onTestFinished(() => copy.release())
    return copy
  }

  const notOwner = () => lines.filter(({ event }) => event === 'object_storage.not_owner')
  const storedOwner = async (place: TestDatabase) =>
    (await query(place, 'publishing', 'select owner from object_storage'))[0]?.owner

  it('writes and deletes nothing in the bucket of another installation until it takes it over', async () => {
    const { place } = publishing.store
    const first = await storedOwner(place)
    const content = randomBytes(100_000)
    await publish('shared', { 'index.html': 'shared', 'shared.bin': content })
    const file = join(await folderForTest(), 'waiting.backup')
    expect((await runCommand(place, ['backup', file])).status).toBe(0)
    const restored = await emptyPlace(engine)
    expect((await runCommand(restored, ['restore', file], bucket.env)).status).toBe(0)
    await run()
    const owner = (await storedOwner(place)) as string
    expect(owner).not.toBe(first)

    lines.length = 0
    const copy = await startCopy(restored, {})
    const before = bucket.proxy.methods.length
    // It has forgotten whose the bucket was; a copy of another kind has an id of before.
    for (const known of ['null', `'${first}'`]) {
      await query(restored, 'publishing', `update object_storage set owner = ${known}`)
      await copy.running.publishing.objectStorage.runNow()
    }
    expect(new Set(bucket.proxy.methods.slice(before))).toEqual(new Set(['GET']))
    expect(notOwner()).toMatchObject([{ owner }])
    const doctor = async (env: Record<string, string>) => {
      const { stdout } = await runCommand(restored, ['doctor', '--json'], { ...bucket.env, ...env })
      const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
      return findings.find(({ area }) => area === 'objects')
    }
    expect(await doctor({})).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining(`take_over=${owner}`),
    })
    expect(await doctor({ OBJECT_STORAGE_MOVE: 'off' })).toMatchObject({ status: 'ok' })

    const next = await startCopy(restored, takingOver(owner))
    await next.running.publishing.objectStorage.runNow()
    expect(bucket.proxy.methods.slice(before)).toContain('PUT')
    expect(await doctor({})).toMatchObject({ status: 'ok', message: 'Responds.' })

    // The original is refused now, and takes the bucket back.
    await deploy('shared', { 'index.html': 'shared', 'new.bin': randomBytes(100_000) })
    lines.length = 0
    await run()
    expect(await inDatabase()).toBe(1)
    const other = notOwner()[0]?.owner as string
    expect(other).toBe(await storedOwner(restored))
    const again = await anotherNode({ ...bucket.env, ...takingOver(other) })
    await again.running.publishing.objectStorage.runNow()
    await run()
    expect(await inDatabase()).toBe(0)
    await remove('shared')
  })

  it('moves files back, after which it can be turned off', async () => {
    const before = await answersOf(publishing.store, 'docs')
    lines.length = 0
    const without = await anotherNode({})
    expect(messages()).toEqual([
      expect.stringContaining('files are in an object storage, but OBJECT_STORAGE_URL is not set'),
    ])
    expect((await ask(without, 'docs', ['/huge.bin'])).status).toBe(503)
    const back = await anotherNode({ ...bucket.env, OBJECT_STORAGE_MOVE: 'back' })
    await back.running.publishing.objectStorage.runNow()
    expect(messages()).toContain(
      'all files are in the database: the object storage can be turned off',
    )
    expect(await rows('select key from objects where delete_at is null')).toEqual([])
    expect(await answersOf(without, 'docs')).toEqual(before)
  })
})
