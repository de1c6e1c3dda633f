// Changing an animal and ordering one, each in one transaction of SQLite: of all who order the
// same animal one gets it, and an open order holds its animal.
//   placed → approved → delivered (the animal is sold); placed → delivered
//   placed, approved → cancelled (the animal is available again)

import { applyPatch, RuleBroken } from './pet-rules.ts'
import type { Order, OrderStatus, Pet, PetsDatabase } from './pets-database.ts'

/** By the last part of the path. */
export const moves = { approve: 'approved', deliver: 'delivered', cancel: 'cancelled' } as const
export type Move = (typeof moves)[keyof typeof moves]

const next: Record<OrderStatus, Move[]> = {
  placed: ['approved', 'delivered', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
}

/** `isExpected` says whether If-Match allows the change of the animal as it is. */
export function patchPet(
  database: PetsDatabase,
  id: number,
  patch: Record<string, unknown>,
  isExpected: (pet: Pet) => boolean,
): Pet {
  return database.transaction(() => {
    const pet = database.findPet(id)
    if (!pet) throw noPet()
    if (!isExpected(pet)) {
      throw new RuleBroken(412, 'precondition_failed', 'the animal has changed since')
    }
    const changed = applyPatch(pet, patch)
    if (changed.status !== pet.status && database.hasOpenOrder(id)) {
      throw new RuleBroken(409, 'conflict', 'an open order holds this animal')
    }
    database.updatePet(changed)
    return changed
  })
}

export function placeOrder(database: PetsDatabase, petId: number): OrderJson {
  return database.transaction(() => {
    if (!database.reservePet(petId)) {
      if (!database.findPet(petId)) throw noPet()
      throw new RuleBroken(409, 'pet_not_available', 'the animal is not available')
    }
    return orderJson(database.insertOrder(petId, Date.now()))
  })
}

export function moveOrder(database: PetsDatabase, id: number, to: Move): OrderJson {
  return database.transaction(() => {
    const order = database.findOrder(id)
    if (!order) throw noOrder()
    if (!next[order.status].includes(to)) {
      throw new RuleBroken(409, 'conflict', `the order is ${order.status} and cannot become ${to}`)
    }
    database.setOrderStatus(id, to)
    if (to === 'delivered') database.setPetStatus(order.petId, 'sold')
    if (to === 'cancelled') database.setPetStatus(order.petId, 'available')
    return orderJson({ ...order, status: to })
  })
}

export function getOrder(database: PetsDatabase, id: number): OrderJson {
  const order = database.findOrder(id)
  if (!order) throw noOrder()
  return orderJson(order)
}

type OrderJson = Omit<Order, 'createdAt'> & { createdAt: string }

function orderJson(order: Order): OrderJson {
  return { ...order, createdAt: new Date(order.createdAt).toISOString() }
}

function noPet(): RuleBroken {
  return new RuleBroken(404, 'pet_not_found', 'no animal has this identifier')
}

function noOrder(): RuleBroken {
  return new RuleBroken(404, 'order_not_found', 'no order has this identifier')
}
