// Reads animals: one by its id, a page that matches a filter, and the count of all that match.
import { type Awaitable, type Session, withValue } from '#kit/database/database.ts'
import type { Value } from '#kit/database/query.ts'
import { readState } from '../database/state.ts'
import { listOf } from '../operations/pages.ts'
import type { PetStatus } from './schema.ts'

export type Filter = {
  status?: PetStatus | undefined
  categoryId?: bigint | undefined
  id?: bigint[] | undefined
}

/** Pages, by rows of these columns or with the JSON of `petJson`. */
export const pets = listOf('pets', ['id', 'name', 'category_id', 'status'], {
  id: { column: 'id', type: 'bigint' },
  name: { column: 'name', type: 'text' },
  categoryId: { column: 'category_id', type: 'bigint' },
  status: { column: 'status', type: 'text' },
})

/** The JSON of an animal, or undefined. */
export function findPetJson(session: Session, id: bigint): Awaitable<string | undefined> {
  return withValue(pets.find(session, id), (row) => row && petJsonOf(row))
}

/** More animals of a category are not counted. */
const maxCounted = 100_000

/**
 * How many animals a filter has, from counters that each write keeps; those of a category are counted, up to
 * `maxCounted`: undefined beyond.
 */
export async function countPets(session: Session, filter: Filter): Promise<bigint | undefined> {
  const { categoryId, id, status } = filter
  if (id !== undefined || categoryId !== undefined) {
    const count = await pets.count(session, filter, maxCounted)
    return count > maxCounted ? undefined : count
  }
  const state = await readState(session)
  return status ? state[status] : state.available + state.pending + state.sold
}

/**
 * The JSON of one animal; int64 values come as bigint, or as numbers that are safe. Written by hand because categoryId has
 * digits that a JavaScript number would lose.
 */
export function petJson(id: Value, name: Value, categoryId: Value, status: Value): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}

/** From a row of id, name, categoryId, status. */
export function petJsonOf(row: Value[]): string {
  return petJson(...(row as [Value, Value, Value, Value]))
}
