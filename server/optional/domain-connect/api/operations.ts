// The operations of Domain Connect, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from '../connections/schema.ts'

export const operations = declareOperations(
  { tag: 'domains', access: 'account' },
  {
    getDomainConnect: {
      route: 'GET /projects/{slug}/domains/{host}/connect',
      summary: 'Get whether one click can set the DNS records',
      description:
        'Asks the zone and the DNS provider whether they support Domain Connect. The response of a provider is remembered for up to an hour.',
      scope: 'projects:read',
      returns: schema.DomainConnect,
      errors: ['project_not_found', 'domain_not_found', 'rate_limited'],
    },
    startDomainConnect: {
      route: 'POST /projects/{slug}/domains/{host}/connect',
      summary: 'Start setting the DNS records with one click',
      description:
        'Returns the page of the DNS provider that asks for consent. Nothing is changed before the customer has consented there.',
      scope: 'domains:write',
      status: 201,
      returns: schema.StartedConnection,
      errors: [
        'project_not_found',
        'role_required',
        'domain_not_found',
        'connect_unavailable',
        'rate_limited',
      ],
    },
    finishDomainConnect: {
      route: 'POST /domain-connections/return',
      summary: 'Finish what was started at a DNS provider',
      description:
        'Once, by the account and the session that started it. The domain is then verified: its state comes from DNS, whatever the provider has reported.',
      scope: 'domains:write',
      body: schema.ConnectReturn,
      returns: schema.FinishedConnection,
      errors: ['link_not_valid', 'rate_limited'],
    },
  },
)
