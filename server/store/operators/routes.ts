// All routes of operators to the records of an environment.

import { streamBody } from '#kit/api/read-body.ts'
import { AppError } from '#kit/errors.ts'
import { mediaTypeOf } from '#kit/http/request/body-type.ts'
import { exactInteger } from '#kit/json/exact-number.ts'
import type { Operation } from '#kit/management/operation.ts'
import { type Route, route } from '#kit/management/route.ts'
import { animalRoutes } from '../animals/routes.ts'
import { categoryRoutes } from '../categories/routes.ts'
import { getEnvironmentName } from '../database/environment-name.ts'
import type { StoreRoute } from '../operations/store-route.ts'
import { orderRoutes } from '../orders/routes.ts'
import { exportPets } from '../transfer/export-pets.ts'
import { forms, mediaTypes } from '../transfer/forms.ts'
import { importPets, importRefusal } from '../transfer/import-pets.ts'
import type { NewPetRow } from '../transfer/read-pets.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { maxBytes, maxRecords } from './import-limits.ts'
import { mountForOperators, type OperatorsContext } from './mount.ts'
import { operations, transferOperations } from './operations.ts'
import { maxProblems, maxShown } from './transfer-schema.ts'

export function operatorRoutes(context: OperatorsContext): Route[] {
  const records: StoreRoute[] = [animalRoutes, categoryRoutes, orderRoutes].flatMap(Object.values)
  const declared: Record<string, Operation> = operations
  return [
    ...transferRoutes(context),
    ...bulkRoutes(context),
    ...records.map((route) => {
      const operation = declared[route.operation.operationId] as Operation
      return mountForOperators(context, operation, route)
    }),
  ]
}

function transferRoutes({ clock, databases }: OperatorsContext): Route[] {
  return [
    route(transferOperations.importAnimals, async ({ params, query, request }) => {
      const database = databases[getEnvironmentName(params)]
      const dryRun = query.dryRun === 'true'
      const keepGoing = query.keepGoing === 'true'
      const type = mediaTypeOf(request.headers)
      const first: NewPetRow[] = []
      const body = streamBody(request, maxBytes)
      const result = await importPets(dryRun ? undefined : database, body, {
        form: forms.find((known) => mediaTypes[known] === type),
        keepGoing,
        maxProblems,
        onPets: (pets) => void first.push(...pets.slice(0, maxShown - first.length)),
        onRead({ records }) {
          if (records <= maxRecords) return
          const message = `An import must not exceed ${maxRecords} records. Use the command animals import for more.`
          throw new AppError('body_too_large', message)
        },
      })
      const isRefused = result.rejected > 0 && !(keepGoing && result.isWhole)
      if (isRefused && !dryRun) throw importRefusal(result)
      return {
        dryRun,
        ...result,
        first: first.map(([name, categoryId, status]) => ({
          name,
          categoryId: exactInteger(categoryId),
          status,
        })),
      }
    }),
    route(transferOperations.exportAnimals, async ({ params, query: { form, status } }) => {
      const name = getEnvironmentName(params)
      const day = new Date(clock()).toISOString().slice(0, 10)
      return {
        mediaType: mediaTypes[form],
        fileName: `animals-${name}-${day}.${form}`,
        parts: textOf(exportPets(databases[name], form, status)),
      }
    }),
  ]
}

async function* textOf(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) if (text !== '') yield text
}
