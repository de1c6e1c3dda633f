// The operations on what happened to domains, as the management API declares them.
import { operation } from '../../../platform/management/operation.ts'
import {
  DomainEvents,
  DomainWebhook,
  DomainWebhookTest,
  FollowEventsQuery,
  ListEventsQuery,
  MadeDomainWebhook,
  NewDomainWebhook,
  StreamedEvent,
} from './event-schema.ts'

const tag = 'domains'

export const listProjectEvents = operation({
  route: 'GET /projects/{slug}/domain-events',
  operationId: 'listDomainEvents',
  tag,
  summary: 'List what happened to the domains of a project, newest first',
  description:
    'Domains that have been removed among them. Kept are 400 days, and the last 10,000 events of a project.',
  access: 'account',
  scope: 'projects:read',
  query: ListEventsQuery,
  status: 200,
  answer: DomainEvents,
  errors: ['project_not_found'],
})

export const followEvents = operation({
  route: 'GET /projects/{slug}/domain-events/stream',
  operationId: 'followDomainEvents',
  tag,
  summary: 'Follow what happens to the domains of a project',
  description:
    'A stream of server-sent events: the type as `event`, the id as `id`, event and domain as `data`. It begins after the event of `Last-Event-ID` or `after`, else with what happens from now on.',
  access: 'account',
  scope: 'projects:read',
  query: FollowEventsQuery,
  status: 200,
  events: StreamedEvent,
  errors: ['project_not_found', 'rate_limited'],
})

export const listEventsOfDomain = operation({
  route: 'GET /projects/{slug}/domains/{host}/events',
  operationId: 'listEventsOfDomain',
  tag,
  summary: 'List what happened to a custom domain, newest first',
  description: 'Also to one that has been removed.',
  access: 'account',
  scope: 'projects:read',
  query: ListEventsQuery,
  status: 200,
  answer: DomainEvents,
  errors: ['project_not_found', 'domain_not_found'],
})

export const getDomainWebhook = operation({
  route: 'GET /projects/{slug}/domain-webhook',
  operationId: 'getDomainWebhook',
  tag,
  summary: 'Get where the news of domains goes, and how the last attempt went',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: DomainWebhook,
  errors: ['project_not_found', 'webhook_not_found'],
})

export const setDomainWebhook = operation({
  route: 'PUT /projects/{slug}/domain-webhook',
  operationId: 'setDomainWebhook',
  tag,
  summary: 'Set where the news of domains goes',
  description:
    'Sent are active, at_risk, failed, lost and removed. Each time it is set it gets a new secret, which only this answer has.',
  access: 'account',
  scope: 'domains:write',
  body: NewDomainWebhook,
  status: 200,
  answer: MadeDomainWebhook,
  errors: ['project_not_found'],
})

export const removeDomainWebhook = operation({
  route: 'DELETE /projects/{slug}/domain-webhook',
  operationId: 'removeDomainWebhook',
  tag,
  summary: 'Send the news of domains nowhere',
  access: 'account',
  scope: 'domains:write',
  status: 204,
  errors: ['project_not_found', 'webhook_not_found'],
})

export const testDomainWebhook = operation({
  route: 'POST /projects/{slug}/domain-webhook/test',
  operationId: 'testDomainWebhook',
  tag,
  summary: 'Send the webhook of a project a message now',
  access: 'account',
  scope: 'domains:write',
  status: 200,
  answer: DomainWebhookTest,
  errors: ['project_not_found', 'webhook_not_found'],
})
