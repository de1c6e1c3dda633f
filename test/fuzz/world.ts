// What one lane of the fuzzer knows of the records that it has made and that nobody else changes. Each
// record is as the service last said, or as its own rules say it has to be.
import type { EnvironmentName } from './request.ts'
import type { FuzzAnswer } from './send.ts'

export interface Pet {
  id: bigint
  name: string
  categoryId: bigint
  status: string
}

export interface Category {
  id: bigint
  name: string
}

export interface Order {
  id: bigint
  petId: bigint
  status: string
  createdAt: string
}

export type Kind = 'pets' | 'categories' | 'orders'

export interface World {
  environment: EnvironmentName
  /** What the service's clock says. */
  createdAt: string
  pets: Map<bigint, Pet>
  categories: Map<bigint, Category>
  orders: Map<bigint, Order>
  /** Ids that were removed. */
  removed: { pets: bigint[]; categories: bigint[]; orders: bigint[] }
  /** Their ids are not told. */
  imported: Omit<Pet, 'id'>[]
  /** By kind: the greatest id so far. */
  lastIds: Record<Kind, bigint>
  /** ETags by record, and there by what the record was like. */
  tags: Map<string, Map<string, string>>
}

export function createWorld(environment: EnvironmentName, now: number): World {
  return {
    environment,
    createdAt: new Date(now).toISOString(),
    pets: new Map(),
    categories: new Map(),
    orders: new Map(),
    removed: { pets: [], categories: [], orders: [] },
    imported: [],
    lastIds: { pets: 0n, categories: 0n, orders: 0n },
    tags: new Map(),
  }
}

export const isOpen = ({ status }: Order): boolean => status === 'placed' || status === 'approved'

/** The open order that holds an animal. */
export function holdOf(world: World, petId: bigint): Order | undefined {
  return [...world.orders.values()].find((order) => order.petId === petId && isOpen(order))
}

/** A value with exact integers, its members by name: equal for equal values alone. */
export function exactText(value: unknown): string {
  return JSON.stringify(value, (_key, found) => {
    if (typeof found === 'bigint') return `${found}n`
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return found
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Remembers the ETag of an answer that is the record as it is now. */
export function noteTag(world: World, kind: Kind, id: bigint, answer: FuzzAnswer): void {
  const etag = answer.headers.get('etag')?.[0]
  if (etag === undefined) return
  const tags = world.tags.get(`${kind} ${id}`) ?? new Map()
  tags.set(exactText(world[kind].get(id)), etag)
  world.tags.set(`${kind} ${id}`, tags)
}

/** The ETag of a record as it is, if it is known, and those that it had when it was another. */
export function tagsOf(
  world: World,
  kind: Kind,
  id: bigint,
): { current: string | undefined; stale: string[] } {
  const tags = world.tags.get(`${kind} ${id}`) ?? new Map<string, string>()
  const now = exactText(world[kind].get(id))
  const stale = [...tags].filter(([text]) => text !== now).map(([, etag]) => etag)
  return { current: tags.get(now), stale }
}
