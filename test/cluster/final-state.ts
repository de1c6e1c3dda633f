// The end of a history: everything that is stored, as one read of each subject.

import { readLinkedPages } from '../linked-pages.ts'
import { type Answer, type AskOptions, ask } from '../running-store.ts'
import type { Subject } from './clients.ts'
import type { History, Operation } from './history.ts'
import { type FinalAnimal, finalRead } from './models.ts'

type Get = (path: string, options?: AskOptions) => Promise<Answer>

interface Pet {
  id: number
  name: string
  status: string
}

interface Order {
  id: number
  petId: number
  status: string
}

/** Adds the final reads to the history. The store must serve, and nothing may be written any more. */
export async function recordFinalState(
  history: History,
  subjects: ReadonlyMap<string, Subject>,
  get: Get,
): Promise<void> {
  const pets = await walk<Pet>(get, '/pets?limit=100')
  const orders = await walk<Order>(get, '/store/orders?limit=100')
  const ordersOf = Map.groupBy(orders, ({ petId }) => petId)
  const petsOf = Map.groupBy(pets, ({ name }) => name.split(' v')[0] as string)
  const completedAt = performance.now()
  for (const [subject, { id: known }] of subjects) {
    const found = petsOf.get(subject) ?? []
    petsOf.delete(subject)
    const id = known ?? found[0]?.id
    const seen: FinalAnimal = {
      pets: found.map(({ name, status }) => ({ name, status })),
      orders: (id === undefined ? [] : (ordersOf.get(id) ?? [])).map(({ status }) => status),
    }
    const read = { subject, kind: finalRead, outcome: 'acknowledged', seen } as const
    const operation: Operation = { ...read, client: -1, invokedAt: completedAt, completedAt }
    history.operations.push(operation)
  }
  for (const name of petsOf.keys()) {
    if (!name.startsWith(sharedName)) history.unexpected.push(`unexpected: an animal named ${name}`)
  }
  await compareCounts(history, get, '/pets', pets, ['available', 'pending', 'sold'])
  const states = ['placed', 'approved', 'delivered', 'cancelled']
  await compareCounts(history, get, '/store/orders', orders, states)
}

const sharedName = 'Shared'

/** Creates the animals that all clients compete for, and returns their ids. */
export async function createShared(get: Get, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < count; n++) {
    const body = { name: `${sharedName} ${n}`, categoryId: 0, status: 'available' }
    const response = await get('/pets', { body, headers: { 'idempotency-key': `shared-${n}` } })
    if (response.status !== 201) throw new Error(`${response.status} ${response.text}`)
    ids.push((response.json as Pet).id)
  }
  return ids
}

async function compareCounts(
  history: History,
  get: Get,
  path: string,
  records: { status: string }[],
  statuses: string[],
): Promise<void> {
  for (const status of ['', ...statuses]) {
    const filter = status && `&status=${status}`
    const options = { headers: { prefer: 'count=exact' } }
    const { headers } = await get(`${path}?limit=1${filter}`, options)
    const counted = Number(headers['x-total-count'])
    const there = records.filter((record) => !status || record.status === status).length
    if (counted !== there)
      history.unexpected.push(`lost: ${path}${filter} has ${there} records, and counts ${counted}`)
  }
}

const walk = async <R>(get: Get, path: string): Promise<R[]> =>
  (await readLinkedPages(get, path)).flatMap(({ json }) => json as R[])

/** Requests to production at a port. */
export const getterOf =
  (port: number, key: string, options: AskOptions = {}): Get =>
  (path, more) =>
    ask(port, new URL(`http://localhost:${port}/v1`), key, path, { ...options, ...more })
