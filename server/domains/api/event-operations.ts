// The operations on domain events, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './event-schema.ts'

export const operations = declareOperations(
  { tag: 'domains', access: 'account', errors: ['project_not_found'] },
  {
    listDomainEvents: {
      route: 'GET /projects/{slug}/domain-events',
      summary: 'List the domain events of a project, newest first',
      description:
        'Includes removed domains. Events are kept for 400 days, at most the last 10,000 of a project.',
      scope: 'projects:read',
      query: schema.ListEventsQuery,
      returns: schema.DomainEvents,
    },
    followDomainEvents: {
      route: 'GET /projects/{slug}/domain-events/stream',
      summary: 'Follow the domain events of a project',
      description:
        'A stream of server-sent events: the type as `event`, the id as `id`, event and domain as `data`. It starts after the event of `Last-Event-ID` or `after`, otherwise with new events.',
      scope: 'projects:read',
      query: schema.FollowEventsQuery,
      events: schema.StreamedEvent,
      errors: ['rate_limited'],
    },
    listEventsOfDomain: {
      route: 'GET /projects/{slug}/domains/{host}/events',
      summary: 'List the events of a custom domain, newest first',
      description: 'Also of a removed one.',
      scope: 'projects:read',
      query: schema.ListEventsQuery,
      returns: schema.DomainEvents,
      errors: ['domain_not_found'],
    },
    getDomainWebhook: {
      route: 'GET /projects/{slug}/domain-webhook',
      summary: 'Get the domain webhook of a project, with its last delivery',
      scope: 'projects:read',
      returns: schema.DomainWebhook,
      errors: ['webhook_not_found'],
    },
    setDomainWebhook: {
      route: 'PUT /projects/{slug}/domain-webhook',
      summary: 'Set the domain webhook of a project',
      description:
        'It receives the events active, at_risk, failed, lost, removed, challenge_requested, certificate_prepared and preparation_ended. Setting it creates a new secret, which only this response contains.',
      scope: 'domains:write',
      body: schema.NewDomainWebhook,
      returns: schema.MadeDomainWebhook,
      errors: ['role_required'],
    },
    removeDomainWebhook: {
      route: 'DELETE /projects/{slug}/domain-webhook',
      summary: 'Remove the domain webhook of a project',
      scope: 'domains:write',
      errors: ['role_required', 'webhook_not_found'],
    },
    testDomainWebhook: {
      route: 'POST /projects/{slug}/domain-webhook/test',
      summary: 'Send a test message to the domain webhook',
      scope: 'domains:write',
      returns: schema.DomainWebhookTest,
      errors: ['role_required', 'webhook_not_found'],
    },
  },
)
