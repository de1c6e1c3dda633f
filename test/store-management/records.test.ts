// Categories, orders and environments over the management API: the same records and rules as over the store's own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Animal } from '#store/animals/schema.ts'
import type { OperatorCategory as Category } from '#store/categories/schema.ts'
import type { StoreEnvironment } from '#store/environments/routes.ts'
import type { Order } from '#store/orders/schema.ts'
import { engines } from '../database.ts'
import { type ManagedStore, startManaged } from './store-in-test.ts'

interface Page<Item> {
  items: Item[]
  next: string | null
  prev: string | null
  total: number | null
}

describe.each(engines)('records on %s', (engine) => {
  let store: ManagedStore
  beforeAll(async () => {
    store = await startManaged(engine)
  })
  afterAll(() => store.release())

  const animal = (): Promise<Animal> =>
    store.send<Animal>('POST', '/pets', { name: 'Rex', categoryId: 1 }, 201)
  const place = (petId: number): Promise<Order> =>
    store.send<Order>('POST', '/orders', { petId }, 201)
  const statusOf = async (id: number): Promise<string> =>
    (await store.get<Animal>(`/pets/${id}`)).status

  describe('categories', () => {
    it('are added, renamed only if unchanged, and deleted', async () => {
      const added = await store.send<Category>('POST', '/categories', { name: 'Dogs' }, 201)
      const path = `/categories/${added.id}`
      expect((await store.store.ask(path)).json).toEqual({ id: added.id, name: 'Dogs' })
      const ifMatch = { headers: { 'if-match': `"${added.version}"` } }
      const renamed = await store.manage(path, {
        method: 'PATCH',
        body: { name: 'Big dogs' },
        ...ifMatch,
      })
      expect(renamed.json).toMatchObject({ id: added.id, name: 'Big dogs' })
      const late = await store.manage(path, { method: 'PATCH', body: { name: 'x' }, ...ifMatch })
      expect(late.json).toMatchObject({ code: 'precondition_failed' })
      expect((await store.manage(path, { method: 'DELETE' })).status).toBe(204)
      const again = await store.manage(path, { method: 'DELETE' })
      expect(again.json).toMatchObject({ code: 'category_not_found' })
    })

    it('are refused with the field', async () => {
      const refused = await store.manage('/categories', { body: { name: ' ' } })
      expect(refused.json).toMatchObject({ code: 'invalid_body', details: [{ path: 'name' }] })
    })

    it('are listed in pages, each once', async () => {
      const made: number[] = []
      for (let i = 0; i < 5; i++) {
        const body = { name: `No. ${i}` }
        made.push((await store.send<Category>('POST', '/categories', body, 201)).id)
      }
      const seen: number[] = []
      let total = 0
      for (let cursor = ''; ; ) {
        const page = await store.get<Page<Category>>(`/categories?limit=2${cursor}`)
        seen.push(...page.items.map(({ id }) => id))
        total = page.total ?? -1
        if (page.next === null) break
        cursor = `&cursor=${page.next}`
      }
      expect(seen).toEqual(made)
      expect(total).toBe(made.length)
    })
  })

  describe('orders', () => {
    it('change the status of their animal', async () => {
      const { id } = await animal()
      const order = await place(id)
      expect(order).toMatchObject({ petId: id, status: 'placed' })
      expect(await statusOf(id)).toBe('pending')
      const other = await store.manage('/orders', { body: { petId: id } })
      expect(other.json).toMatchObject({ code: 'pet_not_available' })
      const held = await store.manage(`/pets/${id}`, { method: 'DELETE' })
      expect(held.json).toMatchObject({ code: 'conflict' })
      const move = (verb: string) => store.manage(`/orders/${order.id}/${verb}`, { method: 'POST' })
      expect((await move('approve')).json).toMatchObject({ status: 'approved' })
      expect((await move('deliver')).json).toEqual({ ...order, status: 'delivered' })
      expect(await statusOf(id)).toBe('sold')
      expect((await move('cancel')).json).toMatchObject({ code: 'conflict' })
      expect((await store.store.ask(`/store/orders/${order.id}`)).json).toMatchObject({
        status: 'delivered',
      })
    })

    it('make their animal available again when they are cancelled', async () => {
      const { id } = await animal()
      const order = await place(id)
      await store.send('POST', `/orders/${order.id}/cancel`, undefined)
      expect(await statusOf(id)).toBe('available')
    })

    it('are listed by status, each once', async () => {
      const placed: number[] = []
      for (let i = 0; i < 5; i++) placed.push((await place((await animal()).id)).id)
      const seen: number[] = []
      for (let cursor = ''; ; ) {
        const page = await store.get<Page<Order>>(`/orders?status=placed&limit=2${cursor}`)
        expect(page.total).toBe(placed.length)
        seen.push(...page.items.map(({ id }) => id))
        if (page.next === null) break
        cursor = `&cursor=${page.next}`
      }
      expect(seen).toEqual(placed)
    })

    it('are refused for missing records', async () => {
      const none = await store.manage('/orders', { body: { petId: 999_999 } })
      expect(none.json).toMatchObject({ code: 'pet_not_found' })
      const wrong = await store.manage('/orders', { body: { petId: 'one' } })
      expect(wrong.json).toMatchObject({ code: 'invalid_body', details: [{ path: 'petId' }] })
      const unknown = await store.manage('/orders/999999/approve', { method: 'POST' })
      expect(unknown.json).toMatchObject({ code: 'order_not_found' })
    })
  })

  describe('an environment', () => {
    it('shows its record counts', async () => {
      const before = await store.get<StoreEnvironment>('/store/staging')
      expect(before).toMatchObject({ name: 'staging', baseUrl: store.store.baseUrl.staging })
      const { id } = await store.send<Animal>(
        'POST',
        '/store/staging/pets',
        { name: 'Rex', categoryId: 1 },
        201,
      )
      await store.send('POST', '/store/staging/orders', { petId: id }, 201)
      const after = await store.get<StoreEnvironment>('/store/staging')
      expect(after.animals.total).toBe(before.animals.total + 1)
      expect(after.animals.pending).toBe(before.animals.pending + 1)
      expect(after.orders).toMatchObject({ total: 1, placed: 1 })
    })

    it('is reset to its samples if it is staging, and keeps its keys', async () => {
      const before = (await store.store.askStaging('/pets?limit=100')).json as Animal[]
      const mine = before.at(-1) as Animal
      const reset = await store.send<{ animals: number }>('POST', '/store/staging/reset', undefined)
      const after = (await store.store.askStaging('/pets?limit=100')).json as Animal[]
      expect(after).toHaveLength(reset.animals)
      expect(after.map(({ id }) => id)).not.toContain(mine.id)
      const { orders } = await store.get<StoreEnvironment>('/store/staging')
      expect(orders.total).toBe(0)
      const production = await store.manage('/store/production/reset', { method: 'POST' })
      expect(production.json).toMatchObject({ code: 'route_not_found' })
    })
  })
})
