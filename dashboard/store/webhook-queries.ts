// The queries and changes of webhooks and their deliveries.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Answer, Body } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'
import { environmentKey } from './environment-queries.ts'

type Webhooks = Answer<'GET /store/{environment}/webhooks'>
export type Webhook = Webhooks['items'][number]
export type Delivery =
  Answer<'GET /store/{environment}/webhooks/{webhookId}/deliveries'>['items'][number]
export type WebhookInput = Required<Body<'POST /store/{environment}/webhooks'>>
export type EventType = NonNullable<WebhookInput['events']>[number]

const pollMs = 10_000
const webhooksKey = (environment: EnvironmentName) => [...environmentKey(environment), 'webhooks']

export function useWebhooks(environment: EnvironmentName) {
  return useQuery({
    queryKey: webhooksKey(environment),
    queryFn: () => call('GET /store/{environment}/webhooks', { params: { environment } }),
    refetchInterval: pollMs,
  })
}

/** `isFailedOnly` leaves out deliveries that never failed. */
export function useDeliveries(
  environment: EnvironmentName,
  webhookId: string,
  isFailedOnly: boolean,
) {
  return useInfiniteQuery({
    queryKey: [...webhooksKey(environment), webhookId, 'deliveries', isFailedOnly],
    queryFn: ({ pageParam: before }) =>
      call('GET /store/{environment}/webhooks/{webhookId}/deliveries', {
        params: { environment, webhookId },
        query: { limit: 20, failed: isFailedOnly ? 'true' : 'false', before },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => {
      const isWaiting = state.data?.pages[0]?.items.some((each) => each.state === 'waiting')
      return isWaiting ? 2000 : pollMs
    },
  })
}

export const useCreateWebhook = (environment: EnvironmentName) =>
  useChange(
    (body: WebhookInput) =>
      call('POST /store/{environment}/webhooks', { params: { environment }, body }),
    webhooksKey(environment),
  )

type WebhookPatch = Body<'PATCH /store/{environment}/webhooks/{webhookId}'>

export const useChangeWebhook = (environment: EnvironmentName) =>
  useChange(
    ({ id: webhookId, ...body }: WebhookPatch & { id: string }) =>
      call('PATCH /store/{environment}/webhooks/{webhookId}', {
        params: { environment, webhookId },
        body,
      }),
    webhooksKey(environment),
  )

export const useRotateSecret = (environment: EnvironmentName) =>
  useChange(
    ({ id: webhookId, overlapSeconds }: { id: string; overlapSeconds: number }) =>
      call('POST /store/{environment}/webhooks/{webhookId}/rotate', {
        params: { environment, webhookId },
        body: { overlapSeconds },
      }),
    webhooksKey(environment),
  )

export function useDeleteWebhook(environment: EnvironmentName) {
  const client = useQueryClient()
  const queryKey = webhooksKey(environment)
  return useMutation({
    mutationFn: (webhookId: string) =>
      call('DELETE /store/{environment}/webhooks/{webhookId}', {
        params: { environment, webhookId },
      }),
    onSuccess: (_, id) => {
      client.setQueryData<Webhooks>(
        queryKey,
        (known) => known && { items: known.items.filter((each) => each.id !== id) },
      )
      // Only the list: the deliveries of the webhook are gone.
      return client.invalidateQueries({ queryKey, exact: true })
    },
  })
}

export const useTestWebhook = (environment: EnvironmentName) =>
  useChange(
    (webhookId: string) =>
      call('POST /store/{environment}/webhooks/{webhookId}/test', {
        params: { environment, webhookId },
      }),
    webhooksKey(environment),
  )

export const useRedeliver = (environment: EnvironmentName, webhookId: string) =>
  useChange(
    (eventId: string) =>
      call('POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver', {
        params: { environment, webhookId, eventId },
      }),
    webhooksKey(environment),
  )
