// Connections to PostgreSQL: through PgBouncer, to several servers, and when there are none left.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isLong } from '../cases.ts'
import { createEmptyDatabase, createTestDatabase, engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { folderForTest } from '../folder-for-test.ts'
import { freePort } from '../lab/free-addresses.ts'
import { placeForTest } from '../place-for-test.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { runCommand } from '../served-process.ts'
import { connectTo, requireStandby } from './postgres-client.ts'

/** A process on this database, which is stopped when the test has finished. */
async function serve(databaseUrl: string, env: Record<string, string> = {}) {
  const dataDir = await folderForTest()
  const place = { engine: 'postgres', dataDir, databaseUrl, databaseTimeoutMs: 20_000 } as const
  return await serveForTest(place, env)
}

const rex = { body: { name: 'Rex', categoryId: 1 } }

describe.runIf(engines.includes('postgres'))('connections to PostgreSQL', () => {
  it('through PgBouncer in session mode: starts, writes and reads', async () => {
    const place = await placeForTest('postgres')
    const served = await serve(await startPgBouncer(new URL(place.databaseUrl as string)))
    expect((await served.ask('/pets', rex)).status).toBe(201)
    expect((await served.ask('/pets/1')).json).toMatchObject({ name: 'Rex' })
    expect(served.log()).not.toContain('unsupported startup parameter')
  })

  if (isLong)
    it.each([
      ['an empty', createEmptyDatabase],
      ['a migrated', createTestDatabase],
    ])('through PgBouncer in transaction mode, to %s database: says why not', async (_, create) => {
      const place = await create('postgres')
      onTestFinished(() => place.release())
      const url = new URL(place.databaseUrl as string)
      const databaseUrl = await startPgBouncer(url, 'transaction')
      const { status, stderr } = await runCommand({ ...place, databaseUrl }, ['serve'])
      expect(stderr).toMatch(/^animal-store: DATABASE_URL .* Set it to session mode, .*\n$/)
      expect(status).toBe(2)
    })

  it('to several servers: uses the one that accepts writes, and its successor', async () => {
    const { primary, standby, urlOf } = await startPair()
    const served = await serve(`${urlOf(standby, primary)}?target_session_attrs=read-write`)
    expect((await served.ask('/pets', rex)).status).toBe(201)
    await hasReplayed(primary, standby)
    await primary.kill()
    const client = await connectTo({ databaseUrl: standby.url })
    await client.query('select pg_promote()')
    await expect.poll(async () => (await served.ask('/pets', rex)).status).toBe(201)
    expect((await served.ask('/pets/1')).json).toMatchObject({ name: 'Rex' })
  })

  if (isLong)
    it('two accept writes, as nobody has stopped the former primary: uses the one promoted last', async () => {
      const { primary: former, standby, urlOf } = await startPair()
      await requireStandby(await connectTo({ databaseUrl: former.url }), '*')
      const served = await serve(urlOf(former, standby), { DATABASE_TIMEOUT_MS: '3000' })
      expect((await served.ask('/pets', rex)).status).toBe(201)
      for (let reads = 0; reads < 3; reads++) {
        expect((await served.ask('/pets/1')).status).toBe(200)
      }
      const client = await connectTo({ databaseUrl: standby.url })
      await client.query('select pg_promote()')
      await client.query(`update production.pets set name = 'Momo';
      update production.store_state set content_version = content_version + 1`)
      await expect.poll(async () => (await served.ask('/pets', rex)).status).toBe(201)
      expect((await served.ask('/pets/1')).json).toMatchObject({ name: 'Momo' })
      const { rows } = await client.query('select count(*)::int as n from production.pets')
      expect(rows[0].n).toBeGreaterThan(1)
    })

  it('a process opens no more than DATABASE_CONNECTIONS', async () => {
    const place = await placeForTest('postgres')
    const served = await serve(place.databaseUrl as string, { DATABASE_CONNECTIONS: '8' })
    const client = await connectTo(place)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        served.ask(i % 2 === 0 ? `/pets?limit=${1 + i}` : '/pets', i % 2 === 0 ? {} : rex),
      ),
    )
    for (const { status } of answers) expect(status).toBeLessThan(300)
    const { rows } = await client.query(
      `select count(*)::int as n from pg_stat_activity
        where datname = current_database() and application_name like 'animal-store%'`,
    )
    expect(rows[0].n).toBeGreaterThan(1)
    expect(rows[0].n).toBeLessThanOrEqual(8)
  })

  if (isLong)
    it('none left: 503 with Retry-After, a log line, and the process goes on', async () => {
      const place = await createTestDatabase('postgres')
      const client = await connectTo(place)
      const url = new URL(place.databaseUrl as string)
      const name = url.pathname.slice(1)
      url.username = `user_${name}`
      url.password = 'secret'
      await client.query(`create role ${url.username} superuser login password 'secret'`)
      const served = await serve(url.href)
      onTestFinished(async () => {
        await served.end('SIGKILL')
        await client.query(`reassign owned by ${url.username} to postgres;
        drop owned by ${url.username}; drop role ${url.username}`)
        await place.release()
      })
      const limit = (connections: number): Promise<unknown> =>
        client.query(`alter role ${url.username} nosuperuser connection limit ${connections};
        grant all on all tables in schema production, staging, publishing, limits to ${url.username};
        grant usage on schema production, staging, publishing, limits to ${url.username};
        select pg_terminate_backend(pid) from pg_stat_activity where usename = '${url.username}'`)
      await limit(0)
      await expect
        .poll(async () => {
          const { headers, status } = await served.ask('/pets', rex)
          const isLogged = served.log().includes('too many connections for role')
          return [status, headers['retry-after'], isLogged]
        })
        .toEqual([503, '1', true])
      // What the driver knows of a connection.
      expect(served.log()).not.toContain('secretKey')
      await limit(50)
      await expect.poll(async () => (await served.ask('/pets', rex)).status).toBe(201)
      expect(served.child.exitCode).toBeNull()
    })
})

/** A primary and its standby; `urlOf` names both, in this order. */
async function startPair() {
  const primary = await startPostgres()
  onTestFinished(() => primary.stop())
  const standby = await startPostgres({ standbyOf: primary })
  onTestFinished(() => standby.stop())
  const urlOf = (one: Postgres, other: Postgres): string =>
    primary.url.replace(/@[^/]+/, `@127.0.0.1:${one.port},127.0.0.1:${other.port}`)
  return { primary, standby, urlOf }
}

/** Resolves when everything that is committed can be read at the standby. */
async function hasReplayed(primary: Postgres, standby: Postgres): Promise<void> {
  const [from, to] = [
    await connectTo({ databaseUrl: primary.url }),
    await connectTo({ databaseUrl: standby.url }),
  ]
  const { lsn } = (await from.query('select pg_current_wal_lsn() as lsn')).rows[0]
  await expect
    .poll(async () => {
      const { rows } = await to.query(`select pg_last_wal_replay_lsn() >= '${lsn}' as done`)
      return rows[0].done
    })
    .toBe(true)
}

/** Debian's PgBouncer before a database; returns the URL to use. */
async function startPgBouncer(database: URL, mode = 'session'): Promise<string> {
  const folder = await folderForTest()
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const target = `host=${database.hostname} port=${database.port} user=${database.username} password=${database.password}`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: 60,
    max_client_conn: 100,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const text = ['[databases]', `* = ${target}`, '[pgbouncer]', ...lines, ''].join('\n')
  await writeFile(file, text, { mode: 0o644 })
  // It refuses to run as root.
  const words = process.getuid?.() === 0 ? ['-u', 'postgres', file] : [file]
  const child = spawn('/usr/sbin/pgbouncer', words, { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      log += chunk
      if (log.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`pgbouncer ended: ${log}`)))
  })
  return `postgres://anyone@127.0.0.1:${port}${database.pathname}`
}
