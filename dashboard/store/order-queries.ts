// What the pages ask about orders, and what they let happen to them.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Page } from '../../server/store/operators/schema.ts'
import type { Order } from '../../server/store/orders/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import type { Animal } from './animal-queries.ts'
import { environmentKey } from './environment-queries.ts'

export type { Order }
export type OrderStatus = Order['status']
export const orderStatuses: OrderStatus[] = ['placed', 'approved', 'delivered', 'cancelled']

/** What may become of an order, by its status. */
export const movesOf: Record<OrderStatus, Move[]> = {
  placed: ['approve', 'deliver', 'cancel'],
  approved: ['deliver', 'cancel'],
  delivered: [],
  cancelled: [],
}
export type Move = 'approve' | 'deliver' | 'cancel'

export function useOrders(environment: EnvironmentName, query: string) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'orders', query],
    queryFn: ({ signal }) =>
      ask<Page<Order>>(`${path`GET /store/${environment}/orders`}${query}`, { signal }),
    placeholderData: keepPreviousData,
    // Programs place orders, too.
    refetchInterval: 15_000,
  })
}

/** The names of the animals of a page by their id; of one that was deleted there is none. */
export function useOrderedAnimals(environment: EnvironmentName, orders: Order[]) {
  const ids = [...new Set(orders.map(({ petId }) => petId))].sort((a, b) => a - b).join(',')
  const { data } = useQuery({
    queryKey: [...environmentKey(environment), 'animals', 'ordered', ids],
    queryFn: ({ signal }) =>
      ask<Page<Animal>>(`${path`GET /store/${environment}/animals`}?limit=100&id=${ids}`, {
        signal,
      }),
    enabled: ids !== '',
    placeholderData: keepPreviousData,
  })
  return new Map(data?.items.map(({ id, name }) => [id, name]))
}

export function usePlaceOrder(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (petId: bigint | string | undefined) =>
      ask<Order>(path`POST /store/${environment}/orders`, { body: { petId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}

export function useMoveOrder(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, move }: { id: number; move: Move }) =>
      ask<Order>(path`POST /store/${environment}/orders/${String(id)}/${move}`),
    // When it was refused, somebody else was faster: what is shown is old.
    onSettled: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}
