// Slow clients: headers and bodies byte by byte, responses that are never read. Other clients are served, and requests
// that are not complete in time end with a 408 and a closed connection.
import type { Socket } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTcp } from '../edge/clients.ts'
import { placeForTest } from '../place-for-test.ts'
import { residentMegabytes } from '../process-tree.ts'
import { openRaw, type RawConnection } from '../raw-connection.ts'
import { startStore } from '../running-store.ts'
import { storeForTest } from '../store-for-test.ts'
import { serveForTest } from './processes.ts'
import { Shop } from './shop.ts'

const slow = 500
const nonReaders = 20
const ordinary = 200
const everyMs = 200

describe('500 requests with slow headers and 500 with slow bodies', () => {
  it('do not block other clients', async () => {
    const lines: string[] = []
    const store = await startStore('sqlite', {
      // None ends while this test runs, on a busy machine, too.
      limits: { headersTimeoutMs: 100_000, bodyTimeoutMs: 100_000 },
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    })
    onTestFinished(() => store.release())
    const shop = new Shop(store.running.config.httpPort, store.keys.production)
    const [heads, bodies] = await openSlow(shop)
    await expectServed(shop)
    const unanswered = [...heads, ...bodies].map(({ response }) => response)
    expect(await Promise.race([...unanswered, 'none'])).toBe('none')
    // A slow body that is complete in time is accepted.
    const [patient] = bodies
    patient?.connection.write(patient.rest())
    expect(await patient?.response).toMatchObject({ status: 201, json: { name: 'Rex' } })
    expect(lines).toEqual([])
  })

  it('get a 408 each, and their connections are closed', async () => {
    const store = await startStore('sqlite', {
      limits: { headersTimeoutMs: 2000, bodyTimeoutMs: 3000 },
    })
    const shop = new Shop(store.running.config.httpPort, store.keys.production)
    const [heads, bodies] = await openSlow(shop)
    await expectServed(shop)
    const before = await shop.walk('/pets?limit=100')
    for (const { response, connection, rest } of [...heads, ...bodies]) {
      expect(await response).toMatchObject({
        status: 408,
        headers: { 'content-type': 'application/json', connection: 'close' },
        json: { code: 'request_timeout', message: expect.any(String), status: 408 },
      })
      // Too late.
      connection.write(rest())
      expect(await connection.response()).toBeUndefined()
    }
    expect(await shop.walk('/pets?limit=100')).toHaveLength(before.length)
    // The server does not wait until the clients close their side; it would for ten seconds.
    const start = performance.now()
    await store.release()
    expect(performance.now() - start).toBeLessThan(9000)
  })
})

describe('20 clients that never read', () => {
  it('do not block other clients, and take little memory', async () => {
    const place = await placeForTest('sqlite')
    const served = await serveForTest(place)
    const shop = new Shop(served.port, served.keys.production)
    await expectServed(shop)
    const memory = residentMegabytes(served.pid)
    await openNonReaders(shop)
    await expectServed(shop)
    expect(residentMegabytes(served.pid) - memory).toBeLessThan(150)
  })

  it('are disconnected', async () => {
    const store = await storeForTest('sqlite', { limits: { stalledTimeoutMs: 1000 } })
    const shop = new Shop(store.running.config.httpPort, store.keys.production)
    await expectServed(shop)
    const sockets = await openNonReaders(shop)
    await expectServed(shop)
    // A client that does not read notices only when it writes.
    const open = () => sockets.filter(({ destroyed }) => !destroyed)
    const write = () => open().map((socket) => socket.write('\n'))
    await expect.poll(write, { timeout: 10_000 }).toEqual([])
  })
})

/** Sends requests on separate connections, half of them creates, and checks all responses. */
async function expectServed(shop: Shop): Promise<void> {
  const agents = Array.from({ length: 4 }, () => shop.connection())
  await Promise.all(
    agents.map(async (agent) => {
      for (let i = 0; i < ordinary / agents.length; i++) {
        const response = await (i % 2
          ? shop.create('Rex', undefined, { agent })
          : shop.ask('/pets?limit=100', { agent }))
        expect(response.status).toBe(i % 2 ? 201 : 200)
      }
    }),
  )
}

interface Slow {
  connection: RawConnection
  response: Promise<unknown>
  /** Stops the automatic sending and returns the remaining bytes. */
  rest(): string
}

async function openSlow(shop: Shop): Promise<[heads: Slow[], bodies: Slow[]]> {
  const body = JSON.stringify({ name: 'Rex', categoryId: 1, note: 'x'.repeat(100) })
  const head =
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${shop.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const heads: Slow[] = []
  const bodies: Slow[] = []
  for (let i = 0; i < slow; i++) {
    heads.push(await drip(shop.port, '', head))
    bodies.push(await drip(shop.port, head, body))
  }
  return [heads, bodies]
}

async function drip(port: number, atOnce: string, slowly: string): Promise<Slow> {
  const connection = await openRaw(port)
  if (atOnce) connection.write(atOnce)
  let sent = 0
  const timer = setInterval(() => connection.write(slowly[sent++] ?? ''), everyMs)
  onTestFinished(() => {
    clearInterval(timer)
    connection.close()
  })
  const response = connection.response()
  return {
    connection,
    response,
    rest() {
      clearInterval(timer)
      return slowly.slice(sent)
    },
  }
}

/** Sockets that request 30 MB each and read nothing. */
async function openNonReaders(shop: Shop): Promise<Socket[]> {
  const name = 'x'.repeat(255)
  await Promise.all(Array.from({ length: 100 }, () => shop.create(name)))
  const pets = await shop.walk('/pets?limit=100')
  const path = `/v1/pets?limit=100&id=${pets.slice(-100).map(({ id }) => id)}`
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`
  const sockets: Socket[] = []
  while (sockets.length < nonReaders) {
    const socket = await openTcp(shop.port)
    socket.write(request.repeat(1000))
    sockets.push(socket.pause())
  }
  return sockets
}
