// The queries and changes of animals.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body, Query } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'
import { environmentKey } from './environment-queries.ts'

export type Animal = Answer<'GET /store/{environment}/animals/{petId}'>
export type AnimalStatus = Animal['status']
type NewAnimal = Body<'POST /store/{environment}/animals'>
export type AnimalPatch = Body<'PATCH /store/{environment}/animals/{petId}'>
export type AnimalsQuery = Query<'GET /store/{environment}/animals'>

const statusNames: Record<AnimalStatus, string> = {
  available: 'available',
  pending: 'pending',
  sold: 'sold',
}
export const statuses = Object.keys(statusNames) as AnimalStatus[]

export function useAnimals(environment: EnvironmentName, query: AnimalsQuery, isEnabled = true) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'animals', query],
    queryFn: ({ signal }) =>
      call('GET /store/{environment}/animals', { params: { environment }, query, signal }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
}

/** Not fetched while `petId` is not a number. */
export function useAnimal(environment: EnvironmentName, petId: string) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'animal', petId],
    queryFn: () => getAnimal(environment, petId),
    enabled: /^\d+$/.test(petId),
  })
}

export const getAnimal = (environment: EnvironmentName, petId: string): Promise<Animal> =>
  call('GET /store/{environment}/animals/{petId}', { params: { environment, petId } })

export const useAddAnimal = (environment: EnvironmentName) =>
  useChange(
    (body: NewAnimal) =>
      call('POST /store/{environment}/animals', { params: { environment }, body }),
    environmentKey(environment),
  )

export interface AnimalChange {
  id: number
  /** Refused when the animal has another version by then. */
  version?: string
  body: AnimalPatch
}

export const useChangeAnimal = (environment: EnvironmentName) =>
  useChange(
    ({ body, id, version }: AnimalChange) =>
      call('PATCH /store/{environment}/animals/{petId}', {
        params: { environment, petId: String(id) },
        body,
        ifMatch: version,
      }),
    environmentKey(environment),
  )

export const useDeleteAnimal = (environment: EnvironmentName) =>
  useChange(
    (id: number) =>
      call('DELETE /store/{environment}/animals/{petId}', {
        params: { environment, petId: String(id) },
      }),
    environmentKey(environment),
  )
