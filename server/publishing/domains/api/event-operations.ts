// The operations on what happened to domains, as the management API declares them.
import { declareOperations } from '../../../platform/management/operation.ts'
import * as schema from './event-schema.ts'

export const operations = declareOperations(
  { tag: 'domains', access: 'account', errors: ['project_not_found'] },
  {
    listDomainEvents: {
      route: 'GET /projects/{slug}/domain-events',
      summary: 'List what happened to the domains of a project, newest first',
      description:
        'Domains that have been removed among them. Kept are 400 days, and the last 10,000 events of a project.',
      scope: 'projects:read',
      query: schema.ListEventsQuery,
      answer: schema.DomainEvents,
    },
    followDomainEvents: {
      route: 'GET /projects/{slug}/domain-events/stream',
      summary: 'Follow what happens to the domains of a project',
      description:
        'A stream of server-sent events: the type as `event`, the id as `id`, event and domain as `data`. It begins after the event of `Last-Event-ID` or `after`, else with what happens from now on.',
      scope: 'projects:read',
      query: schema.FollowEventsQuery,
      events: schema.StreamedEvent,
      errors: ['rate_limited'],
    },
    listEventsOfDomain: {
      route: 'GET /projects/{slug}/domains/{host}/events',
      summary: 'List what happened to a custom domain, newest first',
      description: 'Also to one that has been removed.',
      scope: 'projects:read',
      query: schema.ListEventsQuery,
      answer: schema.DomainEvents,
      errors: ['domain_not_found'],
    },
    getDomainWebhook: {
      route: 'GET /projects/{slug}/domain-webhook',
      summary: 'Get where the news of domains goes, and how the last attempt went',
      scope: 'projects:read',
      answer: schema.DomainWebhook,
      errors: ['webhook_not_found'],
    },
    setDomainWebhook: {
      route: 'PUT /projects/{slug}/domain-webhook',
      summary: 'Set where the news of domains goes',
      description:
        'Sent are active, at_risk, failed, lost and removed. Each time it is set it gets a new secret, which only this answer has.',
      scope: 'domains:write',
      body: schema.NewDomainWebhook,
      answer: schema.MadeDomainWebhook,
    },
    removeDomainWebhook: {
      route: 'DELETE /projects/{slug}/domain-webhook',
      summary: 'Send the news of domains nowhere',
      scope: 'domains:write',
      errors: ['webhook_not_found'],
    },
    testDomainWebhook: {
      route: 'POST /projects/{slug}/domain-webhook/test',
      summary: 'Send the webhook of a project a message now',
      scope: 'domains:write',
      answer: schema.DomainWebhookTest,
      errors: ['webhook_not_found'],
    },
  },
)
