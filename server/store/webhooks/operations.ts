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
  summary: 'Send events to an address',
  description: 'The secret that signs them is shown this once.',
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
  summary: 'Change a webhook, pause it, or let it go on',
  description: 'What happens while it is disabled it does not hear of; what is open stays.',
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
  summary: 'Remove a webhook with all that it has not been sent',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'webhook_not_found'],
})

export const rotateWebhookSecret = operation({
  ...common,
  route: 'POST /store/{environment}/webhooks/{webhookId}/rotate',
  operationId: 'rotateWebhookSecret',
  summary: 'Give a webhook a new secret; for a while the old one signs, too',
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
  summary: 'Send a webhook.test event now, and say what came back',
  description: 'Disabled or not, and outside of its deliveries.',
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
  description: 'Kept are 7 days, and the last 10,000.',
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
  summary: 'Send an event to a webhook anew',
  description: 'One that waits for its next attempt is tried now.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'webhook_not_found', 'delivery_not_found'],
})
