// Animals by name, in other orders than that of ids, and changed many at once, over the management API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Animal } from '#store/animals/schema.ts'
import type { ChangedAnimals } from '#store/operators/bulk-routes.ts'
import { engines } from '../database.ts'
import { type ManagedStore, startManaged } from './store-in-test.ts'

interface Page {
  items: Animal[]
  next: string | null
  prev: string | null
  total: number | null
}

const names = [
  ...['Rex', 'rex', 'REX II', 'Rexine', 'Anna', 'Élan', 'élan vital', 'ÉLAN', 'Zoë'],
  ...['100% dog', 'Re', 'Rey', 'Rex', 'Rex', '_under', '\u{10ffff}last', '퟿edge', '🐕 dog'],
]

describe.each(engines)('animals by name on %s', (engine) => {
  let store: ManagedStore
  let all: Animal[]
  beforeAll(async () => {
    store = await startManaged(engine)
    for (const [i, name] of names.entries()) {
      const status = i % 3 === 0 ? 'sold' : 'available'
      await store.send('POST', '/pets', { name, categoryId: i % 2, status }, 201)
    }
    all = (await store.get<Page>('/pets?limit=100')).items
  })
  afterAll(() => store.release())

  const key = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const byName = (a: Animal, b: Animal): number =>
    Buffer.compare(Buffer.from(key(a.name)), Buffer.from(key(b.name))) || a.id - b.id
  const idsOf = (animals: Animal[]): number[] => animals.map(({ id }) => id)

  /** The pages of a list: from the first to the last one along `next`, and back along `prev`. */
  async function walk(query: string): Promise<{ forth: number[]; back: number[] }> {
    const get = (cursor: string | null): Promise<Page> =>
      store.get<Page>(`/pets?limit=2&${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
    let page = await get(null)
    expect(page.prev).toBeNull()
    const forth = idsOf(page.items)
    while (page.next !== null) {
      page = await get(page.next)
      forth.push(...idsOf(page.items))
    }
    const back = idsOf(page.items)
    while (page.prev !== null) {
      page = await get(page.prev)
      back.unshift(...idsOf(page.items))
    }
    return { forth, back }
  }

  it.each([
    ['sort=name', () => all.toSorted(byName)],
    ['sort=-name', () => all.toSorted(byName).toReversed()],
    ['sort=-id', () => all.toReversed()],
    ['sort=-id&status=sold', () => all.filter(({ status }) => status === 'sold').toReversed()],
    ['sort=-id&categoryId=1', () => all.filter((one) => one.categoryId === 1).toReversed()],
    ['sort=name&status=sold', () => all.filter(({ status }) => status === 'sold').toSorted(byName)],
    ['name=rEx', () => all.filter(({ name }) => /^rex/i.test(name)).toSorted(byName)],
    [
      'name=rex&sort=-name',
      () =>
        all
          .filter(({ name }) => /^rex/i.test(name))
          .toSorted(byName)
          .toReversed(),
    ],
    ['name=%C3%A9lan', () => all.filter(({ name }) => /^élan/iu.test(name)).toSorted(byName)],
    [
      'name=rex&status=available&categoryId=1',
      () =>
        all
          .filter(
            (one) => /^rex/i.test(one.name) && one.status === 'available' && one.categoryId === 1,
          )
          .toSorted(byName),
    ],
    ['name=100%25', () => all.filter(({ name }) => name.startsWith('100%'))],
    ['name=%25', () => []],
    ['name=_', () => all.filter(({ name }) => name.startsWith('_'))],
    ['name=%F0%9F%90%95', () => all.filter(({ name }) => name.startsWith('🐕'))],
    ['name=%F4%8F%BF%BF', () => all.filter(({ name }) => name.startsWith('\u{10ffff}'))],
  ])('%s is a whole walk in both directions', async (query, expected) => {
    const ids = idsOf(expected())
    const { back, forth } = await walk(query)
    expect(forth).toEqual(ids)
    expect(back).toEqual(ids)
  })

  it('counts those of a name, and refuses cursors of other filters', async () => {
    const page = await store.get<Page>('/pets?name=rex&limit=2')
    expect(page.total).toBe(6)
    const other = await store.manage(`/pets?name=re&limit=2&cursor=${page.next}`)
    expect(other).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } })
    const plain = await store.manage(`/pets?limit=2&cursor=${page.next}`)
    expect(plain).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } })
    expect((await store.manage('/pets?sort=status')).status).toBe(400)
    // The store's own API has no such filter.
    expect((await store.store.ask('/pets?name=rex&sort=-id')).status).toBe(400)
  })

  it('are found with categories and orders, by the beginning of a name or an id', async () => {
    await store.send('POST', '/categories', { name: 'Rexes' }, 201)
    const animal = await store.send<Animal>('POST', '/pets', { name: '1st', categoryId: 1 }, 201)
    const order = await store.send<{ id: number }>('POST', '/orders', { petId: animal.id }, 201)
    const find = (text: string) => store.get<object>(`/search?text=${encodeURIComponent(text)}`)
    expect(await find('REX')).toMatchObject({
      animals: [
        { name: 'Rex' },
        { name: 'rex' },
        { name: 'Rex' },
        { name: 'Rex' },
        { name: 'REX II' },
      ],
      categories: [{ name: 'Rexes' }],
      orders: [],
    })
    expect(await find(String(order.id))).toMatchObject({
      animals: [{ id: order.id }, { name: '100% dog' }, { name: '1st' }],
      orders: [order],
    })
    expect(await find('9007199254740993')).toEqual({ animals: [], categories: [], orders: [] })
    await store.send('POST', `/orders/${order.id}/cancel`, undefined)
  })

  it('change their status together, each on its own, and back where nobody changed one since', async () => {
    const made: Animal[] = []
    for (const name of ['A', 'B', 'C'])
      made.push(await store.send<Animal>('POST', '/pets', { name, categoryId: 1 }, 201))
    const [a, b, c] = made as [Animal, Animal, Animal]
    const order = await store.send<{ id: number }>('POST', '/orders', { petId: c.id }, 201)
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
    expect((await change([{ id: c.id, status: 'sold' }])).items).toMatchObject([
      {
        problem: {
          code: 'conflict',
          message: `Order ${order.id} holds this animal. Deliver or cancel it first.`,
        },
      },
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
