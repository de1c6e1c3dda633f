// The rules of the store: for a well-formed request, the expected status, code and body, and the update of the model.
import { parseExact } from './exact-json.ts'
import {
  type Category,
  exactText,
  findOpenOrder,
  type Kind,
  type Model,
  type Order,
  type Pet,
  rememberEtag,
} from './model.ts'
import type { FuzzResponse } from './send.ts'

export interface OperationInput {
  /** The id in the path; undefined if there is none or it is not a record's. */
  id: bigint | undefined
  /** Parsed by `parseExact`. */
  body: unknown
  /** If-Match does not match the record. */
  isStale: boolean
  /** The exact expected list. */
  listed?: unknown[] | undefined
}

export interface Outcome {
  status: number
  code?: string
  /** Texts that the message of an error must contain. */
  names?: string[]
  /** Returns one line for each fault in the body of a success. */
  check?(body: unknown): string[]
  /** Call once, with the response. */
  updateModel?(response: FuzzResponse): void
}

interface Records {
  pets: Pet
  categories: Category
  orders: Order
}

type Rule = (model: Model, input: OperationInput) => Outcome

const notFound: Record<Kind, string> = {
  pets: 'pet_not_found',
  categories: 'category_not_found',
  orders: 'order_not_found',
}
const nextStatuses: Record<string, string[]> = {
  placed: ['approved', 'delivered', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
}

const rules: Record<string, Rule> = {
  listPets: list,
  listCategories: list,
  listOrders: list,
  getPet: (model, input) => get(model, 'pets', input),
  getCategory: (model, input) => get(model, 'categories', input),
  getOrder: (model, input) => get(model, 'orders', input),
  createPet: (model, { body }) => {
    const { name, categoryId, status = 'available' } = body as Omit<Pet, 'id'>
    return create<Pet>(model, 'pets', (id) => ({ id, name, categoryId, status }))
  },
  createCategory: (model, { body }) => {
    const { name } = body as Category
    return create<Category>(model, 'categories', (id) => ({ id, name }))
  },
  updatePet: (model, input) =>
    change(model, 'pets', input, (pet) => {
      const { name = pet.name, categoryId = pet.categoryId, ...rest } = input.body as Partial<Pet>
      const status = rest.status === undefined ? pet.status : (rest.status ?? 'available')
      const order = findOpenOrder(model, pet.id)
      if (order && status !== pet.status) return conflictWith(order)
      return put(model, 'pets', { id: pet.id, name, categoryId, status })
    }),
  deletePet: (model, input) =>
    change(model, 'pets', input, ({ id }) => {
      const order = findOpenOrder(model, id)
      return order ? conflictWith(order) : remove(model, 'pets', id)
    }),
  renameCategory: (model, input) =>
    change(model, 'categories', input, ({ id }) =>
      put(model, 'categories', { id, name: (input.body as Category).name }),
    ),
  deleteCategory: (model, input) =>
    change(model, 'categories', input, ({ id }) => remove(model, 'categories', id)),
  placeOrder: (model, { body }) => {
    const { petId } = body as Order
    const pet = model.pets.get(petId)
    if (!pet) return { status: 404, code: notFound.pets, names: [`${petId}`] }
    if (pet.status !== 'available') {
      return { status: 409, code: 'pet_not_available', names: [`${petId}`, pet.status] }
    }
    const { createdAt } = model
    const outcome = create<Order>(model, 'orders', (id) => ({
      id,
      petId,
      status: 'placed',
      createdAt,
    }))
    return withModelUpdate(outcome, () => model.pets.set(petId, { ...pet, status: 'pending' }))
  },
  approveOrder: (model, input) => move(model, input, 'approved', 'pending'),
  deliverOrder: (model, input) => move(model, input, 'delivered', 'sold'),
  cancelOrder: (model, input) => move(model, input, 'cancelled', 'available'),
}

/** Throws an Error if the operation has no rule. */
export function expectedOutcome(operation: string, model: Model, input: OperationInput): Outcome {
  const rule = rules[operation]
  if (!rule) throw new Error(`the fuzzer does not know the operation ${operation}`)
  return rule(model, input)
}

function list(_: Model, { listed }: OperationInput): Outcome {
  return { status: 200, ...(listed && { check: (body) => compareBodies(body, listed) }) }
}

/** What happens to a record that exists and matches If-Match. */
function change<K extends Kind>(
  model: Model,
  kind: K,
  { id = 0n, isStale }: OperationInput,
  then: (found: Records[K]) => Outcome,
): Outcome {
  const found = (model[kind] as Map<bigint, Records[K]>).get(id)
  if (!found) return { status: 404, code: notFound[kind] }
  return isStale ? { status: 412, code: 'precondition_failed' } : then(found)
}

function get(model: Model, kind: Kind, input: OperationInput): Outcome {
  return change(model, kind, input, (found) => ({
    status: 200,
    check: (body) => compareBodies(body, found),
    updateModel: (response) => rememberEtag(model, kind, found.id, response),
  }))
}

function create<R extends { id: bigint }>(
  model: Model,
  kind: Kind,
  make: (id: bigint) => R,
): Outcome {
  const records = model[kind] as Map<bigint, { id: bigint }>
  return {
    status: 201,
    check: (body) => {
      const { id } = body as R
      const isNew = id > model.lastIds[kind]
      return [
        ...compareBodies(body, make(id)),
        ...(isNew ? [] : [`the id ${id} is not greater than ${model.lastIds[kind]}`]),
      ]
    },
    updateModel: (response) => {
      const { id } = parseExact(response.text) as R
      records.set(id, make(id))
      model.lastIds[kind] = id
      rememberEtag(model, kind, id, response)
    },
  }
}

function put(model: Model, kind: Kind, record: Pet | Category | Order): Outcome {
  return {
    status: 200,
    check: (body) => compareBodies(body, record),
    updateModel: (response) => {
      const records = model[kind] as Map<bigint, typeof record>
      records.set(record.id, record)
      rememberEtag(model, kind, record.id, response)
    },
  }
}

function remove(model: Model, kind: Kind, id: bigint): Outcome {
  return {
    status: 204,
    updateModel: () => {
      model[kind].delete(id)
      model.removed[kind].push(id)
    },
  }
}

function move(model: Model, input: OperationInput, to: string, petStatus: string): Outcome {
  return change(model, 'orders', input, (order) => {
    const allowed = nextStatuses[order.status] ?? []
    if (!allowed.includes(to)) {
      const others = order.status === to ? [] : allowed
      return { status: 409, code: 'conflict', names: [order.status, ...others, to] }
    }
    return withModelUpdate(put(model, 'orders', { ...order, status: to }), () => {
      const pet = model.pets.get(order.petId) as Pet
      model.pets.set(pet.id, { ...pet, status: petStatus })
    })
  })
}

function conflictWith({ id }: Order): Outcome {
  return { status: 409, code: 'conflict', names: [`Order ${id} `] }
}

function withModelUpdate(outcome: Outcome, update: () => void): Outcome {
  return {
    ...outcome,
    updateModel: (response) => {
      outcome.updateModel?.(response)
      update()
    },
  }
}

function compareBodies(found: unknown, expected: unknown): string[] {
  const [actualText, expectedText] = [exactText(found), exactText(expected)]
  return actualText === expectedText ? [] : [`the body is ${actualText}, not ${expectedText}`]
}
