// Removes a domain. The host is free after the commit, but for 90 days a leftover pointer does not prove ownership for
// another account. The owner is told which DNS records to delete, because a leftover record makes a subdomain takeover
// possible: those that pointed to us at the last check, the verification record, and that of a challenge.
import { type DnsRecord, recordsOfType } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence } from '#doctor/evidence.ts'
import { followChain, isSameResponse } from '#doctor/reading.ts'
import { type PlainRecord, plainRecord, plainRecords, withoutDuplicates } from '#doctor/wording.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { publishingTransaction, withdrawHost } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepare } from '#publishing/database/tables.ts'
import {
  challengeNameOf,
  releaseAuthorizations,
  wantedChallengeOf,
} from '../database/challenges.ts'
import { deleteEventsOf } from '../database/delete-events.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import {
  findDomainById,
  findDomainDetails,
  findLastEvidence,
  listDomains,
} from '../database/find-domains.ts'
import { recordEvent } from '../database/record-event.ts'
import { isOwnershipLapsing, ownershipLapsesAfterMs } from '../state/domain-state.ts'
import { findClaimsOn, tombstoneMs } from './claims-on-host.ts'
import { releaseRedirects } from './configure-domains.ts'

/** More than any zone has for a host. */
const maxRecords = 30

const deleteDomain = prepare.delete('domains', { id: 'id' })
const deleteDependents = (['domain_checks', 'certificate_orders', 'certificates'] as const).map(
  (table) => prepare.delete(table, { domain_id: 'id' }),
)
const insertTombstone = prepare.upsert(
  'domain_tombstones',
  { host: 'host', holder: 'holder' },
  {
    removed_at: 'removedAt',
    held_until: 'heldUntil',
    first_added_at: 'firstAddedAt',
    pointer_until: 'pointerUntil',
  },
)

const tombstoneOf = prepare.select('domain_tombstones', ['first_added_at', 'pointer_until'], {
  host: 'host',
  holder: 'holder',
  held_until: { '>': 'now' },
})

/**
 * Undefined when it was already removed. `domain`: as it was. `endedRedirects`: hosts that redirected to it and now
 * serve the site. `version`: a process that has seen it no longer serves the host; undefined if it was not served.
 * `authorizations`: how many are deactivated at the authority. `records`: those to delete in DNS.
 */
export const removeDomain = publishingTransaction(
  async (session, { id, origin }: { id: string; origin: AuditOrigin }) => {
    const domain = await findDomainById(session, id)
    if (!domain) return undefined
    const endedRedirects = await releaseRedirects(session, domain, origin)
    const records = await findRecordsToDelete(session, domain, origin.at)
    const removal = await remove(session, domain, origin.at)
    const detail = {
      ...(records.length > 0 && {
        records: records.map(({ name, type, value }) => ({ name, type, value })),
      }),
    }
    await recordEvent(session, domain, { type: 'removed', detail, isNotice: true, origin })
    return { domain, endedRedirects, records, ...removal }
  },
)

/** Without pointers that another claim needs. */
async function findRecordsToDelete(
  session: Session,
  domain: FoundDomain,
  now: number,
): Promise<PlainRecord[]> {
  const details = await findDomainDetails(session, domain.id)
  if (!details) return []
  const name = challengeNameOf(domain.host)
  // Those that the owner was asked for, even if no check has looked for them since.
  const challenges = [wantedChallengeOf(domain, details), domain.formerChallenge].flatMap(
    (challenge) =>
      challenge?.value === undefined ? [] : plainRecord('TXT', name, challenge.value),
  )
  const records = recordsInEvidence(await findLastEvidence(session, domain.id))
  const { proven = domain } = await findClaimsOn(session, domain.host, now)
  return withoutDuplicates([...records, ...challenges])
    .filter(({ type }) => type === 'TXT' || proven.id === domain.id)
    .slice(0, maxRecords)
}

/** Removes all domains of a deleted project, inside that write. */
export async function removeDomainsOf(session: Session, projectId: string, origin: AuditOrigin) {
  for (const domain of await listDomains(session, projectId)) {
    await remove(session, domain, origin.at)
    const target = { id: domain.id, name: domain.host, ownerId: domain.holder }
    await recordAudit(session, origin, 'domain.removed', target, { projectId })
  }
  await deleteEventsOf(session, projectId)
}

/** Deletes tombstones that have expired. */
export const deleteExpiredTombstones = oldRowsOf<PublishingTables>()({
  table: 'domain_tombstones',
  key: ['host', 'holder'],
  time: 'held_until',
  lock: takeLock,
})

async function remove(session: Session, domain: FoundDomain, now: number) {
  const { host, state } = domain
  const authorizations = await deleteDomainRows(session, domain.id, now)
  await session.all(insertTombstone, await tombstoneFor(session, domain, now))
  // Connections of a host that another account holds must not be closed.
  const wasServed = state.ownership === 'proven' && state.serving !== 'off'
  const version = wasServed ? await withdrawHost(session, host, now) : undefined
  return { authorizations, version }
}

async function tombstoneFor(session: Session, domain: FoundDomain, now: number) {
  const { addedAt, holder, host, state } = domain
  const row = await findOne(session, tombstoneOf, { host, holder, now })
  const earlier = row && plainRow(row)
  const isProven = state.ownership === 'proven' && !isOwnershipLapsing(state, now)
  return {
    host,
    holder,
    removedAt: now,
    heldUntil: now + tombstoneMs,
    firstAddedAt: Math.min(addedAt, earlier?.firstAddedAt ?? addedAt),
    pointerUntil: isProven
      ? (state.failingSince ?? now) + ownershipLapsesAfterMs
      : (earlier?.pointerUntil ?? null),
  }
}

/**
 * Deletes the domain and its dependent rows, the private keys among them, inside a write. Our authorizations for the host
 * are deactivated in the background; returns their number.
 */
export async function deleteDomainRows(session: Session, id: string, now: number): Promise<number> {
  const authorizations = await releaseAuthorizations(session, id, now)
  for (const query of [deleteDomain, ...deleteDependents]) await session.all(query, { id })
  return authorizations
}

/** `kept`: the evidence of the last check, as JSON. */
function recordsInEvidence(stored: string | undefined): PlainRecord[] {
  if (stored === undefined) return []
  const { chain, platform, servers, subject } = JSON.parse(stored) as Evidence
  const { host: own } = subject
  const pointsToUs = (record: DnsRecord): boolean =>
    record.type === 'CNAME'
      ? record.name === own && followChain(chain, own, record.target).includes(platform.host)
      : 'address' in record && platform.addresses.includes(record.address)
  const isWild = (host: NameFacts) => servers.some(({ sibling }) => isSameResponse(host, sibling))
  const records = servers.flatMap(({ host, verification }) => [
    ...(host.kind === 'records' && !isWild(host)
      ? [...host.cname, ...host.addresses].filter(pointsToUs)
      : []),
    ...(verification?.kind === 'records'
      ? recordsOfType(verification.others, 'TXT').filter(
          ({ strings }) => strings.join('') === platform.verification?.value,
        )
      : []),
  ])
  return plainRecords(records)
}
