// The operations of an operator on webhooks, as the management API declares them.
import { operation } from '../../platform/management/operation.ts'
import { Overlap } from '../keys/schema.ts'
import {
  Deliveries,
  IssuedWebhook,
  ListDeliveriesQuery,
  NewWebhook,
  Webhook,
  WebhookPatch,
  Webhooks,
  WebhookTest,
} from './schema.ts'

const common = { tag: 'webhooks', access: 'operator' } as const

export const listWebhooks = operation({
  ...common,
  route: 'GET /store/{environment}/webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  scope: 'store:read',
  status: 200,
  answer: Webhooks,
  errors: ['route_not_found'],
})

export const createWebhook = operation({
  ...common,
  route: 'POST /store/{environment}/webhooks',
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description: 'The signing secret is shown only once.',
  scope: 'store:write',
  body: NewWebhook,
  status: 201,
  answer: IssuedWebhook,
  errors: ['route_not_found', 'limit_reached'],
})

export const changeWebhook = operation({
  ...common,
  route: 'PATCH /store/{environment}/webhooks/{webhookId}',
  operationId: 'changeWebhook',
  summary: 'Change, pause or resume a webhook',
  description: 'A disabled webhook gets no new events; open deliveries are kept.',
  scope: 'store:write',
  body: WebhookPatch,
  status: 200,
  answer: Webhook,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const deleteWebhook = operation({
  ...common,
  route: 'DELETE /store/{environment}/webhooks/{webhookId}',
  operationId: 'deleteWebhook',
  summary: 'Remove a webhook and its open deliveries',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const rotateWebhookSecret = operation({
  ...common,
  route: 'POST /store/{environment}/webhooks/{webhookId}/rotate',
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret of a webhook; the old one stays valid for a while',
  scope: 'store:write',
  body: Overlap,
  status: 201,
  answer: IssuedWebhook,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const testWebhook = operation({
  ...common,
  route: 'POST /store/{environment}/webhooks/{webhookId}/test',
  operationId: 'testWebhook',
  summary: 'Send a webhook.test event and show the response',
  description: 'Also to a disabled webhook; not part of its deliveries.',
  scope: 'store:write',
  status: 200,
  answer: WebhookTest,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const listDeliveries = operation({
  ...common,
  route: 'GET /store/{environment}/webhooks/{webhookId}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List the deliveries of a webhook with their attempts, newest first',
  description: 'The last 10,000 of the past 7 days.',
  scope: 'store:read',
  query: ListDeliveriesQuery,
  status: 200,
  answer: Deliveries,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const redeliver = operation({
  ...common,
  route: 'POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver',
  operationId: 'redeliver',
  summary: 'Resend an event to a webhook',
  description: 'A delivery that is waiting for its next attempt is retried now.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'webhook_not_found', 'delivery_not_found'],
})
