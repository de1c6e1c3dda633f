import { Type } from 'typebox'
import { expect, it, onTestFinished } from 'vitest'
import type { EventFeed, ServerEvent, StreamLimits } from '#kit/api/event-stream.ts'
import type { Caller } from '#kit/caller.ts'
import { AppError } from '#kit/errors.ts'
import { createLog } from '#kit/log.ts'
import { createManagementApp } from '#kit/management/app.ts'
import { bindRoutes, routesOf } from '#kit/management/route.ts'
import { createMetrics } from '#kit/metrics.ts'
import { addressList } from '#kit/network/addresses.ts'
import { createClientAddresses } from '#kit/network/client-addresses.ts'
import { type EventReader, followByHttp1, followByHttp2 } from '../domain-events/event-reader.ts'
import { openHttp2 } from '../edge/clients.ts'
import { certificatesFor, type Edge, startEdge } from '../edge/started-edge.ts'
import { eventually } from '../eventually.ts'

const declare = routesOf<{ feed(): EventFeed }>({ tag: 'projects', access: 'account' })
const follow = declare('GET /news', 'followNews', {
  summary: 'Follow the news',
  events: Type.Unknown(),
  handle: async (_, { feed }) => feed(),
})
const { localhost: pem } = certificatesFor('localhost')

interface World {
  edge: Edge
  /** Sends an event to every reader. */
  send(data: unknown): void
  /** The error for all readers from now on. */
  refusal: AppError | undefined
  /** The number of events that were read from the feeds. */
  taken: number
  open(account?: string): Promise<EventReader>
}

let world: World

/** Everything is stopped when the test has finished. */
async function start(limits: Partial<StreamLimits> = {}): Promise<void> {
  const listeners = new Set<(data: unknown) => void>()

  function feed(): EventFeed {
    return {
      confirm: async () => {},
      async *events(signal) {
        const queue: unknown[] = []
        let wake = (): void => {}
        const listen = (data: unknown): void => {
          queue.push(data)
          wake()
        }
        listeners.add(listen)
        signal.addEventListener('abort', () => wake())
        for (let id = 1; !signal.aborted; ) {
          if (queue.length > 0) {
            world.taken += 1
            const data = queue.shift()
            if (data === 'broken') throw new Error('the database has gone')
            yield { id: `${id++}`, name: 'news', data } satisfies ServerEvent
          } else {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        }
        listeners.delete(listen)
      },
    }
  }

  const log = createLog('silent', false)
  const app = createManagementApp({
    routes: bindRoutes([follow], { feed, clock: Date.now }),
    dashboardUrl: new URL('http://localhost'),
    async authenticate({ headers }) {
      if (world.refusal) throw world.refusal
      const id = `${headers['x-account'] ?? 'acc_1'}`
      const account = { id, role: 'member' } as Caller['account']
      return { account, by: { kind: 'session', id: 'ses_1', isRestricted: false } }
    },
    clients: createClientAddresses(addressList([]), log),
    streamLimits: limits,
    metrics: createMetrics(),
    log,
  })
  const edge = await startEdge(app.handle)
  onTestFinished(() => edge.stop())
  edge.directory.show('localhost', 'one', pem as { chain: string; key: string })
  world = {
    edge,
    refusal: undefined,
    taken: 0,
    send: (data) => {
      for (const listen of listeners) listen(data)
    },
    async open(account = 'acc_1') {
      const reader = await followByHttp1(edge.plainPort, '/news', { 'x-account': account })
      onTestFinished(reader.close)
      return reader
    },
  }
}

async function overHttp2(): Promise<EventReader> {
  const session = await openHttp2(world.edge.port, 'localhost', pem?.chain ?? '')
  onTestFinished(() => session.destroy())
  return await followByHttp2(session, '/news', {})
}

const ways = { 'HTTP/1.1': () => world.open(), 'HTTP/2': overHttp2 }

for (const [protocol, open] of Object.entries(ways)) {
  it(`sends events and a heartbeat over ${protocol}`, async () => {
    await start({ heartbeatMs: 30 })
    const reader = await open()
    expect(reader).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    })
    expect(await reader.comment()).toBe('these are the events from now on')
    expect(await reader.comment()).toBe('still here')
    world.send({ text: 'two\nlines' })
    expect(await reader.next()).toEqual({ id: '1', name: 'news', data: { text: 'two\nlines' } })
    expect(await reader.comment()).toBe('still here')
    reader.close()
  })

  it(`ends without the event for a reader who has lost access, over ${protocol}`, async () => {
    await start({ checkMs: 60_000, heartbeatMs: 60_000 })
    const reader = await open()
    await reader.comment()
    world.refusal = new AppError('invalid_token', 'revoked')
    world.send('secret')
    expect(await reader.ended).toBe('end')
    await expect(reader.next()).rejects.toThrow('has ended')
  })

  it(`is aborted when events cannot be read, over ${protocol}`, async () => {
    await start()
    const reader = await open()
    world.send('broken')
    expect(await reader.ended).not.toBe('end')
  })

  it(`disconnects a reader that does not read, and reads no events for it, over ${protocol}`, async () => {
    await start({ drainMs: 300, forAccount: 1 })
    const reader = await open()
    await reader.comment()
    reader.pause()
    const events = 200
    for (let i = 0; i < events; i++) world.send('x'.repeat(200_000))
    // A paused stream does not see its end; a free slot shows that it is closed.
    await eventually(open, ({ status }) => status === 200)
    expect(world.taken).toBeGreaterThan(0)
    expect(world.taken).toBeLessThan(events / 2)
  })
}

it('continues while access cannot be checked, and sends nothing in the meantime', async () => {
  await start({ checkMs: 20, heartbeatMs: 40 })
  const reader = await world.open()
  await reader.comment()
  world.refusal = new AppError('unavailable', 'no database')
  expect(await reader.comment()).toBe('still here')
  expect(await reader.comment()).toBe('still here')
  world.refusal = undefined
  world.send('news')
  expect(await reader.next()).toMatchObject({ data: 'news' })
  reader.close()
})

it('is limited for each account and in total', async () => {
  await start({ inAll: 3, forAccount: 2 })
  const first = await world.open('a')
  await world.open('a')
  const refused = await world.open('a')
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '10' } })
  const other = await world.open('b')
  // The account with the most streams makes room for one that has none.
  expect(await world.open('c')).toMatchObject({ status: 200 })
  expect(await first.ended).not.toBe('end')
  expect(await world.open('d')).toMatchObject({ status: 429 })
  other.close()
  await eventually(
    () => world.open('d'),
    ({ status }) => status === 200,
  )
})

it('requires Accept: text/event-stream', async () => {
  await start()
  const asJson = await followByHttp1(world.edge.plainPort, '/news', { accept: 'application/json' })
  expect(asJson.status).toBe(406)
})
