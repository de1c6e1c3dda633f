// The records of the store, and the queries that several pages share.
import { keepPreviousData } from '@tanstack/react-query'
import type { Answer } from '../../client/management-client.ts'
import { type EnvironmentName, useGet } from '../platform/requests.ts'

export type Animal = Answer<'GET /store/{environment}/pets/{petId}'>
export type AnimalStatus = Animal['status']
export type Order = Answer<'POST /store/{environment}/orders'>
export type ApiKey = Answer<'PATCH /store/{environment}/keys/{keyId}'>
export type Webhook = Answer<'GET /store/{environment}/webhooks'>['items'][number]

const statusNames: Record<AnimalStatus, true> = { available: true, pending: true, sold: true }
export const animalStatuses = Object.keys(statusNames) as AnimalStatus[]

/** All queries of an environment. */
export const queriesOf = (environment: EnvironmentName) => ({ queryKey: ['store', environment] })

export function useEnvironmentState() {
  return useGet('GET /store/{environment}').data
}

/** Of a page of records. Programs and other tabs change them, too. */
export const pageOptions = { placeholderData: keepPreviousData, refetchInterval: 5_000 }

/** The names of the first hundred categories by ID. Animals of other categories show the ID only. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  const { data } = useGet('GET /store/{environment}/categories', { query: { limit: 100 } })
  return new Map(data?.items.map(({ id, name }) => [String(id), name]))
}
