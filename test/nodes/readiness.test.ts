// /readyz while the database takes no writes, while a process drains, and starts before the database.

import { describe, expect, it, onTestFinished } from 'vitest'
import { isLong } from '../cases.ts'
import { createDataFolder } from '../data-folder.ts'
import { engines } from '../database.ts'
import { startPostgres } from '../postgres.ts'
import { type Answer, ask, startStore } from '../running-store.ts'
import { runCommand, serveProcess } from '../served-process.ts'
import { useTestDatabase } from '../use-test-database.ts'
import { connectTo } from './postgres-client.ts'

const askReadiness = (port: number): Promise<Answer> =>
  ask(port, new URL(`http://localhost:${port}`), '', 'readyz', { key: null })

const readiness = async (port: number): Promise<number> => (await askReadiness(port)).status

describe.runIf(engines.includes('postgres'))('readiness on PostgreSQL', () => {
  it('is lost while the database is read-only, and reads are served', async () => {
    const store = await startStore('postgres')
    onTestFinished(() => store.release())
    const client = await connectTo(store.place)
    const { rows } = await client.query('select current_database() as name')
    const setReadOnly = async (mode: 'on' | 'off'): Promise<void> => {
      await client.query(`set transaction_read_only = off;
        alter database ${rows[0].name} set default_transaction_read_only = ${mode}`)
      // Once it is committed: those that connect again have it.
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
    }
    const { httpPort } = store.running.config
    expect(await readiness(httpPort)).toBe(200)
    await setReadOnly('on')
    // Until it has connected again, no database responds.
    await expect
      .poll(async () => (await askReadiness(httpPort)).json)
      .toMatchObject({ status: 503, message: 'Not ready: the database takes no writes.' })
    await expect.poll(async () => (await store.ask('/pets')).status).toBe(200)
    await setReadOnly('off')
    await expect.poll(() => readiness(httpPort)).toBe(200)
  })

  if (isLong)
    it('comes when the database does: a start before it waits', async () => {
      const postgres = await startPostgres()
      onTestFinished(() => postgres.stop())
      await postgres.kill()
      const dataDir = await createDataFolder('animal-store-test-')
      const { promise: logged, resolve } = Promise.withResolvers<void>()
      const waits = `connecting to PostgreSQL at 127.0.0.1:${postgres.port} failed; retrying`
      const place = { engine: 'postgres', dataDir, databaseUrl: postgres.url } as const
      const serving = serveProcess(place, {}, [], (log) => {
        if (log.includes(waits)) resolve()
      })
      await logged
      await postgres.start()
      const served = await serving
      onTestFinished(() => served.end('SIGKILL').then(() => {}))
      expect(await readiness(served.port)).toBe(200)
    })

  if (isLong)
    it('a start while no standby confirms commits waits, and says so', async () => {
      const postgres = await startPostgres()
      onTestFinished(() => postgres.stop())
      const dataDir = await createDataFolder('animal-store-test-')
      const place = { engine: 'postgres', dataDir, databaseUrl: postgres.url } as const
      const first = await serveProcess(place)
      await first.end()
      const admin = await connectTo(place)
      const waitFor = async (standbys: string): Promise<void> => {
        await admin.query(`set synchronous_commit = local`)
        await admin.query(`alter system set synchronous_standby_names = '${standbys}'`)
        await admin.query('select pg_reload_conf()')
      }
      await waitFor('nobody')
      const { promise: logged, resolve } = Promise.withResolvers<void>()
      const serving = serveProcess(place, { DATABASE_TIMEOUT_MS: '2000' }, [], (log) => {
        if (/"msg":"(preparing the database|starting) failed; retrying"/.test(log)) resolve()
      })
      await Promise.race([logged, serving])
      await waitFor('')
      const served = await serving
      onTestFinished(() => served.end('SIGKILL').then(() => {}))
      await expect.poll(() => readiness(served.port)).toBe(200)
    })

  if (isLong)
    it('a start whose migrations lose their connection, while another process migrates, repeats them', async () => {
      const place = await useTestDatabase('postgres')
      const other = await connectTo(place)
      // Nothing waits for the lock where there is nothing to do.
      await other.query('update production.migrations set checksum = null where id = 4')
      const lock = "hashtext('animal-store migrations of production')"
      await other.query(`select pg_advisory_lock(${lock})`)
      const serving = serveProcess(place)
      const end = `select pg_terminate_backend(pid) as ended from pg_stat_activity
      where application_name = 'animal-store migrations' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await other.query(end)).rows).toContainEqual({ ended: true })
      await other.query(`select pg_advisory_unlock(${lock})`)
      const served = await serving
      onTestFinished(() => served.end('SIGKILL').then(() => {}))
      expect(served.log()).toContain('preparing the database failed; retrying')
    })

  it('a start with a wrong password ends with status 2 and one line', async () => {
    const place = await useTestDatabase('postgres')
    const url = new URL(place.databaseUrl as string)
    url.password = 'wrong'
    const { status, stderr } = await runCommand(place, ['serve'], { DATABASE_URL: url.href })
    expect(stderr).toMatch(/^animal-store: DATABASE_URL cannot be used: password .*\n$/)
    expect(status).toBe(2)
  })
})

describe.each(['1', '2'])('a stop with DRAIN_SECONDS and WORKERS=%s', (WORKERS) => {
  it('loses readiness first, and goes on serving', async () => {
    const place = await useTestDatabase('sqlite')
    const { end, keys, port } = await serveProcess(place, { DRAIN_SECONDS: '5', WORKERS })
    const ended = end('SIGTERM')
    await expect.poll(() => readiness(port)).toBe(503)
    const base = new URL(`http://localhost:${port}/v1`)
    const answers: Answer[] = []
    for (let i = 0; i < 4; i++)
      answers.push(await ask(port, base, keys.production as string, '/pets'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await ended).toBe(0)
  })
})
