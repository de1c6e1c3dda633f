// Production and staging are separate. Staging has sample animals, which a reset restores.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type ServedStore, serveStore } from '../served-store.ts'

const rex = { name: 'Rex', categoryId: 1 }

describe.each(engines)('environments on %s', (engine) => {
  let store: ServedStore
  beforeAll(async () => {
    store = await serveStore(engine, { WORKERS: '2' })
  })
  afterAll(() => store.release())

  const total = async (ask: ServedStore['ask'], query = '') =>
    (await ask(`/pets${query}`, { headers: { prefer: 'count=exact' } })).headers['x-total-count']

  it('production starts empty, staging with 50 animals of every status', async () => {
    expect(await total(store.ask)).toBe('0')
    expect((await store.ask('/pets')).text).toBe('[]')
    expect(await total(store.askStaging)).toBe('50')
    const counts = ['available', 'pending', 'sold'].map((s) =>
      total(store.askStaging, `?status=${s}`),
    )
    expect((await Promise.all(counts)).map(Number).reduce((a, b) => a + b)).toBe(50)
  })

  it('have separate keys', async () => {
    expect(store.keys.production).toMatch(/^as_live_/)
    expect(store.keys.staging).toMatch(/^as_test_/)
    for (const [ask, key] of [
      [store.ask, store.keys.staging],
      [store.askStaging, store.keys.production],
    ] as const) {
      expect(await ask('/pets', { key })).toMatchObject({
        status: 401,
        json: { code: 'wrong_environment' },
      })
      expect((await ask('/pets', { key, body: rex })).status).toBe(401)
    }
  })

  it('do not share added animals', async () => {
    const page = (await store.askStaging('/pets?limit=100')).text
    expect((await store.ask('/pets', { body: rex })).json).toMatchObject({ id: 1 })
    expect((await store.askStaging('/pets', { body: { ...rex, name: 'Bo' } })).json).toMatchObject({
      id: 51,
    })
    expect((await store.askStaging('/pets?limit=50')).text).toBe(page)
    expect((await store.ask('/pets')).json).toMatchObject([{ id: 1, name: 'Rex' }])
    expect((await store.ask('/pets/51')).status).toBe(404)
  })

  it('staging reset restores the samples at once, keeps keys and production, reuses no id', async () => {
    const samples = (await store.askStaging('/pets?limit=50')).text
    const headers = { 'idempotency-key': 'before' }
    const added = await store.askStaging('/pets', { body: rex, headers })
    const { id } = added.json as { id: number }
    for (let i = 0; i < 4; i++) expect((await store.askStaging(`/pets/${id}`)).status).toBe(200)

    const { status, stdout, stderr } = await store.command('staging', 'reset')
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'Staging has its 50 sample animals again.\n',
      stderr: '',
    })
    for (let i = 0; i < 4; i++) expect((await store.askStaging(`/pets/${id}`)).status).toBe(404)
    expect((await store.askStaging('/pets?limit=100')).text).toBe(samples)
    expect(await total(store.askStaging)).toBe('50')
    expect((await store.ask('/pets')).json).toHaveLength(1)
    const next = await store.askStaging('/pets', { body: rex, headers })
    expect(next.json).toMatchObject({ id: id + 1 })
    expect(next.headers['idempotent-replayed']).toBeUndefined()
  })

  it('staging reset --json', async () => {
    const { status, stdout } = await store.command('staging', 'reset', '--json')
    expect([status, JSON.parse(stdout)]).toEqual([0, { animals: 50 }])
  })
})
