// Clients that add, rename, order, deliver, cancel and delete their own animals and compete for a few shared ones; and
// the expected records at the end.
import { expect } from 'vitest'
import type { Answer } from '../running-store.ts'
import {
  type Persist,
  type RetryingClients,
  sendWrite,
  startRetryingClients,
  type Write,
} from './retrying-clients.ts'
import type { Pet, Shop } from './shop.ts'

interface Order {
  id: number
  petId: number
  status: string
}

export interface MixedWrites extends RetryingClients {
  /** Checks that all acknowledged writes are stored once, nothing else is, and replays return the same. */
  expectExactly(): Promise<void>
}

/** Few enough for conflicts. */
const sharedAnimals = 3
/** The last step of each turn. */
const ends = ['open', 'approved', 'delivered', 'cancelled', 'removed'] as const

export async function startMixedWrites(shop: Shop, clients: number): Promise<MixedWrites> {
  const pets = new Map<number, Pet>()
  const orders = new Map<number, Order>()
  const answers = new Map<Write, Answer>()
  const shared: number[] = []
  for (let n = 0; n < sharedAnimals; n++) {
    const added = await shop.ask('/pets', { body: { name: 'Shared', categoryId: 0 } })
    const pet = added.json as Pet
    pets.set(pet.id, pet)
    shared.push(pet.id)
  }

  async function turn(persist: Persist, client: number, n: number): Promise<void> {
    let step = 0
    const write = async (method: string, path: string, body?: object, refusals?: number[]) => {
      const sent: Write = { key: `${client}-${n}-${step++}`, method, path, ...(body && { body }) }
      const answer = await persist(sent, refusals)
      if (answer.status < 300) answers.set(sent, answer)
      return answer
    }
    const move = async ({ id }: Order, verb: string): Promise<Order> => {
      const order = (await write('POST', `/store/orders/${id}/${verb}`)).json as Order
      orders.set(id, order)
      return order
    }
    const place = async (petId: number, refusals?: number[]): Promise<Order | undefined> => {
      const { json, status } = await write('POST', '/store/orders', { petId }, refusals)
      if (status !== 201) return undefined
      orders.set((json as Order).id, json as Order)
      return json as Order
    }

    const end = ends[(client + n) % ends.length]
    const body = { name: `client ${client}`, categoryId: n, status: 'available' }
    const pet = (await write('POST', '/pets', body)).json as Pet
    const path = `/pets/${pet.id}`
    const renamed = (await write('PATCH', path, { name: `${body.name}, again` })).json as Pet
    pets.set(pet.id, renamed)
    const order = (await place(pet.id)) as Order
    pets.set(pet.id, { ...renamed, status: 'pending' })
    if (end === 'approved' || end === 'delivered') await move(order, 'approve')
    if (end === 'delivered') await move(order, 'deliver')
    if (end === 'cancelled' || end === 'removed') await move(order, 'cancel')
    if (end === 'delivered') pets.set(pet.id, { ...renamed, status: 'sold' })
    if (end === 'cancelled') pets.set(pet.id, renamed)
    if (end === 'removed') {
      await write('DELETE', path)
      pets.delete(pet.id)
    }
    // The client that gets the animal returns it.
    const won = await place(shared[n % shared.length] as number, [409])
    if (won) await move(won, 'cancel')
  }

  return {
    ...startRetryingClients(shop, clients, turn),
    async expectExactly() {
      await expectRecords(shop, pets, orders)
      await expectReplays(shop, answers)
      await expectRecords(shop, pets, orders)
    },
  }
}

async function expectRecords(
  shop: Shop,
  pets: Map<number, Pet>,
  orders: Map<number, Order>,
): Promise<void> {
  const allPets = await shop.walk('/pets?limit=100')
  const allOrders = await shop.walk<Order>('/store/orders?limit=100')
  expect(allPets).toEqual([...pets.values()].sort((a, b) => a.id - b.id))
  expect(allOrders).toEqual([...orders.values()].sort((a, b) => a.id - b.id))

  const open = allOrders.filter(({ status }) => status === 'placed' || status === 'approved')
  const pending = allPets.filter(({ status }) => status === 'pending')
  // No animal was created as pending: each pending animal has one open order, and the reverse.
  expect(open.map(({ petId }) => petId).sort((a, b) => a - b)).toEqual(pending.map(({ id }) => id))

  await expectCounts(shop, '/pets', allPets, ['available', 'pending', 'sold'])
  const states = ['placed', 'approved', 'delivered', 'cancelled']
  await expectCounts(shop, '/store/orders', allOrders, states)
}

async function expectCounts(
  shop: Shop,
  path: string,
  rows: { status: string }[],
  statuses: string[],
): Promise<void> {
  for (const status of [undefined, ...statuses]) {
    const filter = status === undefined ? '' : `?status=${status}`
    const answer = await shop.ask(path + filter, { headers: { prefer: 'count=exact' } })
    const there = rows.filter((row) => status === undefined || row.status === status).length
    expect(`${filter} ${answer.headers['x-total-count']}`).toBe(`${filter} ${there}`)
  }
}

/** Checks that about 300 replays return the same text and change nothing. */
async function expectReplays(shop: Shop, answers: Map<Write, Answer>): Promise<void> {
  const every = Math.ceil(answers.size / 300)
  const agent = shop.connection()
  for (const [write, answer] of [...answers].filter((_, i) => i % every === 0)) {
    const replay = await sendWrite(shop, write, { agent })
    expect(replay.headers['idempotent-replayed']).toBe('true')
    expect(replay).toMatchObject({ status: answer.status, text: answer.text })
  }
}
