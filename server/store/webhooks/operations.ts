// The operations of an operator on webhooks, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import { Overlap } from '../keys/routes.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'webhooks', access: 'operator', errors: ['route_not_found'] },
  {
    listWebhooks: {
      route: 'GET /store/{environment}/webhooks',
      summary: 'List webhooks',
      scope: 'store:read',
      returns: schema.Webhooks,
    },
    createWebhook: {
      route: 'POST /store/{environment}/webhooks',
      summary: 'Create a webhook',
      description: 'The signing secret is shown only once.',
      scope: 'store:write',
      body: schema.NewWebhook,
      status: 201,
      returns: schema.IssuedWebhook,
      errors: ['limit_reached'],
    },
    changeWebhook: {
      route: 'PATCH /store/{environment}/webhooks/{webhookId}',
      summary: 'Change, pause or resume a webhook',
      description: 'A disabled webhook gets no new events; open deliveries are kept.',
      scope: 'store:write',
      body: schema.WebhookPatch,
      returns: schema.Webhook,
      errors: ['webhook_not_found'],
    },
    deleteWebhook: {
      route: 'DELETE /store/{environment}/webhooks/{webhookId}',
      summary: 'Remove a webhook and its open deliveries',
      scope: 'store:write',
      errors: ['webhook_not_found'],
    },
    rotateWebhookSecret: {
      route: 'POST /store/{environment}/webhooks/{webhookId}/rotate',
      summary: 'Rotate the signing secret of a webhook; the old one stays valid for a while',
      scope: 'store:write',
      body: Overlap,
      status: 201,
      returns: schema.IssuedWebhook,
      errors: ['webhook_not_found'],
    },
    testWebhook: {
      route: 'POST /store/{environment}/webhooks/{webhookId}/test',
      summary: 'Send a webhook.test event and show the response',
      description: 'Also to a disabled webhook; not part of its deliveries.',
      scope: 'store:write',
      returns: schema.WebhookTest,
      errors: ['webhook_not_found'],
    },
    listDeliveries: {
      route: 'GET /store/{environment}/webhooks/{webhookId}/deliveries',
      summary: 'List the deliveries of a webhook with their attempts, newest first',
      description: 'The last 10,000 of the past 7 days.',
      scope: 'store:read',
      query: schema.ListDeliveriesQuery,
      returns: schema.Deliveries,
      errors: ['webhook_not_found'],
    },
    redeliver: {
      route: 'POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver',
      summary: 'Resend an event to a webhook',
      description: 'A delivery that is waiting for its next attempt is retried now.',
      scope: 'store:write',
      errors: ['webhook_not_found', 'delivery_not_found'],
    },
  },
)
