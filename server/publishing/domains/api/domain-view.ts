// A stored domain as it is shown now, wherever it is shown: by the operations on it and with its events.
import type { Clock } from '../../../platform/clock.ts'
import type { Session } from '../../../platform/database/database.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findLastCheck } from '../database/find-domains.ts'
import { findIssuer } from '../database/find-issuers.ts'
import { type Hostname, readHostname } from '../host-names/hostname.ts'
import { showDomain } from './domain-response.ts'
import type { BudgetOfHost, Domain } from './schema.ts'

export type DomainView = (domain: FoundDomain, projectSlug: string) => Promise<Domain>

/** `budgetOf`: what the authority still gives, where it is bounded. */
export function createDomainView(
  read: Session,
  clock: Clock,
  platformHost: string,
  budgetOf?: (name: Hostname) => Promise<BudgetOfHost | undefined>,
): DomainView {
  return async (domain, project) => {
    const name = nameOfHost(domain.host)
    return showDomain(domain, name, {
      kept: await findLastCheck(read, domain.id),
      issuer: await findIssuer(read, domain.id),
      budget: await budgetOf?.(name),
      now: clock(),
      project,
      platformHost,
    })
  }
}

/** What was once taken is read again: the rules may have become stricter since. */
export function nameOfHost(host: string): Hostname {
  return readHostname(host, { hosts: [], platformHost: '' }).ok ?? unknownName(host)
}

function unknownName(host: string): Hostname {
  return { host, unicodeHost: host, registrableDomain: host, label: '@', isApex: true }
}
