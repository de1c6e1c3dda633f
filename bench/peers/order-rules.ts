// Changes of animals and orders, each in one SQLite transaction. Only one order can reserve an animal, and an open order
// fixes the status of its animal.
//   placed → approved → delivered (the animal is sold); placed → delivered
//   placed, approved → cancelled (the animal is available again)

import { applyPatch, RuleError } from './pet-rules.ts'
import type { Order, OrderStatus, Pet, PetsDatabase } from './pets-database.ts'

/** The new status by the last segment of the path. */
export const moves = { approve: 'approved', deliver: 'delivered', cancel: 'cancelled' } as const
export type Move = (typeof moves)[keyof typeof moves]

const nextStatuses: Record<OrderStatus, Move[]> = {
  placed: ['approved', 'delivered', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
}

export function patchPet(database: PetsDatabase, id: number, patch: Record<string, unknown>): Pet {
  return database.transaction(() => {
    const pet = database.findPet(id)
    if (!pet) throw petNotFound()
    const changed = applyPatch(pet, patch)
    if (changed.status !== pet.status && database.hasOpenOrder(id)) {
      throw new RuleError(409, 'conflict', 'an open order holds this animal')
    }
    database.updatePet(changed)
    return changed
  })
}

export function placeOrder(database: PetsDatabase, petId: number): OrderJson {
  return database.transaction(() => {
    if (!database.reservePet(petId)) {
      if (!database.findPet(petId)) throw petNotFound()
      throw new RuleError(409, 'pet_not_available', 'the animal is not available')
    }
    return toOrderJson(database.insertOrder(petId, Date.now()))
  })
}

export function moveOrder(database: PetsDatabase, id: number, to: Move): OrderJson {
  return database.transaction(() => {
    const order = database.findOrder(id)
    if (!order) throw new RuleError(404, 'order_not_found', 'no order has this identifier')
    if (!nextStatuses[order.status].includes(to)) {
      throw new RuleError(409, 'conflict', `the order is ${order.status} and cannot become ${to}`)
    }
    database.setOrderStatus(id, to)
    if (to === 'delivered') database.setPetStatus(order.petId, 'sold')
    if (to === 'cancelled') database.setPetStatus(order.petId, 'available')
    return toOrderJson({ ...order, status: to })
  })
}

type OrderJson = Omit<Order, 'createdAt'> & { createdAt: string }

function toOrderJson(order: Order): OrderJson {
  return { ...order, createdAt: new Date(order.createdAt).toISOString() }
}

function petNotFound(): RuleError {
  return new RuleError(404, 'pet_not_found', 'no animal has this identifier')
}
