// Which record a request is about: one of the lane's own in a certain state, made where there is none,
// or none at all.
import fc, { type Arbitrary } from 'fast-check'
import { type Asked, outcomeOf } from './outcomes.ts'
import type { FuzzRequest } from './request.ts'
import type { FuzzAnswer } from './send.ts'
import { holdOf, type Kind, type Pet, tagsOf, type World } from './world.ts'

/** Of pets: their status, `held` by an open order, `removed`; of orders: their status; of categories: `there`, `removed`. */
export type Choice = { word: string } | { state: string; turn: number }

export const statesOf: Record<Kind, string[]> = {
  pets: ['available', 'pending', 'sold', 'held', 'removed'],
  categories: ['there', 'removed'],
  orders: ['placed', 'approved', 'delivered', 'cancelled'],
}

export function choicesOf(states: string[]): Arbitrary<Choice> {
  return fc.record({ state: fc.constantFrom(...states), turn: fc.nat() })
}

/** One connection's view: what it knows, and how it asks. */
export interface Lane {
  worlds: Record<'production' | 'staging', World>
  /** A key that may do everything, by environment. */
  keys: Record<'production' | 'staging', string>
  /** Sends, judges and throws what is found. */
  ask(request: FuzzRequest): Promise<FuzzAnswer>
  /** Writes that were acknowledged under an Idempotency-Key, with their answers. */
  kept: { request: FuzzRequest; text: string }[]
}

/** The text of the id, and the id where it may be a record's. */
export async function choose(
  lane: Lane,
  world: World,
  kind: Kind,
  choice: Choice,
): Promise<{ text: string; id: bigint | undefined }> {
  if ('word' in choice) return { text: choice.word, id: undefined }
  const { state, turn } = choice
  const fitting = (): bigint[] => {
    if (state === 'removed') return world.removed[kind]
    if (kind === 'categories') return [...world.categories.keys()]
    if (kind === 'orders') return idsOf(world.orders.values(), (order) => order.status === state)
    return idsOf(world.pets.values(), (pet) => stateOf(world, pet) === state)
  }
  if (fitting().length === 0) await make(lane, world, kind, state)
  const ids = fitting()
  const id = ids[turn % ids.length]
  return { text: `${id}`, id }
}

/** The ETag of a record that is there. */
export async function currentTag(
  lane: Lane,
  world: World,
  kind: Kind,
  id: bigint,
): Promise<string> {
  if (tagsOf(world, kind, id).current === undefined) {
    const [operation, path] = kind === 'pets' ? ['getPet', '/pets'] : ['getCategory', '/categories']
    await perform(lane, world, operation as string, 'GET', `${path}/${id}`, { id })
  }
  return tagsOf(world, kind, id).current as string
}

function idsOf<R extends { id: bigint }>(all: Iterable<R>, fits: (one: R) => boolean): bigint[] {
  return [...all].filter(fits).map(({ id }) => id)
}

function stateOf(world: World, { id, status }: Pet): string {
  return status === 'pending' && holdOf(world, id) ? 'held' : status
}

async function make(lane: Lane, world: World, kind: Kind, state: string): Promise<void> {
  const first = async (of: Kind, inState: string): Promise<bigint> =>
    (await choose(lane, world, of, { state: inState, turn: 0 })).id as bigint
  const post = (operation: string, target: string, body?: object, id?: bigint): Promise<void> =>
    perform(lane, world, operation, 'POST', target, { id, body })
  if (kind === 'categories' && state === 'there') {
    await post('createCategory', '/categories', { name: 'Made' })
  } else if (kind === 'categories') {
    const id = await first('categories', 'there')
    await perform(lane, world, 'deleteCategory', 'DELETE', `/categories/${id}`, { id })
  } else if (kind === 'orders' && state === 'placed') {
    await post('placeOrder', '/store/orders', { petId: await first('pets', 'available') })
  } else if (kind === 'orders') {
    const id = await first('orders', 'placed')
    const verb = { approved: 'approve', delivered: 'deliver', cancelled: 'cancel' }[state]
    await post(`${verb}Order`, `/store/orders/${id}/${verb}`, undefined, id)
  } else if (state === 'held') {
    await make(lane, world, 'orders', 'placed')
  } else if (state === 'removed') {
    const id = await first('pets', 'available')
    await perform(lane, world, 'deletePet', 'DELETE', `/pets/${id}`, { id })
  } else {
    await post('createPet', '/pets', { name: 'Made', categoryId: 1n, status: state })
  }
}

/** A right request that has to succeed. */
async function perform(
  lane: Lane,
  world: World,
  operation: string,
  method: string,
  target: string,
  { id, body }: { id?: bigint | undefined; body?: object | undefined },
): Promise<void> {
  const asked: Asked = { id, body, isStale: false }
  const { status, check, learn } = outcomeOf(operation, world, asked)
  const { environment } = world
  const text = JSON.stringify(body, (_key, found) =>
    typeof found === 'bigint' ? Number(found) : found,
  )
  const headers = ['Authorization', `Bearer ${lane.keys[environment]}`]
  const answer = await lane.ask({
    environment,
    method,
    target,
    headers: body ? [...headers, 'Content-Type', 'application/json'] : headers,
    ...(body && { body: Buffer.from(text) }),
    isChunked: false,
    expected: { operation, status, codes: [], ...(check && { check }) },
  })
  learn?.(answer)
}
