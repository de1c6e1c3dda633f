// What the pages ask about webhooks and their deliveries, and what they let happen to them.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Delivery, Webhook } from '../../server/store/webhooks/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { environmentKey } from './environment-queries.ts'

export type { Delivery, Webhook }
export type IssuedWebhook = Webhook & { secret: string }
export interface WebhookTest {
  durationMs: number
  status: number | null
  error: string | null
}

export interface WebhookInput {
  url: string
  label: string
  /** Null is all. */
  events: string[] | null
}

const againMs = 10_000
const webhooksKey = (environment: EnvironmentName) => [...environmentKey(environment), 'webhooks']
const deliveriesKey = (environment: EnvironmentName, id: string) => [
  ...webhooksKey(environment),
  id,
  'deliveries',
]

export function useWebhooks(environment: EnvironmentName) {
  return useQuery({
    queryKey: webhooksKey(environment),
    queryFn: () => ask<{ items: Webhook[] }>(path`GET /store/${environment}/webhooks`),
    refetchInterval: againMs,
  })
}

/** With its next page under `next`; `failed` leaves out what never failed. */
export function useDeliveries(environment: EnvironmentName, id: string, failed: boolean) {
  return useInfiniteQuery({
    queryKey: [...deliveriesKey(environment, id), failed],
    queryFn: ({ pageParam }) =>
      ask<{ items: Delivery[]; next: string | null }>(
        `${path`GET /store/${environment}/webhooks/${id}/deliveries`}?limit=20&failed=${failed}${pageParam && `&before=${encodeURIComponent(pageParam)}`}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // What is under way is looked at more often.
    refetchInterval: ({ state }) => {
      const isWaiting = state.data?.pages[0]?.items.some((each) => each.state === 'waiting')
      return isWaiting ? 2000 : againMs
    },
  })
}

function useWebhookChange<Input, Answer>(
  environment: EnvironmentName,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey(environment) }),
    // A secret that was shown is not remembered.
    gcTime: 0,
  })
}

export const useCreateWebhook = (environment: EnvironmentName) =>
  useWebhookChange(environment, (body: WebhookInput) =>
    ask<IssuedWebhook>(path`POST /store/${environment}/webhooks`, { body }),
  )

export type WebhookChange = { id: string } & Partial<WebhookInput> & { disabled?: boolean }

export const useChangeWebhook = (environment: EnvironmentName) =>
  useWebhookChange(environment, ({ id, ...body }: WebhookChange) =>
    ask<Webhook>(path`PATCH /store/${environment}/webhooks/${id}`, { body }),
  )

export const useRotateSecret = (environment: EnvironmentName) =>
  useWebhookChange(environment, ({ id, overlapSeconds }: { id: string; overlapSeconds: number }) =>
    ask<IssuedWebhook>(path`POST /store/${environment}/webhooks/${id}/rotate`, {
      body: { overlapSeconds },
    }),
  )

export function useDeleteWebhook(environment: EnvironmentName) {
  const client = useQueryClient()
  const queryKey = webhooksKey(environment)
  return useMutation({
    mutationFn: (id: string) => ask(path`DELETE /store/${environment}/webhooks/${id}`),
    onSuccess: (_, id) => {
      client.setQueryData<{ items: Webhook[] }>(
        queryKey,
        (known) => known && { items: known.items.filter((each) => each.id !== id) },
      )
      // The list alone: deliveries that are unfolded have gone with it.
      return client.invalidateQueries({ queryKey, exact: true })
    },
  })
}

export const useTestWebhook = (environment: EnvironmentName) =>
  useWebhookChange(environment, (id: string) =>
    ask<WebhookTest>(path`POST /store/${environment}/webhooks/${id}/test`),
  )

export const useRedeliver = (environment: EnvironmentName, id: string) =>
  useWebhookChange(environment, (eventId: string) =>
    ask(path`POST /store/${environment}/webhooks/${id}/deliveries/${eventId}/redeliver`),
  )
