// How the records of the store answer, one operation after the other: what the checker compares histories with.
import type { Operation } from './history.ts'

export interface Step<State> {
  state: State
  /** What the response shows. */
  seen: unknown
}

export interface Model<State> {
  initial: State
  /** What an operation does to a state; undefined if that state rejects it. */
  apply(state: State, operation: Pick<Operation, 'input' | 'kind'>): Step<State> | undefined
}

export interface AnimalState {
  /** Undefined before it is created and after it is deleted. */
  pet: { name: string; status: string } | undefined
  /** The states of its orders, oldest first. */
  orders: string[]
  wasCreated: boolean
}

/** The kind of the read at the end, of everything that is stored under the subject's name. */
export const finalRead = 'final'

/** What the final read of an animal shows. */
export interface FinalAnimal {
  pets: { name: string; status: string }[]
  orders: string[]
}

const moves: Record<string, { from: string[]; to: string; pet: string }> = {
  approve: { from: ['placed'], to: 'approved', pet: 'pending' },
  deliver: { from: ['placed', 'approved'], to: 'delivered', pet: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', pet: 'available' },
}

/** An animal and its orders. */
export const animalModel: Model<AnimalState> = {
  initial: { pet: undefined, orders: [], wasCreated: false },
  apply(state, { input = '', kind }) {
    const { orders, pet, wasCreated } = state
    const last = orders.at(-1)
    if (kind === finalRead) {
      const seen: FinalAnimal = { pets: pet ? [pet] : [], orders }
      return { state, seen }
    }
    if (kind === 'create') {
      if (wasCreated) return undefined
      const created = { name: input, status: 'available' }
      return { state: { pet: created, orders, wasCreated: true }, seen: created }
    }
    const move = moves[kind]
    if (move) {
      if (last === undefined || !pet || !move.from.includes(last)) return undefined
      const moved = { ...pet, status: move.pet }
      return {
        state: { ...state, pet: moved, orders: [...orders.slice(0, -1), move.to] },
        seen: move.to,
      }
    }
    if (!pet) return undefined
    if (kind === 'read') return { state, seen: pet }
    if (kind === 'rename') {
      const renamed = { ...pet, name: input }
      return { state: { ...state, pet: renamed }, seen: renamed }
    }
    if (kind === 'order') {
      if (pet.status !== 'available') return undefined
      const ordered = { ...pet, status: 'pending' }
      return { state: { ...state, pet: ordered, orders: [...orders, 'placed'] }, seen: 'placed' }
    }
    if (kind === 'delete') {
      if (last === 'placed' || last === 'approved') return undefined
      return { state: { ...state, pet: undefined }, seen: null }
    }
    throw new Error(`unknown kind of operation: ${kind}`)
  },
}

export type KeyState = 'none' | 'active' | 'revoked'

/** An API key: from its creation on it is accepted by every node, from its revocation on by none. */
export const keyModel: Model<KeyState> = {
  initial: 'none',
  apply(state, { kind }) {
    if (kind === finalRead) return { state, seen: state }
    if (kind === 'issue') return state === 'none' ? { state: 'active', seen: null } : undefined
    if (kind === 'use') return { state, seen: state }
    if (kind === 'revoke') return state === 'active' ? { state: 'revoked', seen: null } : undefined
    throw new Error(`unknown kind of operation: ${kind}`)
  },
}
