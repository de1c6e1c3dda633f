// The system status: what is running, its health, and its requests by minute.
import { describe, expect, it } from 'vitest'
import { readProgramVersion } from '#kit/config/config.ts'
import type { System, SystemHistory } from '#kit/system/schema.ts'
import { engines } from '../database.ts'
import { startStore } from '../running-store.ts'
import { managing, store } from './store-in-test.ts'

const minute = 60_000

describe.each(engines)('the system on %s', (engine) => {
  managing(engine)

  const system = async (): Promise<System> => (await store.operator.ask('/system')).json as System
  const historyOf = async (query = ''): Promise<SystemHistory> =>
    (await store.operator.ask(`/system/history${query}`)).json as SystemHistory
  const maintain = () => store.store.running.system.maintain()

  it('shows what is running and its health', async () => {
    store.pass(90_000)
    const found = await system()
    const { config } = store.store.running
    expect(found).toMatchObject({
      version: readProgramVersion(),
      nodeVersion: process.versions.node,
      engine,
      isReady: true,
      uptimeSeconds: 90,
      workers: 1,
      processes: [{ pid: process.pid, version: readProgramVersion(), startedAt: found.startedAt }],
      deploysUnderWay: 0,
      backups: null,
      // Platform hosts have certificates of the internal authority.
      certificates: { endWithinWeek: 0, failing: 0 },
      addresses: {
        httpPort: config.httpPort,
        production: config.baseUrl.href,
        staging: config.stagingBaseUrl.href,
        platformHost: 'docs.localhost',
      },
    })
    expect(found.queues).toEqual([
      { environment: 'production', length: 0, oldestSeconds: 0 },
      { environment: 'staging', length: 0, oldestSeconds: 0 },
    ])
    const names = found.databases.map(({ name }) => name)
    expect(names).toEqual(['production', 'staging', 'publishing', 'limits'])
    for (const { isReady, sizeBytes } of found.databases) {
      expect(isReady).toBe(true)
      expect(sizeBytes).toBeGreaterThan(4096)
    }
  })

  it('counts requests by minute', async () => {
    await maintain()
    store.pass(minute)
    for (let i = 0; i < 5; i++) await store.store.ask('/pets?limit=1')
    await maintain()
    store.pass(2 * minute)
    for (let i = 0; i < 3; i++) await store.store.ask('/pets?limit=1')
    await maintain()
    const { minutes, series } = await historyOf('?minutes=4')
    const now = Math.floor(store.store.clock.now / minute) * minute
    expect(minutes).toEqual([3, 2, 1, 0].map((n) => new Date(now - n * minute).toISOString()))
    const production = series.find(({ environment }) => environment === 'production')
    expect(production).toMatchObject({ requests: [0, 5, 0, 3], errors: [0, 0, 0, 0] })
    const { p50Ms, p95Ms, p99Ms } = production as (typeof series)[number]
    expect([p50Ms[0], p50Ms[2]]).toEqual([null, null])
    for (const i of [1, 3]) {
      const [half, most, nearlyAll] = [p50Ms[i], p95Ms[i], p99Ms[i]] as [number, number, number]
      expect(half).toBeGreaterThan(0)
      expect(most).toBeGreaterThanOrEqual(half)
      expect(nearlyAll).toBeGreaterThanOrEqual(most)
    }
  })

  it('has at most six hours, and deletes older ones', async () => {
    await store.store.ask('/pets?limit=1')
    await maintain()
    store.pass(7 * 60 * minute)
    await maintain()
    await store.operator.signIn()
    const { minutes, series } = await historyOf()
    expect(minutes).toHaveLength(360)
    const production = series.find(({ environment }) => environment === 'production')
    expect(production?.requests.reduce((sum, count) => sum + count, 0) ?? 0).toBe(0)
    const refused = await store.operator.ask('/system/history?minutes=361')
    expect(refused.json).toMatchObject({ details: [{ path: 'minutes' }] })
  })

  it('sums the requests of all processes, and keeps the sums over a restart', async () => {
    await maintain()
    store.pass(minute)
    const other = await startStore(engine, { place: store.store.place, now: store.store.clock.now })
    const key = store.store.keys.production
    await store.store.ask('/pets?limit=1')
    for (let i = 0; i < 4; i++) await other.ask('/pets?limit=1', { key })
    await other.running.system.maintain()
    await maintain()
    await other.ask('/pets?limit=1', { key })
    // A regular stop loses nothing.
    await other.release()
    const { series } = await historyOf('?minutes=1')
    const production = series.find(({ environment }) => environment === 'production')
    expect(production?.requests).toEqual([6])
  })
})
