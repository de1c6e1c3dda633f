// The operations on categories.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { createdId, serving, store } from './serving.ts'

describe.each(engines)('categories on %s', (engine) => {
  serving(engine)

  it('are added, listed, renamed and deleted', async () => {
    const dogs = await store.ask('/categories', { body: { name: 'Dogs' } })
    expect(dogs).toMatchObject({ status: 201, json: { id: 1, name: 'Dogs' } })
    expect(dogs.headers.location).toBe(`${store.baseUrl.production}/categories/1`)
    expect((await store.ask('/categories/1')).headers.etag).toBe(dogs.headers.etag)
    const method = 'PATCH'
    const stale = { method, body: { name: 'X' }, headers: { 'if-match': '"x"' } }
    expect((await store.ask('/categories/1', stale)).status).toBe(412)
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

  it('can be deleted without changing their animals, and need not exist', async () => {
    const id = await createdId('/categories', { name: 'Birds' })
    const petId = await createdId('/pets', { name: 'Kiwi', categoryId: id })
    await store.ask(`/categories/${id}`, { method: 'DELETE' })
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
