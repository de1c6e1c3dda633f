// Which record a request refers to: one of the lane's records in a given state, created if there is none, or a
// literal text instead of an id.
import { expectedOutcome, type OperationInput } from './expected-outcomes.ts'
import { findEtags, findOpenOrder, type Kind, type Model, type Pet } from './model.ts'
import type { FuzzRequest } from './request.ts'
import type { FuzzResponse } from './send.ts'

/**
 * States of pets: their status, `held` (reserved by an open order), `removed`; of orders: their status; of
 * categories: `there`, `removed`. `turn` selects one of the records in that state.
 */
export type Choice = { literal: string } | { state: string; turn: number }

export const statesOf: Record<Kind, string[]> = {
  pets: ['available', 'pending', 'sold', 'held', 'removed'],
  categories: ['there', 'removed'],
  orders: ['placed', 'approved', 'delivered', 'cancelled'],
}

/** One connection: its models of the records it created, and its way to send requests. */
export interface Lane {
  models: Record<'production' | 'staging', Model>
  keys: Record<'production' | 'staging', string>
  /** Sends a request and throws an Error if the response is wrong. */
  send(request: FuzzRequest): Promise<FuzzResponse>
}

/** The text for the id, and the id if it is a record's. */
export async function findOrCreateRecord(
  lane: Lane,
  model: Model,
  kind: Kind,
  choice: Choice,
): Promise<{ text: string; id: bigint | undefined }> {
  if ('literal' in choice) return { text: choice.literal, id: undefined }
  const { state, turn } = choice
  const findIds = (): bigint[] => {
    if (state === 'removed') return model.removed[kind]
    if (kind === 'categories') return [...model.categories.keys()]
    if (kind === 'orders') return idsOf(model.orders.values(), (order) => order.status === state)
    return idsOf(model.pets.values(), (pet) => stateOf(model, pet) === state)
  }
  if (findIds().length === 0) await createRecord(lane, model, kind, state)
  const ids = findIds()
  const id = ids[turn % ids.length]
  return { text: `${id}`, id }
}

/** The current ETag of a record that exists. */
export async function fetchCurrentEtag(
  lane: Lane,
  model: Model,
  kind: Kind,
  id: bigint,
): Promise<string> {
  if (findEtags(model, kind, id).current === undefined) {
    const [operation, path] = kind === 'pets' ? ['getPet', '/pets'] : ['getCategory', '/categories']
    await sendValidRequest(lane, model, operation as string, 'GET', `${path}/${id}`, { id })
  }
  return findEtags(model, kind, id).current as string
}

function idsOf<R extends { id: bigint }>(all: Iterable<R>, matches: (one: R) => boolean): bigint[] {
  return [...all].filter(matches).map(({ id }) => id)
}

function stateOf(model: Model, { id, status }: Pet): string {
  return status === 'pending' && findOpenOrder(model, id) ? 'held' : status
}

async function createRecord(lane: Lane, model: Model, kind: Kind, state: string): Promise<void> {
  const first = async (of: Kind, inState: string): Promise<bigint> =>
    (await findOrCreateRecord(lane, model, of, { state: inState, turn: 0 })).id as bigint
  const post = (operation: string, target: string, body?: object, id?: bigint): Promise<void> =>
    sendValidRequest(lane, model, operation, 'POST', target, { id, body })
  if (kind === 'categories' && state === 'there') {
    await post('createCategory', '/categories', { name: 'Made' })
  } else if (kind === 'categories') {
    const id = await first('categories', 'there')
    await sendValidRequest(lane, model, 'deleteCategory', 'DELETE', `/categories/${id}`, { id })
  } else if (kind === 'orders' && state === 'placed') {
    await post('placeOrder', '/store/orders', { petId: await first('pets', 'available') })
  } else if (kind === 'orders') {
    const id = await first('orders', 'placed')
    const verb = { approved: 'approve', delivered: 'deliver', cancelled: 'cancel' }[state]
    await post(`${verb}Order`, `/store/orders/${id}/${verb}`, undefined, id)
  } else if (state === 'held') {
    await createRecord(lane, model, 'orders', 'placed')
  } else if (state === 'removed') {
    const id = await first('pets', 'available')
    await sendValidRequest(lane, model, 'deletePet', 'DELETE', `/pets/${id}`, { id })
  } else {
    await post('createPet', '/pets', { name: 'Made', categoryId: 1n, status: state })
  }
}

/** Sends a valid request that must succeed. */
async function sendValidRequest(
  lane: Lane,
  model: Model,
  operation: string,
  method: string,
  target: string,
  { id, body }: { id?: bigint | undefined; body?: object | undefined },
): Promise<void> {
  const input: OperationInput = { id, body, isStale: false }
  const { status, check, updateModel } = expectedOutcome(operation, model, input)
  const { environment } = model
  const text = JSON.stringify(body, (_key, found) =>
    typeof found === 'bigint' ? Number(found) : found,
  )
  const headers = ['Authorization', `Bearer ${lane.keys[environment]}`]
  const response = await lane.send({
    environment,
    method,
    target,
    headers: body ? [...headers, 'Content-Type', 'application/json'] : headers,
    ...(body && { body: Buffer.from(text) }),
    isChunked: false,
    expected: { operation, status, codes: [], ...(check && { check }) },
  })
  updateModel?.(response)
}
