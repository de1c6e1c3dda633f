// A domain as the management API gives it.
import type { Clock } from '../../../platform/clock.ts'
import type { Session } from '../../../platform/database/database.ts'
import type { KeptCheck } from '../checks/check-result.ts'
import { verificationRecordOf } from '../claims/verification-record.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findLastCheck } from '../database/find-domains.ts'
import { findIssuer } from '../database/find-issuers.ts'
import type { PlainRecord } from '../doctor/diagnostic.ts'
import { fixForms } from '../doctor/fixes.ts'
import { type Hostname, readHostname, wwwPairOf } from '../host-names/hostname.ts'
import { badgeOf } from '../state/badge.ts'
import { showCertificate } from './certificate-response.ts'
import type { BudgetOfHost, Domain } from './schema.ts'

/**
 * `kept`: what the last check found, as JSON. `issuer`: of the certificate in use.
 * `budget`: the remaining rate limits.
 */
export function showDomain(
  domain: FoundDomain,
  name: Hostname,
  {
    budget = null,
    issuer = null,
    kept,
    now,
    project,
    platformHost,
  }: {
    budget?: BudgetOfHost | null | undefined
    issuer?: string | null | undefined
    kept: string | undefined
    now: number
    project: string
    platformHost: string
  },
): Domain {
  const { addedAt, host, state } = domain
  const last = kept === undefined ? undefined : (JSON.parse(kept) as KeptCheck)
  const verification = verificationRecordOf(domain)
  const isRequired = state.ownership !== 'proven' && (last?.isVerificationRequired ?? false)
  const certificate = showCertificate(domain, { budget, issuer, now })
  return {
    host,
    unicodeHost: name.unicodeHost,
    project,
    addedAt: new Date(addedAt).toISOString(),
    badge: badgeOf(state, isRequired, now),
    ownership: state.ownership,
    provenBy: state.provenBy,
    dns: state.dns,
    certificate,
    serving: state.serving,
    role: domain.role,
    redirect: domain.redirect ?? null,
    pair: wwwPairOf(name) ?? null,
    record: recordOf(name, last, platformHost),
    verification: { isRequired, ...verification },
    checkedAt: state.checkedAt === null ? null : new Date(state.checkedAt).toISOString(),
    check: last ? withoutWhatIsOver(last.check, certificate) : null,
  }
}

const answersOfAuthority = ['T04', 'T05', 'T06', 'T07', 'T09']

/** A check may be hours old: drops the authority's problems after it has issued the certificate. */
function withoutWhatIsOver(
  check: KeptCheck['check'],
  { problem, state }: Domain['certificate'],
): KeptCheck['check'] {
  if (state !== 'issued' || problem !== null) return check
  return {
    ...check,
    diagnostics: check.diagnostics.filter(({ code }) => !answersOfAuthority.includes(code)),
  }
}

/** Relative to the zone of the host; before the first check, to the registrable domain. */
function recordOf(name: Hostname, last: KeptCheck | undefined, value: string): Domain['record'] {
  const { label = name.label, nameServer } = last ?? {}
  const type = label === '@' ? 'ALIAS' : 'CNAME'
  const record = { name: name.host, type, value, ttlSeconds: 3600 } satisfies PlainRecord
  const forms = fixForms(
    { text: '', remove: [], add: [record] },
    { zone: last?.check.zone ?? name.registrableDomain, nameServer },
  )
  return { type, name: label, host: name.host, value, ttlSeconds: record.ttlSeconds, forms }
}

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
