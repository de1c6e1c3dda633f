// What has to become of a well-formed request, by the rules of the store: the one status, code and body,
// and how the world is afterwards. An operation that has no rule here is one the fuzzer does not know.
import { parseExact } from './exact-json.ts'
import type { FuzzAnswer } from './send.ts'
import {
  type Category,
  exactText,
  holdOf,
  type Kind,
  noteTag,
  type Order,
  type Pet,
  type World,
} from './world.ts'

export interface Asked {
  /** Of the path; undefined where it has none or what it has names no record. */
  id: bigint | undefined
  /** Exact. */
  body: unknown
  /** Whether an If-Match stands in the way. */
  isStale: boolean
  /** Only for an import. */
  load?: Load
  /** The list has to be exactly this. */
  listed?: unknown[] | undefined
}

export interface Load {
  records: Omit<Pet, 'id'>[]
  isDry: boolean
  /** One of them is wrong. */
  flaw?: { line: number | undefined }
}

export interface Outcome {
  status: number
  code?: string
  /** What the message of an error has to name. */
  names?: string[]
  /** One line for each thing that is wrong with the body of a success. */
  check?(body: unknown): string[]
  /** To be called with the answer, once. */
  learn?(answer: FuzzAnswer): void
}

type Rule = (world: World, asked: Asked) => Outcome

const notFound: Record<Kind, string> = {
  pets: 'pet_not_found',
  categories: 'category_not_found',
  orders: 'order_not_found',
}
const next: Record<string, string[]> = {
  placed: ['approved', 'delivered', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
}

const rules: Record<string, Rule> = {
  listPets: list,
  listCategories: list,
  listOrders: list,
  getPet: (world, asked) => get(world, 'pets', asked),
  getCategory: (world, asked) => get(world, 'categories', asked),
  getOrder: (world, asked) => get(world, 'orders', asked),
  createPet: (world, { body }) => {
    const { name, categoryId, status = 'available' } = body as Omit<Pet, 'id'>
    return create<Pet>(world, 'pets', (id) => ({ id, name, categoryId, status }))
  },
  createCategory: (world, { body }) => {
    const { name } = body as Category
    return create<Category>(world, 'categories', (id) => ({ id, name }))
  },
  updatePet: (world, { id = 0n, body, isStale }) => {
    const pet = world.pets.get(id)
    if (!pet) return { status: 404, code: notFound.pets }
    if (isStale) return { status: 412, code: 'precondition_failed' }
    const { name = pet.name, categoryId = pet.categoryId, ...rest } = body as Partial<Pet>
    const wanted = rest.status === undefined ? pet.status : (rest.status ?? 'available')
    const hold = holdOf(world, id)
    if (hold && wanted !== pet.status) return held(hold)
    return put(world, 'pets', { id, name, categoryId, status: wanted })
  },
  deletePet: (world, { id = 0n, isStale }) => {
    if (!world.pets.has(id)) return { status: 404, code: notFound.pets }
    if (isStale) return { status: 412, code: 'precondition_failed' }
    const hold = holdOf(world, id)
    return hold ? held(hold) : remove(world, 'pets', id)
  },
  renameCategory: (world, { id = 0n, body, isStale }) => {
    if (!world.categories.has(id)) return { status: 404, code: notFound.categories }
    if (isStale) return { status: 412, code: 'precondition_failed' }
    return put(world, 'categories', { id, name: (body as Category).name })
  },
  deleteCategory: (world, { id = 0n, isStale }) => {
    if (!world.categories.has(id)) return { status: 404, code: notFound.categories }
    return isStale ? { status: 412, code: 'precondition_failed' } : remove(world, 'categories', id)
  },
  placeOrder: (world, { body }) => {
    const { petId } = body as Order
    const pet = world.pets.get(petId)
    if (!pet) return { status: 404, code: notFound.pets, names: [`${petId}`] }
    if (pet.status !== 'available') {
      return { status: 409, code: 'pet_not_available', names: [`${petId}`, pet.status] }
    }
    const { createdAt } = world
    const outcome = create<Order>(world, 'orders', (id) => ({
      id,
      petId,
      status: 'placed',
      createdAt,
    }))
    return followedBy(outcome, () => world.pets.set(petId, { ...pet, status: 'pending' }))
  },
  approveOrder: (world, asked) => move(world, asked, 'approved', 'pending'),
  deliverOrder: (world, asked) => move(world, asked, 'delivered', 'sold'),
  cancelOrder: (world, asked) => move(world, asked, 'cancelled', 'available'),
  importPets: (world, { load = { records: [], isDry: false } }) => {
    const { records, isDry, flaw } = load
    if (flaw && !isDry) {
      const names = flaw.line === undefined ? [] : [`line ${flaw.line}`]
      return { status: 400, code: 'invalid_body', names }
    }
    const checked = BigInt(records.length)
    const imported = isDry ? 0n : checked
    const result = { dryRun: isDry, checked, imported, rejected: 0n, problems: [] }
    return {
      status: 200,
      check: flaw ? checkFlawed : (body) => differences(body, result),
      learn: () => {
        if (!isDry) world.imported.push(...records)
      },
    }
  },
}

/** Throws where there is no rule for the operation. */
export function outcomeOf(operation: string, world: World, asked: Asked): Outcome {
  const rule = rules[operation]
  if (!rule) throw new Error(`the fuzzer does not know the operation ${operation}`)
  return rule(world, asked)
}

function list(_: World, { listed }: Asked): Outcome {
  return { status: 200, ...(listed && { check: (body) => differences(body, listed) }) }
}

function get(world: World, kind: Kind, { id = 0n }: Asked): Outcome {
  const found = world[kind].get(id)
  if (!found) return { status: 404, code: notFound[kind] }
  return {
    status: 200,
    check: (body) => differences(body, found),
    learn: (answer) => noteTag(world, kind, id, answer),
  }
}

function create<R extends { id: bigint }>(
  world: World,
  kind: Kind,
  make: (id: bigint) => R,
): Outcome {
  const records = world[kind] as Map<bigint, { id: bigint }>
  return {
    status: 201,
    check: (body) => {
      const { id } = body as R
      const isNew = id > world.lastIds[kind]
      return [
        ...differences(body, make(id)),
        ...(isNew ? [] : [`the id ${id} is not over ${world.lastIds[kind]}`]),
      ]
    },
    learn: (answer) => {
      const { id } = parseExact(answer.text) as R
      records.set(id, make(id))
      world.lastIds[kind] = id
      noteTag(world, kind, id, answer)
    },
  }
}

function put(world: World, kind: Kind, record: Pet | Category | Order): Outcome {
  return {
    status: 200,
    check: (body) => differences(body, record),
    learn: (answer) => {
      const records = world[kind] as Map<bigint, typeof record>
      records.set(record.id, record)
      noteTag(world, kind, record.id, answer)
    },
  }
}

function remove(world: World, kind: Kind, id: bigint): Outcome {
  return {
    status: 204,
    learn: () => {
      world[kind].delete(id)
      world.removed[kind].push(id)
    },
  }
}

function move(world: World, { id = 0n }: Asked, to: string, petStatus: string): Outcome {
  const order = world.orders.get(id)
  if (!order) return { status: 404, code: notFound.orders }
  const allowed = next[order.status] ?? []
  if (!allowed.includes(to)) {
    return { status: 409, code: 'conflict', names: [order.status, ...allowed, to] }
  }
  const outcome = put(world, 'orders', { ...order, status: to })
  return followedBy(outcome, () => {
    const pet = world.pets.get(order.petId) as Pet
    world.pets.set(pet.id, { ...pet, status: petStatus })
  })
}

function held({ id }: Order): Outcome {
  return { status: 409, code: 'conflict', names: [`Order ${id} `] }
}

function followedBy(outcome: Outcome, more: () => void): Outcome {
  return {
    ...outcome,
    learn: (answer) => {
      outcome.learn?.(answer)
      more()
    },
  }
}

function differences(found: unknown, wanted: unknown): string[] {
  const [is, must] = [exactText(found), exactText(wanted)]
  return is === must ? [] : [`the body is ${is}, not ${must}`]
}

function checkFlawed(body: unknown): string[] {
  const { dryRun, imported, rejected, problems } = body as Record<string, unknown>
  const isTold = (rejected as bigint) > 0n && (problems as unknown[]).length > 0
  return dryRun === true && imported === 0n && isTold ? [] : ['what is wrong is not told']
}
