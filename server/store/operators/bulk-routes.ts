// Changes many animals at once, and searches an environment, for operators. Each animal is changed or refused on its own,
// with the rules of a single change; the writes share a transaction (group commit).

import { type Static, Type } from 'typebox'
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import type { AppError } from '#kit/errors.ts'
import { plainText, text } from '#kit/schema/described-schema.ts'
import { patchPet, removePet } from '../animals/change-pets.ts'
import { findPetJson, petJsonOf } from '../animals/list-pets.ts'
import { Animal, PetStatus } from '../animals/schema.ts'
import { listSortedPets } from '../animals/sorted-pets.ts'
import { categoryJson, findCategoriesByName, findCategory } from '../categories/categories.ts'
import { OperatorCategory } from '../categories/schema.ts'
import { type StoreWrite, writeStore } from '../changes/store-write.ts'
import { type EnvironmentsContext, environmentRoutesOf } from '../database/environment-routes.ts'
import { readRecordId } from '../operations/store-route.ts'
import { findOrder } from '../orders/orders.ts'
import { Order } from '../orders/schema.ts'
import { showRecord, unlessUnconfirmed } from './mount.ts'

/** As a page of the list has at most. */
const maxAnimals = 100

const target = {
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  version: Type.Optional(text(100, 'Only if the animal still has this version.')),
}

const AnimalChanges = Type.Object(
  {
    changes: Type.Array(Type.Object({ ...target, status: PetStatus }), {
      minItems: 1,
      maxItems: maxAnimals,
    }),
  },
  { $id: 'AnimalChanges', description: 'New statuses of animals.' },
)

const AnimalDeletions = Type.Object(
  { animals: Type.Array(Type.Object(target), { minItems: 1, maxItems: maxAnimals }) },
  { $id: 'AnimalDeletions', description: 'Animals to remove.' },
)

const problem = Type.Union(
  [Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()],
  { description: 'Why it is as before; null if it was done.' },
)

const ChangedAnimals = Type.Object(
  {
    items: Type.Array(
      Type.Object({ id: target.id, animal: Type.Union([Animal, Type.Null()]), problem }),
      { maxItems: maxAnimals },
    ),
  },
  {
    $id: 'ChangedAnimals',
    description: 'The outcome for each animal, in the order of the request.',
  },
)
export type ChangedAnimals = Static<typeof ChangedAnimals>

const DeletedAnimals = Type.Object(
  { items: Type.Array(Type.Object({ id: target.id, problem }), { maxItems: maxAnimals }) },
  {
    $id: 'DeletedAnimals',
    description: 'The outcome for each animal, in the order of the request.',
  },
)

const SearchStoreQuery = Type.Object({
  text: plainText(255, 'The beginning of a name, in upper or lower case, or an id.'),
})

/** Of each kind of records. */
const maxFound = 5

const FoundRecords = Type.Object(
  {
    animals: Type.Array(Animal, { maxItems: maxFound + 1 }),
    categories: Type.Array(OperatorCategory, { maxItems: maxFound + 1 }),
    orders: Type.Array(Order, { maxItems: 1 }),
  },
  {
    $id: 'FoundRecords',
    description:
      'What has the text as id comes first, then what has it as the beginning of its name.',
  },
)

const route = environmentRoutesOf<EnvironmentsContext>('animals')

export const bulkRoutes = [
  route('POST /store/{environment}/pets/changes', 'changeAnimals', {
    summary: 'Change the status of many animals',
    description:
      'Each animal is changed or refused on its own, as a single change would be. With the versions of the response, a second request undoes the first one where nobody has changed an animal since.',
    scope: 'store:write',
    body: AnimalChanges,
    returns: ChangedAnimals,
    async handle({ body, database }, { clock }) {
      const changing = body.changes.map(async ({ status, ...target }) => {
        const outcome = await execute(
          database,
          patchPet({ ...targetOf(target, clock()), patch: { status } }),
        )
        const animal = outcome.body === undefined ? null : (showRecord(outcome.body) as Animal)
        return { id: target.id, animal, problem: outcome.problem }
      })
      return { items: await Promise.all(changing) }
    },
  }),
  route('POST /store/{environment}/pets/deletions', 'deleteAnimals', {
    summary: 'Remove many animals',
    description: 'Each animal is removed or refused on its own. Their ids are never given again.',
    scope: 'store:write',
    body: AnimalDeletions,
    returns: DeletedAnimals,
    async handle({ body, database }, { clock }) {
      const removing = body.animals.map(async (target) => {
        const { problem } = await execute(database, removePet(targetOf(target, clock())))
        return { id: target.id, problem }
      })
      return { items: await Promise.all(removing) }
    },
  }),
  route('GET /store/{environment}/search', 'searchStore', {
    summary: 'Find animals, categories and orders by name or id',
    scope: 'store:read',
    query: SearchStoreQuery,
    returns: FoundRecords,
    async handle({ database: { read }, query }) {
      const text = query.text.trimStart()
      const id = readRecordId(text.trim())
      if (text === '') return { animals: [], categories: [], orders: [] }
      const byId = async (
        find: (session: Session, id: bigint) => Awaitable<string | undefined>,
      ) => {
        const record = id === undefined ? undefined : await find(read, id)
        return record === undefined ? [] : [record]
      }
      const [named, categories, animalsById, categoriesById, orders] = await Promise.all([
        listSortedPets(read, {}, { limit: maxFound, name: text }, undefined),
        findCategoriesByName(read, text, maxFound),
        byId(findPetJson),
        byId(findCategory),
        byId(findOrder),
      ])
      const unique = (all: string[]) => [...new Set(all)].map(showRecord)
      return {
        animals: unique([...animalsById, ...named.rows.map(petJsonOf)]) as Animal[],
        categories: unique([
          ...categoriesById,
          ...categories.map(([own = null, name = null]) => categoryJson(own, name)),
        ]) as OperatorCategory[],
        orders: orders.map((json) => JSON.parse(json)),
      }
    },
  }),
] as const

const targetOf = ({ id, version }: { id: number; version?: string | undefined }, now: number) => ({
  ...{ id: BigInt(id), use: undefined, now },
  conditions: { ifMatch: version === undefined ? undefined : `"${version}"` },
})

async function execute(
  database: Database,
  write: StoreWrite,
): Promise<{ body?: string; problem: { code: string; message: string } | null }> {
  const outcome = unlessUnconfirmed(await database.write(writeStore, write))
  if (outcome.kind === 'refused') return { problem: problemOf(outcome.error) }
  return { body: outcome.response.body, problem: null }
}

const problemOf = ({ code, message }: AppError) => ({ code, message })
