// Cached pages: a write is visible everywhere at once, and a cached response equals an uncached one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { type RunningStore, startStore } from '../running-store.ts'
import { type ServedStore, serveStore } from '../served-store.ts'

describe.each(engines)('reads after writes, with two workers, on %s', (engine) => {
  let store: ServedStore
  beforeAll(async () => {
    store = await serveStore(engine, { WORKERS: '2' })
  })
  afterAll(() => store.release())

  it('every response after a 201 has the animal, on any worker', async () => {
    const listings = ['/pets?limit=100', '/pets?limit=100&status=available']
    for (let i = 1; i <= 12; i++) {
      // Cached on both workers before the write.
      await Promise.all([...listings, ...listings].map((path) => store.ask(path)))
      const { status, text } = await store.ask('/pets', { body: { name: `${i}`, categoryId: i } })
      expect(status).toBe(201)
      const answers = await Promise.all([...listings, ...listings].map((path) => store.ask(path)))
      for (const answer of answers) {
        expect(answer.json).toHaveLength(i)
        expect(answer.text).toContain(text)
      }
      const { headers } = await store.ask('/pets?limit=1', { headers: { prefer: 'count=exact' } })
      expect(headers['x-total-count']).toBe(String(i))
    }
  })

  it('a client never sees older data while others write', async () => {
    let isWriting = true
    const write = async () => {
      for (let i = 0; i < 30; i++) await store.ask('/pets', { body: { name: 'W', categoryId: i } })
      isWriting = false
    }
    const read = async () => {
      let most = 0
      while (isWriting) {
        const { json } = await store.ask('/pets?limit=100')
        expect((json as unknown[]).length).toBeGreaterThanOrEqual(most)
        most = (json as unknown[]).length
      }
      return most
    }
    await Promise.all([write(), read(), read()])
    expect((await store.ask('/pets?limit=100')).json).toHaveLength(42)
  })

  it('an animal that was missing is found once it is created', async () => {
    const { json } = await store.ask('/pets?limit=100')
    const next = Math.max(...(json as { id: number }[]).map(({ id }) => id)) + 1
    const asked = () => Promise.all([1, 2, 3, 4].map(() => store.ask(`/pets/${next}`)))
    expect((await asked()).map(({ status }) => status)).toEqual([404, 404, 404, 404])
    await store.ask('/pets', { body: { name: 'Late', categoryId: 1 } })
    expect((await asked()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})

describe.each(engines)('cached responses on %s', (engine) => {
  let store: RunningStore
  beforeAll(async () => {
    store = await startStore(engine, { env: { CORS_ORIGINS: 'https://shop.example.com' } })
  })
  afterAll(() => store.release())

  /** Headers and body as received, without those that must differ. */
  async function bytes(path: string, headers: Record<string, string>): Promise<string> {
    const Authorization = `Bearer ${store.keys.staging}`
    const all = { Host: 'staging.localhost', Authorization, ...headers }
    const { head, body } = await askRaw(
      store.running.config.httpPort,
      requestText('GET', `/v1${path}`, all),
    )
    return `${head.replace(/^(X-Request-Id|Date): .*\r\n?/gim, '')}\n\n${body.toString('latin1')}`
  }

  it.each<[string, string, Record<string, string>]>([
    ['a page', '/pets', {}],
    ['a page in the middle', '/pets?limit=3&status=available', {}],
    ['a page in gzip', '/pets?limit=40', { 'Accept-Encoding': 'gzip' }],
    ['an empty page', '/pets?id=77', {}],
    ['an animal', '/pets/46', {}],
    [
      'an animal for a request with a body',
      '/pets/3',
      { 'Content-Encoding': 'gzip', Range: 'bytes=0-1' },
    ],
    ['a page for a browser', '/pets?limit=4', { Origin: 'https://shop.example.com' }],
    [
      'a page for an origin that is not allowed',
      '/pets?limit=6',
      { Origin: 'https://evil.example' },
    ],
    ['a page that the client has', '/pets?limit=9', { 'If-None-Match': '*' }],
    ['an animal that the client has', '/pets/4', { 'If-None-Match': '*' }],
    ['a page in an unsupported type', '/pets?limit=8', { Accept: 'text/html' }],
    ['an invalid parameter', '/pets?limit=0', {}],
  ])('the same bytes uncached and cached: %s', async (_, path, headers) => {
    const cold = await bytes(path, headers)
    expect(await bytes(path, headers)).toBe(cold)
    // Cached by a plain request, too.
    await bytes(path, {})
    expect(await bytes(path, headers)).toBe(cold)
  })

  it('does not return a cached page without the right API key', async () => {
    expect((await store.askStaging('/pets?limit=11')).status).toBe(200)
    expect((await store.askStaging('/pets?limit=11')).status).toBe(200)
    for (const key of [null, 'wrong', store.keys.production]) {
      expect((await store.askStaging('/pets?limit=11', { key })).status).toBe(401)
    }
    const missing = { key: null, headers: { authorization: 'Basic x' } }
    expect((await store.askStaging('/pets?limit=11', missing)).status).toBe(401)
  })

  it('does not confuse similar URLs', async () => {
    const paths = [
      '/pets?limit=2',
      '/pets?limit=02',
      '/pets?limit=2&limit=3',
      '/pets?limit=2%20',
      '/Pets?limit=2',
    ]
    const statuses = async () =>
      (await Promise.all(paths.map((path) => store.askStaging(path)))).map(({ status }) => status)
    expect(await statuses()).toEqual([200, 400, 400, 400, 404])
    expect(await statuses()).toEqual([200, 400, 400, 400, 404])
  })
})
