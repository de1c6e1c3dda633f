// The queries and changes of orders.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body, Query } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'
import { useAnimals } from './animal-queries.ts'
import { environmentKey } from './environment-queries.ts'

export type Order = Answer<'POST /store/{environment}/orders'>
export type OrderStatus = Order['status']
type OrdersQuery = Query<'GET /store/{environment}/orders'>
type NewOrder = Body<'POST /store/{environment}/orders'>

export type Transition = 'approve' | 'deliver' | 'cancel'
/** The transitions that an order has, by its status. */
export const transitions: Record<OrderStatus, Transition[]> = {
  placed: ['approve', 'deliver', 'cancel'],
  approved: ['deliver', 'cancel'],
  delivered: [],
  cancelled: [],
}
export const orderStatuses = Object.keys(transitions) as OrderStatus[]

export function useOrders(environment: EnvironmentName, query: OrdersQuery) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'orders', query],
    queryFn: ({ signal }) =>
      call('GET /store/{environment}/orders', { params: { environment }, query, signal }),
    placeholderData: keepPreviousData,
    // Programs place orders, too.
    refetchInterval: 15_000,
  })
}

/** The names of the animals of a page by their id; a deleted animal has none. */
export function useOrderedAnimals(environment: EnvironmentName, orders: Order[]) {
  const id = [...new Set(orders.map(({ petId }) => petId))].sort((a, b) => a - b)
  const { data } = useAnimals(environment, { limit: 100, id }, id.length > 0)
  return new Map(data?.items.map((animal) => [animal.id, animal.name]))
}

export const usePlaceOrder = (environment: EnvironmentName) =>
  useChange(
    (body: NewOrder) => call('POST /store/{environment}/orders', { params: { environment }, body }),
    environmentKey(environment),
  )

export const useMoveOrder = (environment: EnvironmentName) =>
  useChange(({ id, transition }: { id: number; transition: Transition }) => {
    const params = { environment, orderId: String(id) }
    return call(`POST /store/{environment}/orders/{orderId}/${transition}`, { params })
  }, environmentKey(environment))
