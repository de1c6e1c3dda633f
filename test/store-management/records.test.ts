// Animals, categories, orders and environments over the management API: the same records, rules and numbers as over the
// store's own; besides, animals by name, in other orders than that of ids, and changed many at once.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Animal } from '#store/animals/schema.ts'
import type { OperatorCategory as Category } from '#store/categories/schema.ts'
import type { StoreEnvironment } from '#store/environments/routes.ts'
import type { ChangedAnimals } from '#store/operators/bulk-routes.ts'
import type { Order } from '#store/orders/schema.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { idsOf, managing, type Page, store } from './store-in-test.ts'

const largest = '9223372036854775807'
const names = [
  ...['Rex', 'rex', 'REX II', 'Rexine', 'Anna', 'Élan', 'élan vital', 'ÉLAN', 'Zoë'],
  ...['100% dog', 'Re', 'Rey', 'Rex', 'Rex', '_under', '\u{10ffff}last', '퟿edge', '🐕 dog'],
]

describe.each(engines)('records on %s', (engine) => {
  let all: Animal[]
  managing(engine)
  beforeAll(async () => {
    for (const [i, name] of names.entries()) {
      const status = i % 3 === 0 ? 'sold' : 'available'
      await store.send('POST', '/pets', { name, categoryId: i % 2, status }, 201)
    }
    all = (await store.get<Page<Animal>>('/pets?limit=100')).items
  })

  const animal = (name = 'Rex') => store.send<Animal>('POST', '/pets', { name, categoryId: 1 }, 201)
  const place = (petId: number): Promise<Order> =>
    store.send<Order>('POST', '/orders', { petId }, 201)
  const statusOf = async (id: number): Promise<string> =>
    (await store.get<Animal>(`/pets/${id}`)).status

  const key = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const byName = (a: Animal, b: Animal): number =>
    Buffer.compare(Buffer.from(key(a.name)), Buffer.from(key(b.name))) || a.id - b.id

  const sold = () => all.filter(({ status }) => status === 'sold')
  const ofOne = () => all.filter(({ categoryId }) => categoryId === 1)
  const named = (form: RegExp) => all.filter(({ name }) => form.test(name)).toSorted(byName)

  it.each([
    ['', () => all],
    ['status=sold', sold],
    ['categoryId=1', ofOne],
    ['categoryId=1&status=sold', () => ofOne().filter(({ status }) => status === 'sold')],
    ['sort=name', () => all.toSorted(byName)],
    ['sort=-name', () => all.toSorted(byName).toReversed()],
    ['sort=-id', () => all.toReversed()],
    ['sort=-id&status=sold', () => sold().toReversed()],
    ['sort=-id&categoryId=1', () => ofOne().toReversed()],
    ['sort=name&status=sold', () => sold().toSorted(byName)],
    ['name=rEx', () => named(/^rex/i)],
    ['name=rex&sort=-name', () => named(/^rex/i).toReversed()],
    ['name=%C3%A9lan', () => named(/^élan/iu)],
    [
      'name=rex&status=available&categoryId=1',
      () =>
        named(/^rex/i).filter(
          ({ categoryId, status }) => categoryId === 1 && status === 'available',
        ),
    ],
    ['name=100%25', () => all.filter(({ name }) => name.startsWith('100%'))],
    ['name=%25', () => []],
    ['name=_', () => all.filter(({ name }) => name.startsWith('_'))],
    ['name=%F0%9F%90%95', () => all.filter(({ name }) => name.startsWith('🐕'))],
    ['name=%F4%8F%BF%BF', () => all.filter(({ name }) => name.startsWith('\u{10ffff}'))],
  ])('animals of %s, in both directions', async (query, expected) => {
    const ids = await idsOf(`/pets?${query}`, !/name=.*&status/.test(query))
    expect(ids).toEqual(expected().map(({ id }) => id))
  })

  it('animals are selected by ids', async () => {
    const [first, , third] = all
    const page = await store.get<Page<Animal>>(`/pets?id=${third?.id},${first?.id}`)
    expect(page).toEqual({ items: [first, third], next: null, prev: null, total: 2 })
    const none = await store.get<Page<Animal>>(`/pets?id=${first?.id}&categoryId=501`)
    expect(none).toMatchObject({ items: [], total: 0 })
  })

  it('cursors of other filters are refused, and wrong parameters', async () => {
    const { next } = await store.get<Page<Animal>>('/pets?name=rex&limit=2')
    const { next: sold } = await store.get<Page<Animal>>('/pets?limit=1&status=sold')
    for (const path of [
      ...[`/pets?name=re&limit=2&cursor=${next}`, `/pets?limit=2&cursor=${next}`],
      ...[`/pets?limit=1&cursor=${sold}`, `/store/staging/pets?status=sold&cursor=${sold}`],
    ]) {
      expect(await store.manage(path)).toMatchObject(refusal(400, 'invalid_cursor', 'cursor'))
    }
    for (const [name, value] of Object.entries({ sort: 'status', limit: '101' })) {
      const refused = refusal(400, 'invalid_parameter', name)
      expect(await store.manage(`/pets?${name}=${value}`)).toMatchObject(refused)
    }
    // The store's own API has no such filter.
    expect((await store.store.ask('/pets?name=rex&sort=-id')).status).toBe(400)
  })

  it('animals are found with categories and orders, by the beginning of a name or an id', async () => {
    const rexes = await store.send<Category>('POST', '/categories', { name: 'Rexes' }, 201)
    const order = await place((await animal('1st')).id)
    const find = (text: string) => store.get<object>(`/search?text=${encodeURIComponent(text)}`)
    expect(await find('REX')).toMatchObject({
      animals: ['Rex', 'rex', 'Rex', 'Rex', 'REX II'].map((name) => ({ name })),
      categories: [{ name: 'Rexes' }],
      orders: [],
    })
    expect(await find(String(order.id))).toMatchObject({
      animals: [{ id: order.id }, { name: '100% dog' }, { name: '1st' }],
      orders: [order],
    })
    expect(await find('9007199254740993')).toEqual({ animals: [], categories: [], orders: [] })
    await store.send('POST', `/orders/${order.id}/cancel`, undefined)
    await store.send('DELETE', `/categories/${rexes.id}`, undefined, 204)
  })

  it('animals are added, read, changed and deleted, unless another client has changed them', async () => {
    const added = await store.send<Animal>('POST', '/pets', { name: 'Rex', categoryId: 70 }, 201)
    expect(added).toMatchObject({ name: 'Rex', categoryId: 70, status: 'available' })
    const path = `/pets/${added.id}`
    const { version, ...own } = added
    expect((await store.store.ask(path)).json).toEqual(own)
    const headers = { 'if-match': `"${version}"` }
    const change = { method: 'PATCH', body: { status: 'sold' }, headers }
    const changed = (await store.manage(path, change)).json as Animal
    expect(changed).toMatchObject({ status: 'sold', name: 'Rex' })
    for (const late of [change, { method: 'DELETE', headers }])
      expect(await store.manage(path, late)).toMatchObject(refusal(412, 'precondition_failed'))
    const seen = await store.manage(path)
    expect(seen.json).toEqual(changed)
    expect(seen.headers.etag).toBe(`"${changed.version}"`)
    expect((await store.manage(path, { method: 'DELETE' })).status).toBe(204)
    expect(await store.manage(path)).toMatchObject(refusal(404, 'pet_not_found'))
  })

  it('animals keep every digit of their category', async () => {
    const body = `{"name":"Digits","categoryId":${largest}}`
    const added = await store.manage('/pets', { body })
    expect(added.text).toContain(`"categoryId":${largest},`)
    const { id } = added.json as Animal
    const path = `/pets/${id}`
    expect((await store.manage(path)).text).toContain(`"categoryId":${largest},`)
    const list = await store.manage(`/pets?categoryId=${largest}`)
    expect(list.text).toContain(`"categoryId":${largest},`)
    expect((list.json as Page<Animal>).items.map((animal) => animal.id)).toEqual([id])
    const change = { method: 'PATCH', body: '{"categoryId":-9223372036854775808}' }
    const changed = await store.manage(path, change)
    expect(changed.text).toContain('"categoryId":-9223372036854775808,')
    expect((await store.store.ask(`/pets/${id}`)).text).toContain('-9223372036854775808')
  })

  it.each([
    [{ categoryId: 1 }, 'name'],
    [{ name: '', categoryId: 1 }, 'name'],
    [{ name: 'Rex', categoryId: 1.5 }, 'categoryId'],
    [{ name: 'Rex', categoryId: 1, status: 'lost' }, 'status'],
  ])('animals are refused as by the store: %j', async (body, path) => {
    const refused = await store.manage('/pets', { body })
    const own = await store.store.ask('/pets', { body })
    expect(refused.json).toEqual(own.json)
    expect(refused.json).toMatchObject({ code: 'invalid_body', details: [{ path }] })
  })

  it('animals require an existing environment', async () => {
    for (const environment of ['lab', 'Production', '__proto__']) {
      const refused = await store.manage(`/store/${environment}/pets`)
      expect(refused).toMatchObject(refusal(404, 'route_not_found'))
    }
    const staging = await store.get<Page<Animal>>('/store/staging/pets')
    expect(staging.total).toBeGreaterThan(0)
  })

  describe('categories', () => {
    it('are added, renamed only if unchanged, and deleted', async () => {
      const added = await store.send<Category>('POST', '/categories', { name: 'Dogs' }, 201)
      const path = `/categories/${added.id}`
      expect((await store.store.ask(path)).json).toEqual({ id: added.id, name: 'Dogs' })
      const ifMatch = { headers: { 'if-match': `"${added.version}"` } }
      const rename = (name: string) =>
        store.manage(path, { method: 'PATCH', body: { name }, ...ifMatch })
      expect((await rename('Big dogs')).json).toMatchObject({ id: added.id, name: 'Big dogs' })
      expect(await rename('x')).toMatchObject(refusal(412, 'precondition_failed'))
      const remove = () => store.manage(path, { method: 'DELETE' })
      expect((await remove()).status).toBe(204)
      expect(await remove()).toMatchObject(refusal(404, 'category_not_found'))
    })

    it('are listed in pages, each once', async () => {
      const made: number[] = []
      for (let i = 0; i < 5; i++) {
        const body = { name: `No. ${i}` }
        made.push((await store.send<Category>('POST', '/categories', body, 201)).id)
      }
      expect(await idsOf('/categories?')).toEqual(made)
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

    it('are listed by status, each once', async () => {
      const placed: number[] = []
      for (let i = 0; i < 5; i++) placed.push((await place((await animal()).id)).id)
      expect(await idsOf('/orders?status=placed')).toEqual(placed)
    })
  })

  describe('an environment', () => {
    it('shows its record counts', async () => {
      const before = await store.get<StoreEnvironment>('/store/staging')
      expect(before).toMatchObject({ name: 'staging', baseUrl: store.store.baseUrl.staging })
      const body = { name: 'Rex', categoryId: 1 }
      const { id } = await store.send<Animal>('POST', '/store/staging/pets', body, 201)
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

  it('animals change their status together, each on its own, and back where nobody changed one since', async () => {
    const [a, b, c] = [await animal('A'), await animal('B'), await animal('C')]
    const made = [a, b, c]
    const order = await place(c.id)
    const change = (changes: object[]) =>
      store.send<ChangedAnimals>('POST', '/pets/changes', { changes })
    const to =
      (status: string) =>
      ({ id, version }: Animal) => ({ id, version, status })
    const unknown = { id: 999_999, status: 'sold' }
    const { items } = await change([...made.map(to('sold')), unknown])
    expect(items).toMatchObject([
      { id: a.id, problem: null, animal: { status: 'sold' } },
      { id: b.id, problem: null, animal: { status: 'sold' } },
      // Placing the order changed it.
      { id: c.id, problem: { code: 'precondition_failed' }, animal: null },
      { id: 999_999, problem: { code: 'pet_not_found' } },
    ])
    const message = `Order ${order.id} holds this animal. Deliver or cancel it first.`
    expect((await change([{ id: c.id, status: 'sold' }])).items).toMatchObject([
      { problem: { code: 'conflict', message } },
    ])
    // Somebody else changes B before the first change is undone.
    await store.send('PATCH', `/pets/${b.id}`, { name: 'Beta' })
    const changed = items.flatMap(({ animal }) => animal ?? []).map(to('available'))
    expect((await change(changed)).items).toMatchObject([
      { id: a.id, animal: { status: 'available' } },
      { id: b.id, problem: { code: 'precondition_failed' } },
    ])

    const remove = (animals: object[]) => store.send<object>('POST', '/pets/deletions', { animals })
    expect(await remove(made.map(({ id }) => ({ id })))).toMatchObject({
      items: [{ problem: null }, { problem: null }, { id: c.id, problem: { code: 'conflict' } }],
    })
    expect((await store.manage(`/pets/${a.id}`)).status).toBe(404)
    const many = Array.from({ length: 101 }, (_, i) => ({ id: i + 1 }))
    expect((await store.manage('/pets/deletions', { body: { animals: many } })).status).toBe(400)
  })
})
