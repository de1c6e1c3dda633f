// /readyz while the database takes no writes, while a process drains, and starts before the database.

import { describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { postgresForTest, serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'
import { runCommand, type ServedProcess } from '../served-process.ts'
import { storeForTest } from '../store-for-test.ts'
import { connectTo, requireStandby } from './postgres-client.ts'

const readiness = async ({ askServer }: Pick<ServedProcess, 'askServer'>): Promise<number> =>
  (await askServer('/readyz')).status

describe.runIf(engines.includes('postgres'))('readiness on PostgreSQL', () => {
  it('is lost while the database is read-only, and reads are served', async () => {
    const store = await storeForTest('postgres')
    const client = await connectTo(store.place)
    const { rows } = await client.query('select current_database() as name')
    const setReadOnly = async (mode: 'on' | 'off'): Promise<void> => {
      await client.query(`set transaction_read_only = off;
        alter database ${rows[0].name} set default_transaction_read_only = ${mode}`)
      // Once it is committed: those that connect again have it.
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
    }
    expect(await readiness(store)).toBe(200)
    await setReadOnly('on')
    // Until it has connected again, no database responds.
    await expect
      .poll(async () => (await store.askServer('/readyz')).json)
      .toMatchObject({ status: 503, message: 'Not ready: the database takes no writes.' })
    await expect.poll(async () => (await store.ask('/pets')).status).toBe(200)
    await setReadOnly('off')
    await expect.poll(() => readiness(store)).toBe(200)
  })

  if (isLong)
    it('comes when the database does: a start before it waits', async () => {
      const { place, postgres } = await postgresForTest()
      await postgres.kill()
      const { promise: logged, resolve } = Promise.withResolvers<void>()
      const waits = `connecting to PostgreSQL at 127.0.0.1:${postgres.port} failed; retrying`
      const serving = serveForTest(place, {}, [], (log) => {
        if (log.includes(waits)) resolve()
      })
      await logged
      await postgres.start()
      const served = await serving
      expect(await readiness(served)).toBe(200)
    })

  if (isLong)
    it('a start while no standby confirms commits waits, and says so', async () => {
      const { place } = await postgresForTest()
      await (await serveForTest(place)).end()
      const admin = await connectTo(place)
      await admin.query('set synchronous_commit = local')
      await requireStandby(admin, 'nobody')
      const { promise: logged, resolve } = Promise.withResolvers<void>()
      const serving = serveForTest(place, { DATABASE_TIMEOUT_MS: '2000' }, [], (log) => {
        if (/"msg":"(preparing the database|starting) failed; retrying"/.test(log)) resolve()
      })
      await Promise.race([logged, serving])
      await requireStandby(admin, '')
      const served = await serving
      await expect.poll(() => readiness(served)).toBe(200)
    })

  if (isLong)
    it('a start whose migrations lose their connection, while another process migrates, repeats them', async () => {
      const place = await placeForTest('postgres')
      const other = await connectTo(place)
      // Nothing waits for the lock where there is nothing to do.
      await other.query('update production.migrations set checksum = null where id = 4')
      const lock = "hashtext('animal-store migrations of production')"
      await other.query(`select pg_advisory_lock(${lock})`)
      const serving = serveForTest(place)
      const end = `select pg_terminate_backend(pid) as ended from pg_stat_activity
      where application_name = 'animal-store migrations' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await other.query(end)).rows).toContainEqual({ ended: true })
      await other.query(`select pg_advisory_unlock(${lock})`)
      const served = await serving
      expect(served.log()).toContain('preparing the database failed; retrying')
    })

  it('a start with a wrong password ends with status 2 and one line', async () => {
    const place = await placeForTest('postgres')
    const url = new URL(place.databaseUrl as string)
    url.password = 'wrong'
    const { status, stderr } = await runCommand(place, ['serve'], { DATABASE_URL: url.href })
    expect(stderr).toMatch(/^animal-store: DATABASE_URL cannot be used: password .*\n$/)
    expect(status).toBe(2)
  })
})

describe.each(['1', '2'])('a stop with DRAIN_SECONDS and WORKERS=%s', (WORKERS) => {
  it('loses readiness first, and goes on serving', async () => {
    const place = await placeForTest('sqlite')
    const served = await serveForTest(place, { DRAIN_SECONDS: '5', WORKERS })
    const ended = served.end('SIGTERM')
    await expect.poll(() => readiness(served)).toBe(503)
    for (let i = 0; i < 4; i++) expect((await served.ask('/pets')).status).toBe(200)
    expect(await ended).toBe(0)
  })
})
