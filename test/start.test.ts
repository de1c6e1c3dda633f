// Start-up: the output of the first start and of later ones, and the messages of failed ones.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cases } from './cases.ts'
import { anyEngine, engines } from './database.ts'
import { startPostgresProxy } from './faults/postgres-proxy.ts'
import { serveForTest } from './faults/processes.ts'
import { listenOnFreePort } from './listen.ts'
import { connectTo } from './nodes/postgres-client.ts'
import { placeForTest } from './place-for-test.ts'
import { program } from './program.ts'
import { query } from './query.ts'
import { environmentOf, runCommand, serveProcess } from './served-process.ts'

describe.each(anyEngine)('a first start on %s', (engine) => {
  it('prints one key for each environment, once', async () => {
    const database = await placeForTest(engine)
    const first = await serveForTest(database)
    expect(first.keys.production).toMatch(/^as_live_/)
    expect(first.keys.staging).toMatch(/^as_test_/)
    expect(await first.end()).toBe(0)
    const second = await serveForTest(database)
    expect(second.keys).toEqual({})
    const { production = '', staging = '' } = first.keys
    const samples = await second.askStaging('/pets?limit=100', { key: staging })
    expect(samples.json).toHaveLength(50)
    expect((await second.ask('/pets', { key: production })).json).toEqual([])
  })

  it.each(
    cases([
      ['https://store.example', 'docs.store.example', 1],
      ['https://admin.store.example', 'store.example', 1],
      ['https://store.example', 'store-docs.example', 0],
      ['http://localhost:8080', 'docs.localhost', 0],
    ]),
  )('with the dashboard %s and PLATFORM_HOST %s logs %i warnings', async (...row) => {
    const [dashboard, platformHost, count] = row
    const env = {
      DASHBOARD_URL: dashboard,
      PLATFORM_HOST: platformHost,
      ACME_DIRECTORY: 'internal',
    }
    const { log } = await serveForTest(await placeForTest(engine), { ...env, HTTPS_PORT: 'off' })
    expect(log().match(/share the domain/g) ?? []).toHaveLength(count)
  })

  it('serves with several workers on one port, and sums up their metrics', async () => {
    const database = await placeForTest(engine)
    const { ask, askServer } = await serveForTest(database, { WORKERS: '2' })
    for (let i = 0; i < 10; i++) expect((await ask('/pets')).status).toBe(200)
    expect((await askServer('/metrics')).text).toMatch(
      /animal_store_requests_total\{[^}]*operation="listPets"[^}]*\} 10\n/,
    )
  })
})

it.each(
  cases(
    [
      [{}, false],
      [{ PLATFORM_HOST: 'sites.example' }, true],
      [{ BASE_URL: 'http://127.0.0.1:1/v1' }, false],
      [{ LISTEN_ADDRESS: '::' }, true],
      [{ BASE_URL: 'https://api.example/v1' }, true],
      [{ DASHBOARD_URL: 'http://store.example' }, true],
    ] as const,
    (_, index) => index < 2,
  ),
)('with %o its network reaches it: %s', async (env, isOpen) => {
  const all = { HTTP_PORT: '0', HTTPS_PORT: 'off', WORKERS: '1', FIRST_PROJECT: 'off', ...env }
  const child = spawn(process.execPath, [program, 'serve'], {
    env: environmentOf(await placeForTest('sqlite'), { ...all, ACME_DIRECTORY: 'internal' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data')
  expect(text.includes('this machine only')).toBe(!isOpen)
  // All of 127.0.0.0/8 is this machine's, and only 127.0.0.1 is bound by default.
  const port = Number(/http:\/\/staging\.localhost:(\d+)/.exec(text)?.[1])
  const socket = connect(port, '127.0.0.2')
  const reached = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  expect(reached).toBe(isOpen)
})

it('serves with few open files, and says so; with too few it does not start', async () => {
  const database = await placeForTest('sqlite')
  const limitedTo = (files: number) => ['sh', '-c', `ulimit -n ${files}; exec "$0" "$@"`]
  const { ask, log } = await serveForTest(database, { HTTP_PROT: '1' }, limitedTo(256))
  expect((await ask('/pets')).status).toBe(200)
  expect(log().match(/may open only 256 files/g)).toHaveLength(1)
  expect(log()).toContain('HTTP_PROT is not a setting; did you mean HTTP_PORT?')
  await expect(serveProcess(database, {}, limitedTo(100))).rejects.toThrow(
    /ended with 2: .*may open only 100 files: raise the limit/,
  )
})

describe('a failed start', () => {
  it.each(
    cases([
      ['HTTP_PORT', '99999', /cannot be "99999": it accepts a port/],
      ['BASE_URL', 'http://localhost/v2', /cannot be .*ends in \/v1/],
      ['RATE_LIMIT', 'many', /cannot be "many": .*600\/60s/],
      ['LOG_LEVEL', 'loud', /cannot be "loud"/],
      ['DATABASE_URL', 'mysql://root:secret@h/d', /cannot be what it was given/],
      ['OIDC_URL', 'http://id:secret@id.example.com', /was given: it accepts the https address/],
      ['OIDC_CLIENT_SECRET', 'some value', /no longer a setting: its value is part of OIDC_URL, /],
      ['DATA_DIR', '/proc/none', /cannot be \/proc\/none/],
    ]),
  )('%s=%s ends with status 2 and one line', async (name, value, line) => {
    const result = await runCommand(await placeForTest('sqlite'), ['serve'], { [name]: value })
    expect(result.stderr).toMatch(line)
    expect(result.stderr).toMatch(new RegExp(`^animal-store: ${name} .*\\n$`))
    expect(result.stderr).not.toMatch(/secret|some value/)
    expect(result.status).toBe(2)
  })

  it.each(
    cases([
      ['HTTP_PORT', '1'],
      ['HTTP_PORT', '2'],
      ['HTTPS_PORT', '1'],
      ['HTTPS_PORT', '2'],
    ]),
  )('a port in use ends with status 2 and one line (%s, WORKERS=%s)', async (name, workers) => {
    const other = createServer()
    const port = String(await listenOnFreePort(other, '::'))
    onTestFinished(() => void other.close())
    const result = await runCommand(await placeForTest('sqlite'), ['serve'], {
      HTTP_PORT: '0',
      WORKERS: workers,
      [name]: port,
    })
    expect(result.stderr).toMatch(new RegExp(`^animal-store: ${name} is in use.*\\n$`))
    expect(result.status).toBe(2)
  })

  it.each(cases(engines))(
    'a database of a newer version ends with status 2 and one line (%s)',
    async (engine) => {
      const database = await placeForTest(engine)
      await (await serveForTest(database)).end()
      const later = "insert into migrations (id, name) values (999, 'later')"
      await query(database, 'production', later)
      const result = await runCommand(database, ['serve'])
      expect(result.stderr).toMatch(
        /^animal-store: The database is at version 999, this program knows \d+/,
      )
      expect(result.status).toBe(2)
    },
  )
})

it.runIf(engines.includes('postgres')).each(cases(['LATIN1', 'SQL_ASCII']))(
  'a new database with the encoding %s is refused, and an old one is a problem',
  async (encoding) => {
    const database = await placeForTest('postgres')
    const client = await connectTo(database)
    const name = `encoded_${encoding.toLowerCase()}_${process.pid}`
    await client.query(
      `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
    )
    onTestFinished(async () => void (await client.query(`drop database ${name} with (force)`)))
    const url = new URL(database.databaseUrl ?? '')
    url.pathname = `/${name}`
    const there = { ...database, databaseUrl: url.href }
    const refused = await runCommand(there, ['serve'], { HTTP_PORT: '0' })
    expect(refused.stderr).toMatch(
      new RegExp(
        `^animal-store: DATABASE_URL .* has the encoding ${encoding}\\. Create one with UTF8`,
      ),
    )
    expect(refused.status).toBe(2)
    const doctor = await runCommand(there, ['doctor'])
    expect(doctor.stdout).toMatch(/^problem +database, encoding: /m)
  },
)

describe.runIf(engines.includes('postgres'))('a start whose database goes away half-way', () => {
  it('waits, says so, and goes on', async () => {
    const database = await placeForTest('postgres')
    await (await serveForTest(database)).end()
    const client = await connectTo(database)
    // Written last, when the background work has begun.
    await client.query('begin; lock table publishing.nodes')
    const { promise: logged, resolve } = Promise.withResolvers<void>()
    const env = { DATABASE_TIMEOUT_MS: '500' }
    const serving = serveForTest(database, env, [], (log) => {
      if (log.includes('"msg":"starting failed; retrying"')) resolve()
    })
    await Promise.race([logged, serving])
    await client.query('commit')
    const { end } = await serving
    expect(await end()).toBe(0)
  })

  it.each(
    cases([
      ['production', 'committed'],
      ['staging', 'statement'],
    ] as const),
  )('in the first key of %s at its %s, keeps all keys', async (schema, at) => {
    const database = await placeForTest('postgres')
    const proxy = await startPostgresProxy(database.databaseUrl as string)
    onTestFinished(() => proxy.close())
    const { reached } = proxy.inject('first key', { at, action: 'cut', schema })
    const { ask, askStaging } = await serveForTest({ ...database, databaseUrl: proxy.url })
    await reached
    for (const each of [ask, askStaging]) expect((await each('/pets')).status).toBe(200)
  })
})
