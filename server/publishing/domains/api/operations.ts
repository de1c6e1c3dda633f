// The operations on custom domains, as the management API declares them.
import { operation } from '../../../platform/management/operation.ts'
import { DomainCheck, EvidenceBundle } from '../checks/check-schema.ts'
import {
  Domain,
  DomainConfiguration,
  Domains,
  Hostname,
  NewDomain,
  NewDomainCheck,
  RemovedDomain,
} from './schema.ts'

const tag = 'domains'

export const listDomains = operation({
  route: 'GET /projects/{slug}/domains',
  operationId: 'listDomains',
  tag,
  summary: 'List the custom domains of a project',
  description: 'And what is missing before one can be added.',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: Domains,
  errors: ['project_not_found'],
})

export const addDomain = operation({
  route: 'POST /projects/{slug}/domains',
  operationId: 'addDomain',
  tag,
  summary: 'Add a custom domain',
  description: 'It is checked at once; the answer has the DNS record to create.',
  access: 'account',
  scope: 'domains:write',
  body: NewDomain,
  status: 201,
  answer: Domain,
  errors: [
    'project_not_found',
    'plan_required',
    'deploy_required',
    'domain_taken',
    'limit_reached',
  ],
})

export const getDomain = operation({
  route: 'GET /projects/{slug}/domains/{host}',
  operationId: 'getDomain',
  tag,
  summary: 'Get a custom domain',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: Domain,
  errors: ['project_not_found', 'domain_not_found'],
})

export const verifyDomain = operation({
  route: 'POST /projects/{slug}/domains/{host}/verify',
  operationId: 'verifyDomain',
  tag,
  summary: 'Verify a custom domain now',
  description: 'Within 10 seconds of the last check, that one is given.',
  access: 'account',
  scope: 'domains:write',
  status: 200,
  answer: Domain,
  errors: ['project_not_found', 'domain_not_found'],
})

export const getEvidence = operation({
  route: 'GET /projects/{slug}/domains/{host}/evidence',
  operationId: 'getDomainEvidence',
  tag,
  summary: 'Get the evidence of the last check',
  description: 'Raw answers of every name server, to be sent to a DNS provider.',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: EvidenceBundle,
  errors: ['project_not_found', 'domain_not_found'],
})

export const removeDomain = operation({
  route: 'DELETE /projects/{slug}/domains/{host}',
  operationId: 'removeDomain',
  tag,
  summary: 'Remove a custom domain',
  description: 'At once. The answer has the DNS records that are to be deleted then.',
  access: 'account',
  scope: 'domains:write',
  status: 200,
  answer: RemovedDomain,
  errors: ['project_not_found', 'domain_not_found'],
})

export const getConfiguration = operation({
  route: 'GET /projects/{slug}/domain-configuration',
  operationId: 'getDomainConfiguration',
  tag,
  summary: 'Get which domain is the primary, and which ones redirect',
  description: 'With an ETag.',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: DomainConfiguration,
  errors: ['project_not_found'],
})

export const setConfiguration = operation({
  route: 'PUT /projects/{slug}/domain-configuration',
  operationId: 'setDomainConfiguration',
  tag,
  summary: 'Set which domain is the primary, and which ones redirect',
  description:
    'All of it at once. With If-Match, only if it is still as that ETag says. Refused are hosts that the project does not have, redirects of the primary, and redirects to what redirects itself.',
  access: 'account',
  scope: 'domains:write',
  body: DomainConfiguration,
  status: 200,
  answer: DomainConfiguration,
  errors: ['project_not_found', 'precondition_failed'],
})

export const readHost = operation({
  route: 'POST /hostnames',
  operationId: 'readHostname',
  tag,
  summary: 'See what a text means as a domain to add',
  description:
    'Nothing is asked and nothing is kept: what could not be added is refused with the reason.',
  access: 'account',
  scope: 'projects:read',
  body: NewDomain,
  status: 200,
  answer: Hostname,
  errors: [],
})

export const checkHost = operation({
  route: 'POST /domain-checks',
  operationId: 'checkDomain',
  tag,
  summary: 'Check a host without adding it',
  description: 'As it is, or as it would be with planned records.',
  access: 'account',
  scope: 'projects:read',
  body: NewDomainCheck,
  status: 200,
  answer: DomainCheck,
  errors: [],
})
