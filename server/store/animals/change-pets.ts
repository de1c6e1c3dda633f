// Changing and removing animals. An open order holds its animal: it cannot be removed, nor its status
// changed but by the order. A condition (If-Match) is looked at under the lock.
import type { Session } from '../../platform/database/database.ts'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import { entityTag, matchesStrongly } from '../../platform/http/response/ready-response.ts'
import { changeState } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'
import { type Guarded, guarded } from '../idempotency/guarded-write.ts'
import type { RecordedAnswer } from '../idempotency/idempotency.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { findPet } from './list-pets.ts'
import { petJson } from './pet-json.ts'
import type { PetPatch, PetStatus } from './schema.ts'

interface Target extends Guarded {
  /** Undefined for what cannot be an id. */
  id: bigint | undefined
  /** The If-Match field. */
  ifMatch: string | undefined
  /** When, in milliseconds since the epoch. */
  now: number
}

type PetRow = [id: bigint, name: string, categoryId: bigint, status: PetStatus]

const updatePet = prepareQuery<{ id: bigint; name: string; category: bigint; status: string }>()(
  (db, param) =>
    db
      .updateTable('pets')
      .set({ name: param('name'), category_id: param('category'), status: param('status') })
      .where('id', '=', param('id')),
)
const deletePet = prepareQuery<{ id: bigint }>()((db, param) =>
  db.deleteFrom('pets').where('id', '=', param('id')),
)
const openOrderOf = prepareQuery<{ pet: bigint }>()((db, param) =>
  db
    .selectFrom('orders')
    .select('id')
    .where('pet_id', '=', param('pet'))
    .where('status', 'in', ['placed', 'approved']),
)

/** Applies a merge patch (RFC 7396). */
export const patchPet = guarded(
  async (session, input: Target & { patch: PetPatch }): Promise<RecordedAnswer | AppError> => {
    const found = await findTarget(session, input)
    if (found instanceof AppError) return found
    const [id, name, category, status] = found
    const { patch } = input
    const next = {
      id,
      name: patch.name ?? name,
      category: patch.categoryId === undefined ? category : BigInt(patch.categoryId),
      // RFC 7396: null removes, and an animal without a status is available.
      status: patch.status === undefined ? status : (patch.status ?? 'available'),
    }
    if (next.status !== status) {
      const held = await findHold(session, id)
      if (held) return held
    }
    const body = petJson(id, next.name, next.category, next.status)
    if (body !== petJson(...found)) {
      await setPet(session, next, status, input.now)
    }
    return { status: 200, location: '', body }
  },
)

/** Removes an animal; its id is never given again. */
export const removePet = guarded(
  async (session, input: Target): Promise<RecordedAnswer | AppError> => {
    const found = await findTarget(session, input)
    if (found instanceof AppError) return found
    const [id, , , status] = found
    const held = await findHold(session, id)
    if (held) return held
    await session.all(deletePet, { id })
    const state = await changeState(session, { [status]: -1 })
    await recordEvents(session, state, input.now, () => [
      { type: 'pet.deleted', petId: found[0], data: petJson(...found) },
    ])
    return { status: 204, location: '', body: '' }
  },
)

/** Writes an animal whose status was `before`, updates the counters, and records events for the webhooks. */
export async function setPet(
  session: Session,
  pet: { id: bigint; name: string; category: bigint; status: PetStatus },
  before: PetStatus,
  now: number,
): Promise<void> {
  await session.all(updatePet, pet)
  const moved = pet.status === before ? {} : { [before]: -1, [pet.status]: 1 }
  const state = await changeState(session, moved)
  await recordEvents(session, state, now, () => {
    const data = petJson(pet.id, pet.name, pet.category, pet.status)
    return [{ type: 'pet.updated', petId: pet.id, data }]
  })
}

async function findTarget(session: Session, { id, ifMatch }: Target): Promise<PetRow | AppError> {
  const row = id === undefined ? undefined : await findPet(session, id)
  if (!row) return new AppError('pet_not_found', 'No animal has this id.')
  const pet = row as Value[] as PetRow
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, entityTag(petJson(...pet)))) {
    return new AppError(
      'precondition_failed',
      'The animal has changed since the ETag of If-Match. Fetch it again.',
    )
  }
  return pet
}

async function findHold(session: Session, id: bigint): Promise<AppError | undefined> {
  const [order] = await session.all(openOrderOf, { pet: id })
  if (!order) return undefined
  return new AppError(
    'conflict',
    `Order ${order.id} holds this animal. Deliver or cancel it first.`,
  )
}
