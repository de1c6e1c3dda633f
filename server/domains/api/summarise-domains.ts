// What the lists of projects say about the domains of a project: the primary, and which ones need their owner.

import type { Clock } from '#kit/clock.ts'
import type { Session } from '#kit/database/database.ts'
import type { DomainsOfProject } from '#publishing/projects/schema.ts'
import type { Badge } from '../../../client/values/domain-badges.ts'
import { listDomainDetails, listDomains } from '../database/find-domains.ts'
import { badgeOfDomain } from './domain-response.ts'

/** Those that do not solve themselves. */
const needsOwner: ReadonlySet<Badge> = new Set([
  'add_dns_record',
  'fix_dns',
  'prove_ownership',
  'prepare_certificate',
  'ready_to_switch',
  'needs_attention',
  'at_risk',
  'suspended',
  'paused',
])

type SummariseDomains = (projectId: string) => Promise<DomainsOfProject>

export function createDomainSummary(read: Session, clock: Clock): SummariseDomains {
  return async (projectId) => {
    const found = await listDomains(read, projectId)
    const now = clock()
    // The last checks are long, and only these depend on them.
    const isSettled = found.every(({ state }) => state.ownership === 'proven' && state.dns === 'ok')
    const details = isSettled ? undefined : await listDomainDetails(read, projectId)
    const badges = found.map((domain) => ({
      host: domain.host,
      badge: badgeOfDomain(domain, details?.get(domain.id)?.judged, now),
    }))
    const primary = found.find(({ role }) => role === 'primary')
    return {
      count: found.length,
      primary: primary?.host ?? null,
      isPrimaryServed: primary?.state.serving === 'https',
      attention: badges.filter(({ badge }) => needsOwner.has(badge)),
    }
  }
}
