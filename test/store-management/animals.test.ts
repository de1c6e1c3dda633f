// Animals over the management API: the same records, rules and numbers as over the store's own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Animal } from '#store/animals/schema.ts'
import { engines } from '../database.ts'
import { type ManagedStore, startManaged } from './store-in-test.ts'

interface Page {
  items: Animal[]
  next: string | null
  prev: string | null
  total: number | null
}

const largest = '9223372036854775807'

describe.each(engines)('animals on %s', (engine) => {
  let store: ManagedStore
  beforeAll(async () => {
    store = await startManaged(engine)
  })
  afterAll(() => store.release())

  it('are added, read, changed and deleted', async () => {
    const added = await store.send<Animal>('POST', '/pets', { name: 'Rex', categoryId: 70 }, 201)
    expect(added).toMatchObject({ name: 'Rex', categoryId: 70, status: 'available' })
    expect((await store.store.ask(`/pets/${added.id}`)).json).toEqual({
      id: added.id,
      name: 'Rex',
      categoryId: 70,
      status: 'available',
    })
    const path = `/pets/${added.id}`
    const changed = await store.send<Animal>('PATCH', path, { status: 'sold' })
    expect(changed).toMatchObject({ status: 'sold', name: 'Rex' })
    expect(changed.version).not.toBe(added.version)
    const seen = await store.manage(path)
    expect(seen.json).toEqual(changed)
    expect(seen.headers.etag).toBe(`"${changed.version}"`)
    expect((await store.manage(path, { method: 'DELETE' })).status).toBe(204)
    expect((await store.manage(path)).json).toMatchObject({ code: 'pet_not_found' })
  })

  it('are not changed if another client has changed them', async () => {
    const added = await store.send<Animal>('POST', '/pets', { name: 'Rex', categoryId: 70 }, 201)
    const path = `/pets/${added.id}`
    const ifMatch = { headers: { 'if-match': `"${added.version}"` } }
    const mine = { method: 'PATCH', body: { name: 'Rexi' }, ...ifMatch }
    expect((await store.manage(path, mine)).status).toBe(200)
    const late = { method: 'PATCH', body: { name: 'Roxy' }, ...ifMatch }
    expect((await store.manage(path, late)).json).toMatchObject({ code: 'precondition_failed' })
    const removal = { method: 'DELETE', ...ifMatch }
    expect((await store.manage(path, removal)).json).toMatchObject({ code: 'precondition_failed' })
    expect((await store.get<Animal>(path)).name).toBe('Rexi')
  })

  it('keep every digit of their category', async () => {
    const body = `{"name":"Digits","categoryId":${largest}}`
    const added = await store.manage('/pets', { body })
    expect(added.text).toContain(`"categoryId":${largest},`)
    const { id } = added.json as Animal
    const path = `/pets/${id}`
    expect((await store.manage(path)).text).toContain(`"categoryId":${largest},`)
    const list = await store.manage(`/pets?categoryId=${largest}`)
    expect(list.text).toContain(`"categoryId":${largest},`)
    expect((list.json as Page).items.map((animal) => animal.id)).toEqual([id])
    const changed = await store.manage(path, {
      method: 'PATCH',
      body: '{"categoryId":-9223372036854775808}',
    })
    expect(changed.text).toContain('"categoryId":-9223372036854775808,')
    expect((await store.store.ask(`/pets/${id}`)).text).toContain('-9223372036854775808')
  })

  it.each([
    [{ categoryId: 1 }, 'name'],
    [{ name: '', categoryId: 1 }, 'name'],
    [{ name: 'Rex', categoryId: 1.5 }, 'categoryId'],
    [{ name: 'Rex', categoryId: 1, status: 'lost' }, 'status'],
  ])('are refused as by the store: %j', async (body, path) => {
    const refused = await store.manage('/pets', { body })
    const own = await store.store.ask('/pets', { body })
    expect(refused.json).toEqual(own.json)
    expect(refused.json).toMatchObject({ code: 'invalid_body', details: [{ path }] })
  })

  it('require an existing environment', async () => {
    for (const environment of ['lab', 'Production', '__proto__']) {
      const { json, status } = await store.manage(`/store/${environment}/pets`)
      expect([status, json]).toMatchObject([404, { code: 'route_not_found' }])
    }
    const staging = await store.get<Page>('/store/staging/pets')
    expect(staging.total).toBeGreaterThan(0)
  })

  describe('as a list', () => {
    /** Ids by status and category; the statuses and categories alternate. */
    const made: Animal[] = []
    const statuses = ['available', 'pending', 'sold']
    beforeAll(async () => {
      for (let i = 0; i < 60; i++) {
        const body = { name: `No. ${i}`, categoryId: 500 + (i % 4), status: statuses[i % 3] }
        made.push(await store.send<Animal>('POST', '/pets', body, 201))
      }
    })

    /** The ids on all pages, following the cursors. */
    async function walk(query: string): Promise<number[][]> {
      const pages: number[][] = []
      for (let cursor = ''; ; ) {
        const page: Page = await store.get<Page>(`/pets?${query}${cursor}`)
        pages.push(page.items.map(({ id }) => id))
        if (page.next === null) return pages
        cursor = `&cursor=${page.next}`
      }
    }

    const filters: [string, (animal: Animal) => boolean][] = [
      ['categoryId=501', ({ categoryId }) => categoryId === 501],
      ['categoryId=501&status=sold', (a) => a.categoryId === 501 && a.status === 'sold'],
      ['status=pending', ({ status }) => status === 'pending'],
    ]
    it.each(filters)('are listed, each once, by %s', async (filter, has) => {
      const expected = made.filter(has).map(({ id }) => id)
      const pages = await walk(`limit=4&${filter}`)
      const ids = pages.flat()
      expect(ids.filter((id) => made.some((animal) => animal.id === id))).toEqual(expected)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
      const { total } = await store.get<Page>(`/pets?limit=1&${filter}`)
      expect(total).toBe(ids.length)
    })

    it.each(['categoryId=501', 'status=sold', ''])('go backwards by %s', async (filter) => {
      const pages = await walk(`limit=4&${filter}`)
      let page = await store.get<Page>(`/pets?limit=4&${filter}`)
      while (page.next) page = await store.get<Page>(`/pets?limit=4&${filter}&cursor=${page.next}`)
      const back = [page.items.map(({ id }) => id)]
      while (page.prev) {
        page = await store.get<Page>(`/pets?limit=4&${filter}&cursor=${page.prev}`)
        back.unshift(page.items.map(({ id }) => id))
      }
      expect(back).toEqual(pages)
    })

    it('are selected by ids', async () => {
      const [first, , third] = made
      const page = await store.get<Page>(`/pets?id=${third?.id},${first?.id}`)
      expect(page).toEqual({ items: [first, third], next: null, prev: null, total: 2 })
      const none = await store.get<Page>(`/pets?id=${first?.id}&categoryId=501`)
      expect(none).toMatchObject({ items: [], total: 0 })
    })

    it('refuse a cursor of another filter, and an invalid limit', async () => {
      const { next } = await store.get<Page>('/pets?limit=1&status=sold')
      const other = await store.manage(`/pets?limit=1&cursor=${next}`)
      expect(other.json).toMatchObject({ code: 'invalid_cursor', details: [{ path: 'cursor' }] })
      const elsewhere = await store.manage(`/store/staging/pets?status=sold&cursor=${next}`)
      expect(elsewhere.json).toMatchObject({ code: 'invalid_cursor' })
      const limit = await store.manage('/pets?limit=101')
      expect(limit.json).toMatchObject({ code: 'invalid_parameter', details: [{ path: 'limit' }] })
    })
  })
})
