// What happens once in the life of an environment: its first key, and staging's sample animals.
import { type Database, each, type Session } from '../platform/database/database.ts'
import type { Query, Value } from '../platform/database/query.ts'
import { insertPets } from './animals/create-pets.ts'
import { samplePets } from './animals/samples.ts'
import type { EnvironmentName } from './keys/api-key.ts'
import { insertNewKey } from './keys/keys.ts'
import { define } from './tables.ts'

const claim = define()((db) =>
  db
    .updateTable('store_state')
    .set({ initialised: 1n })
    .where('initialised', '=', 0n)
    .returning('id'),
)
const state = define()((db) => db.selectFrom('store_state').select('last_pet_id'))
const removeAllPets = define()((db) => db.deleteFrom('pets'))
const removeAllUses = define()((db) => db.deleteFrom('idempotency_keys'))
const startOver = define<{ last: Value }>()((db, param) =>
  db.updateTable('store_state').set((eb) => ({
    content_version: eb('content_version', '+', 1n),
    last_pet_id: param('last') as never,
    available: 0n,
    pending: 0n,
    sold: 0n,
  })),
)

/** Does what a first start does, once for all processes. Gives the first key, then never again. */
export async function initialise(
  database: Database,
  environment: EnvironmentName,
  now: number,
): Promise<string | undefined> {
  return await database.write(initialisation, { environment, now })
}

/**
 * Brings back the sample animals with their ids, and nothing else; keys stay. Ids that others had are
 * not given again. Gives how many animals there are then.
 */
export async function resetSamples(database: Database): Promise<number> {
  return await database.write(reset, undefined)
}

const initialisation = each(
  async (session, { environment, now }: { environment: EnvironmentName; now: number }) => {
    if ((await session.all(claim, {})).length === 0) return undefined
    if (environment === 'staging') await insertPets(session, samplePets)
    const { text } = await insertNewKey(session, {
      environment,
      key: { label: 'first key' },
      now,
      replaces: undefined,
      overlapMs: 0,
    })
    return text
  },
)

const reset = each(async (session: Session, _: undefined) => {
  // Moved first: on PostgreSQL this row is the lock that all writes take.
  const before = await one(session, state)
  await session.all(startOver, { last: 0n })
  await session.all(removeAllUses, {})
  await session.all(removeAllPets, {})
  await insertPets(session, samplePets)
  const samples = BigInt(samplePets.length)
  await session.all(setLast, { last: before > samples ? before : samples })
  return samplePets.length
})

const setLast = define<{ last: Value }>()((db, param) =>
  db.updateTable('store_state').set({ last_pet_id: param('last') as never }),
)

async function one(
  session: Session,
  query: Query<Record<never, never>, { last_pet_id: bigint }>,
): Promise<bigint> {
  const [row] = await session.all(query, {})
  if (!row) throw new Error('store_state is empty')
  return row.last_pet_id
}
