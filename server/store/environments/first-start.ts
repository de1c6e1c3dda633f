// What the first start creates in an environment: its first key, and staging's sample animals.

import { programOrigin } from '#kit/audit/record-audit.ts'
import type { WriteSession } from '#kit/database/database.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { insertPets, type PlainPet } from '../animals/change-pets.ts'
import type { PetStatus } from '../animals/schema.ts'
import { insertCategories } from '../categories/categories.ts'
import { dropOpenDeliveries } from '../changes/record-events.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import {
  changeState,
  lockedTransaction,
  readState,
  type State,
  type StateChange,
} from '../database/state.ts'
import { prepare, prepareQuery } from '../database/tables.ts'
import { findKey } from '../keys/authenticate.ts'
import { createKeyInTransaction, createKeyText, type KeyText } from '../keys/keys.ts'

const claim = prepare.update('store_state', { initialised: 1n }, { initialised: 0n }, [
  'last_pet_id',
])
const removals = (['idempotency_keys', 'orders', 'categories', 'pets'] as const).map((table) =>
  prepareQuery()((db) => db.deleteFrom(table)),
)

export const createFirstKeys = () => ({
  production: createKeyText('production'),
  staging: createKeyText('staging'),
})

/**
 * Creates the first key, and the samples of staging, once for all processes. Returns whether the key is the first one,
 * also if an attempt before created it whose commit was not confirmed.
 */
export const initialise = unlocked(
  async (session, environment: EnvironmentName, now: number, first: KeyText): Promise<boolean> => {
    const [claimed] = await session.all(claim, {})
    if (!claimed) return (await findKey(session, first.id)) !== undefined
    // A reset may have come before the first start.
    if (environment === 'staging' && claimed.last_pet_id === 0n) await insertSamples(session)
    const key = { label: 'first key' }
    await createKeyInTransaction(session, environment, key, programOrigin(now), first)
    return true
  },
)

/**
 * Restores the sample animals and categories with their ids, and deletes all others; keys stay. Ids that others had
 * are not assigned again. Returns the number of animals.
 */
export const resetSamples = lockedTransaction(async (session) => {
  for (const removal of removals) await session.all(removal, {})
  await dropOpenDeliveries(session)
  const before = await readState(session)
  const {
    last_order_id: _o,
    last_event_id: _e,
    active_webhooks: _w,
    keys_version: _k,
    ...gone
  } = before
  changeState(session, negated(gone))
  await insertSamples(session)
  // The ids of the samples come back; those that others had do not.
  const { last_pet_id: pet, last_category_id: category } = await readState(session)
  changeState(session, {
    last_pet_id: Math.max(0, Number(before.last_pet_id - pet)),
    last_category_id: Math.max(0, Number(before.last_category_id - category)),
  })
  return samplePets.length
})

async function insertSamples(session: WriteSession): Promise<void> {
  await insertPets(session, samplePets)
  await insertCategories(session, sampleCategories)
}

function negated(state: Partial<State>): StateChange {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, -Number(value)]))
}

const names =
  'Rex, Bella, Milo, Luna, Charlie, Nala, Oscar, Kiwi, Shadow, Daisy, Simba, Coco, Rocky, ' +
  'Hazel, Ziggy, Pepper, Finn, Olive, Bruno, Willow, Gizmo, Maple, Otto, Pearl, Taco, Ivy, ' +
  'Bandit, Honey, Loki, Poppy, Felix, Ruby, Hugo, Ginger, Storm, Clover, Moose, Saffron, ' +
  'Archie, Juniper, Sókrates, Žofka, Ñandú, Büsi, 小白, もも, Мурка, Ψίψι, Zoë, 🐢 Flash'
const statuses: PetStatus[] = ['available', 'available', 'pending', 'available', 'sold']

/** Categories 1 to 7. */
const sampleCategories = ['Dogs', 'Cats', 'Birds', 'Rabbits', 'Fish', 'Reptiles', 'Horses']

const samplePets: PlainPet[] = names.split(', ').map((name, i) => ({
  name,
  categoryId: (i % 7) + 1,
  status: statuses[i % statuses.length] as PetStatus,
}))
