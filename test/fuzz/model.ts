// The model of the records that one lane of the fuzzer has created and that no other lane changes: each record is as
// the server returned it last, or as the rules of the store require.
import type { EnvironmentName } from './request.ts'
import type { FuzzResponse } from './send.ts'

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

export interface Model {
  environment: EnvironmentName
  /** The current time of the server's test clock. */
  createdAt: string
  pets: Map<bigint, Pet>
  categories: Map<bigint, Category>
  orders: Map<bigint, Order>
  /** Ids of deleted records. */
  removed: { pets: bigint[]; categories: bigint[]; orders: bigint[] }
  /** The highest id of each kind so far. */
  lastIds: Record<Kind, bigint>
  /** ETags by record, then by the record's content. */
  tags: Map<string, Map<string, string>>
}

export function createModel(environment: EnvironmentName, now: number): Model {
  return {
    environment,
    createdAt: new Date(now).toISOString(),
    pets: new Map(),
    categories: new Map(),
    orders: new Map(),
    removed: { pets: [], categories: [], orders: [] },
    lastIds: { pets: 0n, categories: 0n, orders: 0n },
    tags: new Map(),
  }
}

export const isOpen = ({ status }: Order): boolean => status === 'placed' || status === 'approved'

/** The open order that reserves an animal. */
export function findOpenOrder(model: Model, petId: bigint): Order | undefined {
  return [...model.orders.values()].find((order) => order.petId === petId && isOpen(order))
}

/** A text with exact integers and sorted members: equal if, and only if, the values are equal. */
export function exactText(value: unknown): string {
  return JSON.stringify(value, (_key, found) => {
    if (typeof found === 'bigint') return `${found}n`
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return found
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Stores the ETag of a response that contains the current record. */
export function rememberEtag(model: Model, kind: Kind, id: bigint, response: FuzzResponse): void {
  const etag = response.headers.get('etag')?.[0]
  if (etag === undefined) return
  const tags = model.tags.get(`${kind} ${id}`) ?? new Map()
  tags.set(exactText(model[kind].get(id)), etag)
  model.tags.set(`${kind} ${id}`, tags)
}

/** The ETag of the current record, if known, and those of its earlier versions. */
export function findEtags(
  model: Model,
  kind: Kind,
  id: bigint,
): { current: string | undefined; stale: string[] } {
  const tags = model.tags.get(`${kind} ${id}`) ?? new Map<string, string>()
  const now = exactText(model[kind].get(id))
  const stale = [...tags].filter(([text]) => text !== now).map(([, etag]) => etag)
  return { current: tags.get(now), stale }
}
