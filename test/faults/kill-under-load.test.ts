// kill -9 of the server, of one worker and of PostgreSQL during concurrent writes. Acknowledged writes are kept, and
// writes retried with their idempotency key are stored once.

import { describe, expect, it } from 'vitest'
import { cases, isLong } from '../cases.ts'
import { startCheckedLoad } from '../cluster/checked-load.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { childrenOf, signal } from '../process-tree.ts'
import { postgresForTest, serveForTest, signalAll } from './processes.ts'
import { Shop } from './shop.ts'

const clients = 32
/** While nothing serves, each attempt ends at once. */
const perSecond = 500
const betweenKills = 100
type Served = Awaited<ReturnType<typeof serveForTest>>

// Many processes start here, which takes time on a busy machine.
const timeout = 120_000

describe.each(cases(engines))('kill -9 of the server on %s', { timeout }, (engine) => {
  it.each(isLong ? ['1', '2'] : engine === 'sqlite' ? ['1'] : ['2'])(
    'loses and repeats nothing (WORKERS=%s)',
    async (workers) => {
      const place = await placeForTest(engine)
      let served = await serveForTest(place, { WORKERS: workers })
      const load = await startLoad(served)
      for (let kills = 0; kills < 2; kills++) {
        await load.acknowledged(betweenKills)
        signalAll(served.pid, 'SIGKILL')
        expect(await served.end('SIGKILL')).toBe('SIGKILL')
        served = await serveForTest(place, { WORKERS: workers, HTTP_PORT: String(served.port) })
      }
      await load.acknowledged(betweenKills)
      await load.finish()
      expect(load.failures()).toBeGreaterThan(clients)
      await load.expectRight()
      expect(served.log()).not.toContain('internal_error')
    },
  )

  if (isLong)
    it('ends only one worker: others continue, and it is replaced, twice if needed', async () => {
      const place = await placeForTest(engine)
      const served = await serveForTest(place, { WORKERS: '2' })
      const shop = new Shop(served.port, served.keys.production)
      const load = await startLoad(served)
      await load.acknowledged(betweenKills)
      const [killed = 0, other = 0] = childrenOf(served.pid)
      signal(killed, 'SIGKILL')
      // More than the number of requests in flight.
      await load.acknowledged(betweenKills)
      await load.finish()
      // The replacement is killed before it serves.
      await expect.poll(() => childrenOf(served.pid), { interval: 5 }).toHaveLength(2)
      const [replacement] = childrenOf(served.pid).filter((pid) => pid !== other)
      expect(replacement).not.toBe(killed)
      signal(replacement as number, 'SIGKILL')
      await expect.poll(() => processesThatAnswer(shop)).toBe(2)
      expect(childrenOf(served.pid)).toContain(other)
      await load.expectRight()
      expect(await served.end()).toBe(0)
    })
})

describe.runIf(engines.includes('postgres'))('kill -9 of PostgreSQL', { timeout }, () => {
  it('loses and repeats nothing', async () => {
    const { place, postgres } = await postgresForTest()
    const served = await serveForTest(place, { WORKERS: '2' })
    const load = await startLoad(served)
    for (let kills = 0; kills < 2; kills++) {
      await load.acknowledged(betweenKills)
      await postgres.kill()
      await postgres.start()
    }
    await load.acknowledged(betweenKills)
    await load.finish()
    // Those in flight at a kill: others wait until it is back, which may take less time than they have.
    expect(load.failures()).toBeGreaterThan(0)
    await load.expectRight()
    expect(childrenOf(served.pid)).toHaveLength(2)
    expect(served.log()).not.toContain('internal_error')
    expect(await served.end()).toBe(0)
  })
})

const startLoad = ({ keys, port }: Served) =>
  startCheckedLoad(() => port, keys.production as string, { clients, perSecond })

/**
 * The request IDs of each process have their own prefix. Node does not close a connection that it was handing to a
 * worker when that was killed, so a request without a response is sent again.
 */
async function processesThatAnswer(shop: Shop): Promise<number> {
  const options = { timeoutMs: 3000 }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => shop.ask('/pets?limit=1', options)),
  )
  return new Set(answers.map(({ headers }) => headers['x-request-id']?.split('-')[0])).size
}
