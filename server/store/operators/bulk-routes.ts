// Handlers of the changes to many animals at once, and of the search. Each animal is changed or refused on its own, with the
// rules of a single change; the writes share a transaction (group commit).
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import type { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { patchPet, removePet } from '../animals/change-pets.ts'
import { findPetJson } from '../animals/list-pets.ts'
import { petJsonOf } from '../animals/pet-json.ts'
import { listSortedPets } from '../animals/sorted-pets.ts'
import { categoryJson, findCategoriesByName, findCategory } from '../categories/categories.ts'
import { type StoreWrite, writeStore } from '../changes/store-write.ts'
import { getEnvironmentName } from '../database/environment-name.ts'
import { readRecordId } from '../operations/store-route.ts'
import { findOrder } from '../orders/orders.ts'
import { maxFound } from './bulk-schema.ts'
import { type OperatorsContext, showRecord, unlessUnconfirmed } from './mount.ts'
import { bulkOperations } from './operations.ts'
import type { Animal, Category } from './schema.ts'

const nobody = { ids: undefined, status: undefined }

export function bulkRoutes({ clock, databases }: OperatorsContext): Route[] {
  const targetOf = ({ id, version }: { id: number; version?: string | undefined }) => ({
    ...{ id: BigInt(id), use: undefined, now: clock() },
    conditions: { ifMatch: version === undefined ? undefined : `"${version}"` },
  })

  return [
    route(bulkOperations.changeAnimals, async ({ body, params }) => {
      const database = databases[getEnvironmentName(params)]
      const changing = body.changes.map(async ({ status, ...target }) => {
        const outcome = await execute(
          database,
          patchPet({ ...targetOf(target), patch: { status } }),
        )
        const animal = outcome.body === undefined ? null : (showRecord(outcome.body) as Animal)
        return { id: target.id, animal, problem: outcome.problem }
      })
      return { items: await Promise.all(changing) }
    }),
    route(bulkOperations.deleteAnimals, async ({ body, params }) => {
      const database = databases[getEnvironmentName(params)]
      const removing = body.animals.map(async (target) => {
        const { problem } = await execute(database, removePet(targetOf(target)))
        return { id: target.id, problem }
      })
      return { items: await Promise.all(removing) }
    }),
    route(bulkOperations.searchStore, async ({ params, query }) => {
      const { read } = databases[getEnvironmentName(params)]
      const text = query.text.trimStart()
      const id = readRecordId(text.trim())
      if (text === '') return { animals: [], categories: [], orders: [] }
      const byId = async (
        find: (session: Session, id: bigint) => Awaitable<string | undefined>,
      ) => {
        const found = id === undefined ? undefined : await find(read, id)
        return found === undefined ? [] : [found]
      }
      const [named, categories, animalsById, categoriesById, orders] = await Promise.all([
        listSortedPets(read, nobody, { limit: maxFound, name: text }, undefined),
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
        ]) as Category[],
        orders: orders.map((json) => JSON.parse(json)),
      }
    }),
  ]
}

async function execute(
  database: Database,
  write: StoreWrite,
): Promise<{ body?: string; problem: { code: string; message: string } | null }> {
  const outcome = unlessUnconfirmed(await database.write(writeStore, write))
  if (outcome.kind === 'refused') return { problem: problemOf(outcome.error) }
  return { body: outcome.answer.body, problem: null }
}

const problemOf = ({ code, message }: AppError) => ({ code, message })
