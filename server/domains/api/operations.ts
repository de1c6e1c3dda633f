// The operations on custom domains, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import { DomainCheck, EvidenceBundle } from '../checks/check-schema.ts'
import { DomainSwitch } from '../switching/switch-schema.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'domains', access: 'account', errors: ['project_not_found'] },
  {
    listDomains: {
      route: 'GET /projects/{slug}/domains',
      summary: 'List the custom domains of a project',
      description: 'Also lists the unmet preconditions for adding one.',
      scope: 'projects:read',
      returns: schema.Domains,
    },
    addDomain: {
      route: 'POST /projects/{slug}/domains',
      summary: 'Add a custom domain',
      description: 'It is checked immediately; the response contains the DNS record to create.',
      scope: 'domains:write',
      body: schema.NewDomain,
      status: 201,
      returns: schema.Domain,
      errors: [
        'role_required',
        'plan_required',
        'deploy_required',
        'domain_taken',
        'limit_reached',
        'rate_limited',
      ],
    },
    getDomain: {
      route: 'GET /projects/{slug}/domains/{host}',
      summary: 'Get a custom domain',
      scope: 'projects:read',
      returns: schema.Domain,
      errors: ['domain_not_found'],
    },
    changeDomain: {
      route: 'PATCH /projects/{slug}/domains/{host}',
      summary: 'Prepare a certificate before DNS is switched',
      description:
        'Or cancel that. It is checked immediately; the response contains the TXT records to set. A domain that serves a site elsewhere moves without a moment without HTTPS.',
      scope: 'domains:write',
      body: schema.DomainChange,
      returns: schema.Domain,
      errors: ['role_required', 'domain_not_found', 'rate_limited'],
    },
    verifyDomain: {
      route: 'POST /projects/{slug}/domains/{host}/verify',
      summary: 'Verify a custom domain now',
      description: 'Within 10 seconds of the last check, its result is returned.',
      scope: 'domains:write',
      returns: schema.Domain,
      errors: ['role_required', 'domain_not_found', 'rate_limited'],
    },
    getDomainEvidence: {
      route: 'GET /projects/{slug}/domains/{host}/evidence',
      summary: 'Get the evidence of the last check',
      description: 'Raw answers of every name server, for the support of a DNS provider.',
      scope: 'projects:read',
      returns: EvidenceBundle,
      errors: ['domain_not_found'],
    },
    getDomainSwitch: {
      route: 'GET /projects/{slug}/domains/{host}/switch',
      summary: 'Check whether a live domain can be switched to us',
      description:
        'Requests the host from our own addresses, as visitors will after the switch, and judges DNS as it will be then. For at most 5 seconds the result of the request before is returned.',
      scope: 'projects:read',
      returns: DomainSwitch,
      errors: ['domain_not_found', 'rate_limited'],
    },
    removeDomain: {
      route: 'DELETE /projects/{slug}/domains/{host}',
      summary: 'Remove a custom domain',
      description: 'Takes effect immediately. The response lists the DNS records to delete.',
      scope: 'domains:write',
      returns: schema.RemovedDomain,
      errors: ['role_required', 'domain_not_found'],
    },
    getDomainConfiguration: {
      route: 'GET /projects/{slug}/domain-configuration',
      summary: 'Get the primary domain and the redirects',
      description: 'With an ETag.',
      scope: 'projects:read',
      returns: schema.DomainConfiguration,
    },
    setDomainConfiguration: {
      route: 'PUT /projects/{slug}/domain-configuration',
      summary: 'Set the primary domain and the redirects',
      description:
        'Replaces the whole configuration; with If-Match, only if it still has that ETag. Refused are hosts that the project does not have, redirects of the primary, and redirects to a domain that redirects itself.',
      scope: 'domains:write',
      body: schema.DomainConfiguration,
      returns: schema.DomainConfiguration,
      errors: ['role_required', 'precondition_failed'],
    },
  },
)

export const hostOperations = declareOperations(
  { tag: 'domains', access: 'account' },
  {
    listAllDomains: {
      route: 'GET /domains',
      summary: 'List the custom domains of all projects',
      description: 'Members see those of their own projects, operators see all.',
      scope: 'projects:read',
      query: schema.ListDomainsQuery,
      returns: schema.DomainsOfProjects,
    },
    readHostname: {
      route: 'POST /hostnames',
      summary: 'Read user input as a host name',
      description:
        'Sends no DNS query and stores nothing. Input that cannot be added is refused with the reason.',
      scope: 'projects:read',
      body: schema.TypedHostname,
      returns: schema.Hostname,
    },
    checkDomain: {
      route: 'POST /domain-checks',
      summary: 'Check a host without adding it',
      description: 'With its current records, or with planned ones.',
      scope: 'projects:read',
      body: schema.NewDomainCheck,
      returns: DomainCheck,
      errors: ['rate_limited'],
    },
  },
)
