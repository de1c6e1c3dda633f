// The operations on categories.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { serving, store } from './serving.ts'

describe.each(engines)('categories on %s', (engine) => {
  serving(engine)

  it('are added, listed, renamed and deleted', async () => {
    const dogs = await store.ask('/categories', { body: { name: 'Dogs' } })
    expect(dogs).toMatchObject({ status: 201, json: { id: 1, name: 'Dogs' } })
    expect(dogs.headers.location).toBe(`${store.baseUrl.production}/categories/1`)
    expect((await store.ask('/categories/1')).headers.etag).toBe(dogs.headers.etag)
    const stale = { 'if-match': '"x"' }
    const method = 'PATCH'
    const refused = await store.ask('/categories/1', {
      method,
      body: { name: 'X' },
      headers: stale,
    })
    expect(refused.status).toBe(412)
    const renamed = await store.ask('/categories/1', { method, body: { name: 'Hunde' } })
    expect(renamed).toMatchObject({ status: 200, json: { id: 1, name: 'Hunde' } })
    expect((await store.ask('/categories')).json).toEqual([{ id: 1, name: 'Hunde' }])
    expect((await store.ask('/categories/1', { method: 'DELETE' })).status).toBe(204)
    for (const ask of [{}, { method: 'DELETE' }, { method, body: { name: 'Y' } }]) {
      const response = await store.ask('/categories/1', ask)
      expect(response).toMatchObject(refusal(404, 'category_not_found'))
    }
    const cats = await store.ask('/categories', { body: { name: 'Cats' } })
    expect(cats.json).toEqual({ id: 2, name: 'Cats' })
  })

  it('have pages with the same links and counts as animals', async () => {
    for (let i = 0; i < 5; i++) await store.ask('/categories', { body: { name: `C${i}` } })
    const seen: number[] = []
    let path: string | undefined = '/categories?limit=2'
    while (path) {
      const page = await store.ask(path, { headers: { prefer: 'count=exact' } })
      expect(page.headers['x-total-count']).toBe('6')
      seen.push(...(page.json as { id: number }[]).map(({ id }) => id))
      const next: string | undefined = /<([^>]*)>; rel="next"/.exec(page.headers.link ?? '')?.[1]
      path = next?.slice(store.baseUrl.production.length)
    }
    expect(seen).toEqual([2, 3, 4, 5, 6, 7])
    const foreign = (await store.ask('/pets?limit=1')).headers.link
    expect(foreign).not.toContain('rel="next"')
  })

  it('can be deleted without changing their animals, and need not exist', async () => {
    const created = await store.ask('/categories', { body: { name: 'Birds' } })
    const { id } = created.json as { id: number }
    const pet = await store.ask('/pets', { body: { name: 'Kiwi', categoryId: id } })
    await store.ask(`/categories/${id}`, { method: 'DELETE' })
    const { id: petId } = pet.json as { id: number }
    expect((await store.ask(`/pets/${petId}`)).json).toMatchObject({ categoryId: id })
  })

  it.each([[{}], [{ name: '' }], [{ name: 7 }]])('refuse %j', async (body) => {
    const response = await store.ask('/categories', { body })
    expect(response).toMatchObject(refusal(400, 'invalid_body'))
  })

  it('staging has seven samples', async () => {
    expect((await store.askStaging('/categories')).json).toHaveLength(7)
  })
})
