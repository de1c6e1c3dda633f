// Errors of the database that nobody expects, on the path of plain GETs and elsewhere: each request gets a response with
// its id, which the log has too, over HTTP/1.1 and HTTP/2. None ends the process.
import type { ClientHttp2Session } from 'node:http2'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { createTestDatabase, type Engine, engines, type TestDatabase } from '../database.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { askHttp2, openHttp2 } from '../edge/clients.ts'
import { type Edge, startEdge } from '../edge/started-edge.ts'
import { queryEach } from '../query.ts'
import { type RunningStore, startStore } from '../running-store.ts'

/** SQL that breaks the store's database, and SQL that repairs it. */
interface Fault {
  does: string[]
  undo: string[]
  /** Default: 500. */
  status?: number
  /** A page that is cached needs nothing of what is broken. */
  sparesCached?: boolean
}

const onBoth: Record<string, Fault> = {
  'a missing table of versions': {
    does: ['alter table store_state rename to lost'],
    undo: ['alter table lost rename to store_state'],
  },
  'a missing row of versions': {
    does: ['create table lost as select * from store_state', 'delete from store_state'],
    undo: ['insert into store_state select * from lost', 'drop table lost'],
  },
  'a missing table of animals': {
    does: ['alter table pets rename to lost'],
    undo: ['alter table lost rename to pets'],
    sparesCached: true,
  },
}
const faults: Record<Engine, Record<string, Fault>> = {
  sqlite: onBoth,
  postgres: {
    ...onBoth,
    'an arithmetic error': {
      does: [
        `alter table store_state rename to lost;
        create view store_state as select *, 1 / (id - id) as never from lost where 1 / (id - id) = 1`,
      ],
      undo: ['drop view store_state; alter table lost rename to store_state'],
    },
    'an error that may be over soon': {
      does: [
        `alter table store_state rename to lost;
        create function fail() returns boolean language plpgsql as
          $$ begin raise exception using errcode = '55P03'; end $$;
        create view store_state as select * from lost where fail()`,
      ],
      undo: ['drop view store_state; drop function fail; alter table lost rename to store_state'],
      status: 503,
    },
  },
}

const pem = makeCertificate(['localhost'])
const getAt = (path: string) => ({
  ':authority': 'localhost',
  ':path': path,
  ':method': 'GET',
})

describe.each(engines)('on %s', (engine) => {
  let place: TestDatabase
  let store: RunningStore
  let edge: Edge
  let session: ClientHttp2Session
  const lines: string[] = []

  beforeAll(async () => {
    place = await createTestDatabase(engine)
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
    store = await startStore(engine, { place, log })
    edge = await startEdge(store.running.store.handlers.production)
    edge.directory.show('localhost', 'one', pem)
    session = await openHttp2(edge.port, 'localhost', pem.chain)
    await store.ask('/pets', { body: { name: 'Rex', categoryId: 1 } })
  })
  afterAll(async () => {
    session.destroy()
    await edge.stop()
    await store.release()
    await place.release()
  })

  const overHttp1 = (path: string, id: string) =>
    store.ask(path, { headers: { 'x-request-id': id } })
  const overHttp2 = (path: string, id: string) => {
    const authorization = `Bearer ${store.keys.production}`
    return askHttp2(session, { ...getAt(`/v1${path}`), authorization, 'x-request-id': id })
  }
  const names = Object.keys(faults[engine])

  it.each(names)('%s is answered, with its id in the log', async (name) => {
    const { does, sparesCached, status: expected = 500, undo } = faults[engine][name] as Fault
    // The last one is not cached.
    const asked = ['/pets', '/pets/1', `/pets?limit=${50 + names.indexOf(name)}`]
    // A page is cached from its second request on.
    for (const path of ['/pets', '/pets', '/pets/1', '/pets/1']) {
      expect((await overHttp1(path, 'before')).status).toBe(200)
    }
    await queryEach(place, 'production', does)
    let failures = 0
    for (const [version, ask] of Object.entries({ 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 })) {
      for (const [i, path] of asked.entries()) {
        const id = `${name.replaceAll(' ', '-')}-${version.at(-1)}-${i}`
        const { headers, json, status } = await ask(path, id)
        if (sparesCached && status === 200) continue
        failures++
        expect(status).toBe(expected)
        expect(json).toMatchObject({
          status,
          code: status === 500 ? 'internal_error' : 'unavailable',
        })
        expect(headers['x-request-id']).toBe(id)
        expect(lines.filter((line) => line.includes(id)).length).toBeGreaterThan(0)
      }
    }
    expect(failures).toBeGreaterThanOrEqual(2)
    expect(sparesCached || failures === 2 * asked.length).toBe(true)
    await queryEach(place, 'production', undo)
    for (const path of asked) {
      expect((await overHttp1(path, 'after')).status).toBe(200)
      expect((await overHttp2(path, 'after')).status).toBe(200)
    }
  })
})

describe('a handler', () => {
  const failing: Record<string, () => unknown> = {
    '/throws': () => {
      throw new Error('no database')
    },
    '/rejects': () => Promise.reject(new Error('no database')),
    '/throws-nothing': () => {
      throw undefined
    },
    '/rejects-later': () => new Promise((_, reject) => void setImmediate(reject, { code: 1 })),
  }
  let edge: Edge
  let session: ClientHttp2Session
  const logged: { requestId?: string; err?: unknown }[] = []
  beforeAll(async () => {
    const log = { error: (fields: object) => void logged.push(fields) }
    const handle: Handler = ({ url = '' }, response) => {
      if (url === '/responds') {
        response.end('whole')
        throw new Error('after the response')
      }
      return failing[url]?.()
    }
    edge = await startEdge(handle, { intake: { log: log as never } })
    edge.directory.show('localhost', 'one', pem)
    session = await openHttp2(edge.port, 'localhost', pem.chain)
  })
  afterAll(async () => {
    session.destroy()
    await edge.stop()
  })

  it.each(Object.keys(failing))('at %s ends its request only, with a 500', async (path) => {
    const idOn = (version: number) => ({ 'x-request-id': `${version}${path.slice(1)}` })
    const http2 = await askHttp2(session, { ...getAt(path), ...idOn(2) })
    const url = `http://127.0.0.1:${edge.plainPort}${path}`
    const http1 = await fetch(url, { headers: idOn(1) })
    expect([http2.status, http1.status]).toEqual([500, 500])
    expect(await http1.json()).toMatchObject({ code: 'internal_error', status: 500 })
    const ids = logged.map(({ requestId }) => requestId)
    expect(ids).toEqual(expect.arrayContaining([`1${path.slice(1)}`, `2${path.slice(1)}`]))
  })

  it('that fails after its response leaves it as it is', async () => {
    expect(await askHttp2(session, getAt('/responds'))).toMatchObject({
      status: 200,
      text: 'whole',
    })
    const http1 = await fetch(`http://127.0.0.1:${edge.plainPort}/responds`)
    expect([http1.status, await http1.text()]).toEqual([200, 'whole'])
  })
})
