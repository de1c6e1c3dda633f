// Two workers and cached pages: production and staging are separate, a write is visible everywhere
// at once, and a cached response equals an uncached one.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { getRaw, served, serving, servingWorkers, store } from './serving.ts'

const pet = { name: 'Rex', categoryId: 1 }

describe.each(engines)('two workers on %s', (engine) => {
  servingWorkers(engine)

  const total = async (ask: typeof served.ask, query = '') =>
    (await ask(`/pets${query}`, { headers: { prefer: 'count=exact' } })).headers['x-total-count']

  it('production starts empty, staging with 50 animals of every status', async () => {
    expect(await total(served.ask)).toBe('0')
    expect((await served.ask('/pets')).text).toBe('[]')
    expect(await total(served.askStaging)).toBe('50')
    const counts = ['available', 'pending', 'sold'].map((s) =>
      total(served.askStaging, `?status=${s}`),
    )
    expect((await Promise.all(counts)).map(Number).reduce((a, b) => a + b)).toBe(50)
  })

  it('do not share added animals', async () => {
    const page = (await served.askStaging('/pets?limit=100')).text
    expect((await served.ask('/pets', { body: pet })).json).toMatchObject({ id: 1 })
    const added = await served.askStaging('/pets', { body: { ...pet, name: 'Bo' } })
    expect(added.json).toMatchObject({ id: 51 })
    expect((await served.askStaging('/pets?limit=50')).text).toBe(page)
    expect((await served.ask('/pets')).json).toMatchObject([{ id: 1, name: 'Rex' }])
    expect((await served.ask('/pets/51')).status).toBe(404)
  })

  it('staging reset restores the samples at once, keeps keys and production, reuses no id', async () => {
    const samples = (await served.askStaging('/pets?limit=50')).text
    const headers = { 'idempotency-key': 'before' }
    const added = await served.askStaging('/pets', { body: pet, headers })
    const { id } = added.json as { id: number }
    for (let i = 0; i < 4; i++) expect((await served.askStaging(`/pets/${id}`)).status).toBe(200)

    const { status, stdout, stderr } = await served.command('staging', 'reset')
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'Staging has its 50 sample animals again.\n',
      stderr: '',
    })
    for (let i = 0; i < 4; i++) expect((await served.askStaging(`/pets/${id}`)).status).toBe(404)
    expect((await served.askStaging('/pets?limit=100')).text).toBe(samples)
    expect(await total(served.askStaging)).toBe('50')
    expect((await served.ask('/pets')).json).toHaveLength(1)
    const next = await served.askStaging('/pets', { body: pet, headers })
    expect(next.json).toMatchObject({ id: id + 1 })
    expect(next.headers['idempotent-replayed']).toBeUndefined()
  })

  it('staging reset --json', async () => {
    const { status, stdout } = await served.command('staging', 'reset', '--json')
    expect([status, JSON.parse(stdout)]).toEqual([0, { animals: 50 }])
  })

  it('every response after a 201 has the animal, on any worker', async () => {
    const listings = ['/pets?limit=100', '/pets?limit=100&status=available']
    for (let i = 2; i <= 13; i++) {
      // Cached on both workers before the write.
      await Promise.all([...listings, ...listings].map((path) => served.ask(path)))
      const { status, text } = await served.ask('/pets', { body: { name: `${i}`, categoryId: i } })
      expect(status).toBe(201)
      const answers = await Promise.all([...listings, ...listings].map((path) => served.ask(path)))
      for (const response of answers) {
        expect(response.json).toHaveLength(i)
        expect(response.text).toContain(text)
      }
      const { headers } = await served.ask('/pets?limit=1', { headers: { prefer: 'count=exact' } })
      expect(headers['x-total-count']).toBe(String(i))
    }
  })

  it('a client never sees older data while others write', async () => {
    let isWriting = true
    const write = async () => {
      for (let i = 0; i < 30; i++) await served.ask('/pets', { body: { name: 'W', categoryId: i } })
      isWriting = false
    }
    const read = async () => {
      let most = 0
      while (isWriting) {
        const { json } = await served.ask('/pets?limit=100')
        expect((json as unknown[]).length).toBeGreaterThanOrEqual(most)
        most = (json as unknown[]).length
      }
      return most
    }
    await Promise.all([write(), read(), read()])
    expect((await served.ask('/pets?limit=100')).json).toHaveLength(43)
  })

  it('an animal that was missing is found once it is created', async () => {
    const { json } = await served.ask('/pets?limit=100')
    const next = Math.max(...(json as { id: number }[]).map(({ id }) => id)) + 1
    const asked = () => Promise.all([1, 2, 3, 4].map(() => served.ask(`/pets/${next}`)))
    expect((await asked()).map(({ status }) => status)).toEqual([404, 404, 404, 404])
    await served.ask('/pets', { body: { name: 'Late', categoryId: 1 } })
    expect((await asked()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})

describe.each(engines)('cached responses on %s', (engine) => {
  serving(engine, { env: { CORS_ORIGINS: 'https://shop.example.com' } })

  /** Headers and body as received, without those that must differ. */
  async function bytes(path: string, headers: Record<string, string>): Promise<string> {
    const { head, body } = await getRaw(path, headers)
    return `${head.replace(/^(X-Request-Id|Date): .*\r\n?/gim, '')}\n\n${body.toString('latin1')}`
  }

  const coded = { 'Content-Encoding': 'gzip' }
  it.each<[string, string, Record<string, string>]>([
    ['a page', '/pets', {}],
    ['a page in the middle', '/pets?limit=3&status=available', {}],
    ['a page in gzip', '/pets?limit=40', { 'Accept-Encoding': 'gzip' }],
    ['an empty page', '/pets?id=77', {}],
    ['an animal', '/pets/46', {}],
    ['an animal for a request with a body', '/pets/3', { ...coded, Range: 'bytes=0-1' }],
    ['a page for a browser', '/pets?limit=4', { Origin: 'https://shop.example.com' }],
    ['a page for another origin', '/pets?limit=6', { Origin: 'https://evil.example' }],
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
    const queries = ['pets?limit=2', 'pets?limit=02', 'pets?limit=2&limit=3', 'pets?limit=2%20']
    const paths = [...queries, 'Pets?limit=2'].map((path) => `/${path}`)
    const statuses = async () =>
      (await Promise.all(paths.map((path) => store.askStaging(path)))).map(({ status }) => status)
    expect(await statuses()).toEqual([200, 400, 400, 400, 404])
    expect(await statuses()).toEqual([200, 400, 400, 400, 404])
  })
})
