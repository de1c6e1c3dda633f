// The operations on removed domains, as the management API declares them.
import { declareOperations } from '../../../platform/management/operation.ts'
import { DomainRemoval, DomainRemovals } from './removal-schema.ts'

export const operations = declareOperations(
  { tag: 'domains', access: 'account', errors: ['project_not_found'] },
  {
    listRemovedDomains: {
      route: 'GET /projects/{slug}/removed-domains',
      summary: 'List removed domains with the DNS records to delete',
      description:
        'With the result of the last check, at most 100. One is listed until a day after all of its records were found deleted, for 90 days at most, and not once the domain is added again.',
      scope: 'projects:read',
      answer: DomainRemovals,
    },
    verifyRemovedDomain: {
      route: 'POST /projects/{slug}/removed-domains/{host}/verify',
      summary: 'Verify now that the DNS records of a removed domain are deleted',
      description:
        'At every name server of their zone. Within 10 seconds of the last check, its result is returned.',
      scope: 'domains:write',
      answer: DomainRemoval,
      errors: ['role_required', 'domain_not_found', 'rate_limited'],
    },
    dismissRemovedDomain: {
      route: 'DELETE /projects/{slug}/removed-domains/{host}',
      summary: 'Stop checking the DNS records of a removed domain',
      description:
        'For records that stay on purpose, such as a wildcard. It is not listed any more.',
      scope: 'domains:write',
      errors: ['role_required', 'domain_not_found'],
    },
  },
)
