// Nodes whose clocks differ from that of their PostgreSQL.

import { describe, expect, it, onTestFinished } from 'vitest'
import { deployLeases } from '#publishing/deploys/claims.ts'
import { isLong } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { holdDeploy } from '../publishing/held-deploy.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { openPublishingRows } from '../publishing/publishing-rows.ts'
import type { ServedProcess } from '../served-process.ts'
import { connectTo } from './postgres-client.ts'
import { shiftedClock } from './shifted-clock.ts'

async function serveShifted(byMs: number): Promise<ServedProcess & { place: TestDatabase }> {
  const place = await placeForTest('postgres')
  return { ...(await serveForTest(place, shiftedClock(byMs))), place }
}

/** What the process measured, in seconds. */
async function readSkew(served: ServedProcess): Promise<number> {
  const { text } = await served.askServer('/metrics')
  return Number(/^animal_store_clock_skew_seconds (\S+)$/m.exec(text)?.[1])
}

describe.runIf(engines.includes('postgres'))('a clock that differs from the database', () => {
  it('by nothing that can be told: no line in the log', async () => {
    const served = await serveShifted(0)
    expect((await served.askServer('/readyz')).status).toBe(200)
    expect(await readSkew(served)).toBe(0)
    expect(served.log()).not.toContain('the clock of this machine')
  })

  it('by 5 s: it is logged and measured, and the process is ready', async () => {
    const served = await serveShifted(-5_000)
    expect((await served.askServer('/readyz')).status).toBe(200)
    expect(served.log()).toMatch(/the clock of this machine is [45](\.\d)? s behind the database's/)
    expect(Math.round(await readSkew(served))).toBe(-5)
  })

  if (isLong)
    it('by 20 s: jobs that another node has leased stay with it', async () => {
      const aheadMs = 20_000
      const { place, port, setUpToken } = await serveShifted(aheadMs)
      const { operator } = await peopleAt(port, setUpToken)
      const rows = openPublishingRows(place)
      onTestFinished(() => rows.close())
      // Its lease ends at once by the clock of the process, and in 20 s by the database's.
      const leasedUntil = Date.now() + aheadMs - 1
      const { id } = await operator.create('held')
      const held = await holdDeploy(
        rows.database,
        () => leasedUntil - deployLeases.durationMs,
        id,
        {
          'index.html': 'held',
        },
      )
      await operator.create('built')
      // Older deploys go first, if they are not leased.
      const built = await operator.deploy('built', archiveOf({ 'index.html': 'built' }))
      expect(built.state).toBe('live')
      await held.finish()
      expect((await operator.finished('held', 1)).state).toBe('live')
    })

  if (isLong)
    it('by -20 s: a build that failed waits before it is retried', async () => {
      const { place, port, setUpToken } = await serveShifted(-20_000)
      const client = await connectTo(place)
      await client.query(`
      create function public.fail() returns trigger language plpgsql as
        $$ begin raise 'no files today'; end $$;
      create trigger fail before insert on publishing.deploy_files execute function public.fail()`)
      const { operator } = await peopleAt(port, setUpToken)
      await operator.create('failing')
      const type = 'application/gzip'
      const body = archiveOf({ 'index.html': 'failing' })
      await operator.ask('/projects/failing/archives', { body, type })
      const waitsMs = async (): Promise<number> => {
        const { rows } = await client.query(
          `select lease_until - extract(epoch from clock_timestamp()) * 1000 as waits
          from publishing.deploys where attempts > 0 and lease is null`,
        )
        return Number(rows[0]?.waits)
      }
      await expect.poll(waitsMs).toBeGreaterThan(0)
    })

  it('by ten minutes: the process is not ready', async () => {
    const served = await serveShifted(600_000)
    expect(await served.askServer('/readyz')).toMatchObject({
      status: 503,
      json: { message: expect.stringContaining('the clock of this machine differs by 30 seconds') },
    })
    expect(served.log()).toMatch(/s ahead of the database's: this process is not ready/)
    expect(Math.round((await readSkew(served)) / 10)).toBe(60)
  })
})
