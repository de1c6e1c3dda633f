// Graceful shutdown on a signal: open requests are completed, no new ones are accepted, the exit status is 0.

import { describe, expect, it, onTestFinished } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { openTcp } from '../edge/clients.ts'
import { placeForTest } from '../place-for-test.ts'
import { childrenOf, isAlive, signal } from '../process-tree.ts'
import { openRaw, type RawConnection, requestText } from '../raw-connection.ts'
import { postgresForTest, serveForTest, signalAll } from './processes.ts'
import { type Pet, Shop } from './shop.ts'

const uploads = 20
const keptConnections = 100

const stops = [
  { engine: 'sqlite', name: 'SIGTERM', workers: '1' },
  { engine: 'sqlite', name: 'SIGTERM', workers: '2' },
  { engine: 'sqlite', name: 'SIGINT', workers: '2' },
  { engine: 'postgres', name: 'SIGTERM', workers: '2' },
] as const
const onTheseEngines = stops.filter(({ engine }) => engines.includes(engine))

describe('a graceful shutdown', () => {
  it.each(cases(onTheseEngines, (stop) => stop === onTheseEngines.at(-1)))(
    'by $name completes open requests on $engine, WORKERS=$workers',
    async (stop) => {
      const { engine, name, workers } = stop
      const place = await placeForTest(engine)
      const served = await serveForTest(place, { WORKERS: workers })
      const shop = new Shop(served.port, served.keys.production)
      const kept = Array.from({ length: keptConnections }, () => shop.connection())
      await Promise.all(kept.map((agent) => shop.ask('/pets', { agent })))
      const asking = await openRaw(shop.port)
      asking.write(requestText('GET', '/readyz', { Host: 'localhost' }).slice(0, -2))
      const begun = await beginUploads(shop)

      const start = performance.now()
      // Ctrl-C is sent to every process of the group, a supervisor's SIGTERM only to the first one.
      if (name === 'SIGINT') signalAll(served.pid, name)
      else signal(served.pid, name)
      await expect.poll(() => isRefused(shop.port)).toBe(true)
      // A repeated signal changes nothing.
      signal(served.pid, name)

      asking.write('\r\n')
      expect(await asking.response()).toMatchObject({
        status: 503,
        headers: { connection: 'close' },
        json: { code: 'unavailable', message: 'Not ready: this process is stopping.', status: 503 },
      })
      expect(await asking.response()).toBeUndefined()
      for (const { connection, rest } of begun) connection.write(rest)
      const ids: number[] = []
      for (const { connection } of begun) {
        const created = await connection.response()
        expect(created).toMatchObject({ status: 201, headers: { connection: 'close' } })
        ids.push((created as { json: Pet }).json.id)
        expect(await connection.response()).toBeUndefined()
      }
      expect(await served.exited).toBe(0)
      expect(performance.now() - start).toBeLessThan(5000)
      expect(served.log()).not.toMatch(/error/i)

      const again = await serveForTest(place, { HTTP_PORT: String(shop.port) })
      const pets = await shop.walk('/pets?limit=100')
      expect(pets.map(({ id }) => id)).toEqual(ids.sort((a, b) => a - b))
      expect(await again.end()).toBe(0)
    },
  )
})

describe('a shutdown with requests that do not complete', () => {
  it('ends within 10 seconds, with status 0', async () => {
    const served = await serveForTest(await placeForTest('sqlite'), { WORKERS: '2' })
    const begun = await beginUploads(new Shop(served.port, served.keys.production))
    const start = performance.now()
    expect(await served.end('SIGTERM')).toBe(0)
    expect(performance.now() - start).toBeLessThan(10_000)
    for (const { connection } of begun) expect(await connection.response()).toBeUndefined()
  })

  it.runIf(engines.includes('postgres'))(
    'ends in time when PostgreSQL is silent, too',
    async () => {
      const { place, postgres } = await postgresForTest()
      const served = await serveForTest(place)
      const begun = await beginUploads(new Shop(served.port, served.keys.production))
      await postgres.pause()
      const start = performance.now()
      signal(served.pid, 'SIGTERM')
      for (const { connection, rest } of begun) connection.write(rest)
      for (const { connection } of begun) expect((await connection.response())?.status).toBe(503)
      expect(await served.exited).toBe(0)
      expect(performance.now() - start).toBeLessThan(5000)
    },
  )
})

describe('kill -9 of the first process', () => {
  it('ends its workers, even with open requests', async () => {
    const served = await serveForTest(await placeForTest('sqlite'), { WORKERS: '2' })
    const workers = childrenOf(served.pid)
    expect(workers).toHaveLength(2)
    await beginUploads(new Shop(served.port, served.keys.production))
    signal(served.pid, 'SIGKILL')
    expect(await served.exited).toBe('SIGKILL')
    await expect.poll(() => workers.filter(isAlive)).toEqual([])
    expect(await isRefused(served.port)).toBe(true)
  })
})

async function isRefused(port: number): Promise<boolean> {
  const socket = await openTcp(port).catch(() => undefined)
  socket?.destroy()
  return socket === undefined
}

/** Creates without the last half of their bodies. */
async function beginUploads(shop: Shop): Promise<{ connection: RawConnection; rest: string }[]> {
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const half = body.length / 2
  const request = requestText('POST', '/v1/pets', {
    Host: 'localhost',
    Authorization: `Bearer ${shop.key}`,
    'Content-Type': 'application/json',
    'Content-Length': `${body.length}`,
    Expect: '100-continue',
  })
  const begun: { connection: RawConnection; rest: string }[] = []
  for (let i = 0; i < uploads; i++) {
    const connection = await openRaw(shop.port)
    onTestFinished(() => connection.close())
    connection.write(request)
    // The server has received the headers and waits for the body.
    expect((await connection.response())?.status).toBe(100)
    connection.write(body.slice(0, half))
    begun.push({ connection, rest: body.slice(half) })
  }
  return begun
}
