// Decides whether one click at the DNS provider can set the records of a domain, and which; and says what it would change in
// the zone: the records that it adds, and those that the provider deletes because they conflict
// (draft-ietf-dconn-domainconnect, Conflict Detection). What a zone and its provider said is remembered for a while.

import {
  type DnsRecord,
  type RecordType,
  recordsOfType,
  recordValue,
  type ServerAddress,
} from '#dns/messages/exchange.ts'
import { ask } from '#dns/queries/ask.ts'
import type { Inquiry } from '#dns/queries/inquiry.ts'
import type { Hostname } from '#doctor/hostname.ts'
import type { Domain } from '#domains/api/schema.ts'
import { findClaimsOn, verificationRecordOf } from '#domains/claims/claims-on-host.ts'
import type { FoundDomain } from '#domains/database/domain-row.ts'
import type { Session } from '#kit/database/database.ts'
import type { ExpiringMap } from '#kit/expiring-map.ts'
import {
  type ConnectedProvider,
  type Discovered,
  type DiscoveryContext,
  discoverProvider,
  lookAtZone,
  queryTemplate,
  type TemplateAnswer,
  type TemplateId,
  type ZoneLook,
} from '../discovery/discover-provider.ts'
import type { TemplateGroup } from '../links/connect-template.ts'
import type { ConnectRecord, UnavailableReason } from './schema.ts'

/** What people put at a name that was in use. Anything else there would be deleted, too. */
const typesAtHost: RecordType[] = ['A', 'AAAA', 'MX', 'TXT', 'CAA', 'HTTPS']
const maxServersTried = 2

interface ChangeFacts {
  host: string
  platformHost: string
  verification: { name: string; value: string }
  groups: readonly TemplateGroup[]
}

function recordsToAdd({ groups, host, platformHost, verification }: ChangeFacts): ConnectRecord[] {
  const { name, value } = verification
  return [
    ...(groups.includes('site') ? [{ name: host, type: 'CNAME', value: platformHost }] : []),
    ...(groups.includes('ownership') ? [{ name, type: 'TXT', value }] : []),
  ]
}

/** What conflicts, as one of the zone's servers has it now; undefined when none answers. */
async function findConflicts(
  inquiry: Inquiry,
  servers: ServerAddress[],
  { groups, host, platformHost, verification }: ChangeFacts,
): Promise<ConnectRecord[] | undefined> {
  for (const server of servers.slice(0, maxServersTried)) {
    const found = await Promise.all([
      ...(groups.includes('site')
        ? typesAtHost.map((type) => recordsAt(inquiry, server, host, type))
        : []),
      ...(groups.includes('ownership')
        ? [recordsAt(inquiry, server, verification.name, 'TXT')]
        : []),
    ])
    if (found.some((records) => records === undefined)) continue
    const conflicts = found
      .flatMap((records) => (records ?? []).map(written))
      .filter((record) => {
        if (record.name === host) return record.type !== 'CNAME' || record.value !== platformHost
        // Proofs of others stay.
        return record.type === 'CNAME'
      })
    const byText = new Map(conflicts.map((record) => [`${record.type} ${record.value}`, record]))
    return [...byText.values()]
  }
  return undefined
}

async function recordsAt(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  type: RecordType,
): Promise<DnsRecord[] | undefined> {
  const { response } = await ask(inquiry, server, { name, type })
  const isUsable = response?.rcode === 'NOERROR' || response?.rcode === 'NXDOMAIN'
  if (!isUsable) return undefined
  const own = response.answers.filter((record) => record.name === name)
  return [
    ...recordsOfType(own, 'CNAME'),
    ...own.filter((record) => record.type === type && record.type !== 'CNAME'),
  ]
}

function written(record: DnsRecord): ConnectRecord {
  const { name, type } = record
  return { name, type, value: recordValue(record) }
}

/** What a zone and its provider said. */
interface Remembered {
  discovered: Discovered
  template: TemplateAnswer | undefined
}

export const maxRemembered = 1000
/** A provider that was found is remembered as long as the record may be cached, but not longer than this. */
const maxHitMs = 3_600_000
/** Anything else. */
const missMs = 5 * 60_000

export interface OfferContext extends DiscoveryContext {
  /** By host, so that an open page does not ask zones and providers again. */
  cache: ExpiringMap<Remembered>
  platformHost: string
}

export type Offer =
  | {
      kind: 'offered'
      provider: ConnectedProvider
      /** The labels of the host below the zone. */
      label: string
      groups: [TemplateGroup, ...TemplateGroup[]]
      adds: ConnectRecord[]
      deletes: ConnectRecord[]
    }
  | Unavailable

export interface Unavailable {
  kind: 'unavailable'
  reason: UnavailableReason
  /** The provider, where one is known. */
  name?: string | undefined
  controlPanel?: string | undefined
  detail?: string | undefined
}

/**
 * Without asking anybody; a list of groups if it is possible. A record that decides between two accounts is never set by a
 * click: the person who consents at the provider may not know of the other account. A live site is not switched before
 * its certificate is prepared, where that is requested.
 */
export async function chooseGroups(
  read: Session,
  found: FoundDomain,
  { badge, dns, records, verification }: Domain,
  now: number,
): Promise<[TemplateGroup, ...TemplateGroup[]] | UnavailableReason> {
  if (badge === 'suspended') return 'suspended'
  const { claims, proven, removed } = await findClaimsOn(read, found.host, now)
  const isOther = ({ holder }: { holder: string }) => holder !== found.holder
  if (claims.some(isOther) || (proven && isOther(proven)) || removed.some(isOther))
    return 'held_by_other'
  const isRequired = (wanted: (typeof records)[number]['purpose']): boolean =>
    records.some(({ purpose, state }) => purpose === wanted && state === 'required')
  const isOwnershipNext = verification.isRequired || isRequired('ownership')
  const [first, ...others]: TemplateGroup[] = [
    ...(dns !== 'partial' && isRequired('site') ? (['site'] as const) : []),
    ...(isOwnershipNext ? (['ownership'] as const) : []),
  ]
  return first === undefined ? 'not_needed' : [first, ...others]
}

interface OfferFor {
  domain: FoundDomain
  name: Hostname
  groups: [TemplateGroup, ...TemplateGroup[]]
  template: TemplateId
  /** The account that asks. */
  owner: string
  /** Asks the provider again, whatever is remembered. */
  isFresh: boolean
}

export async function offerConnection(context: OfferContext, input: OfferFor): Promise<Offer> {
  const { host, registrableDomain } = input.name
  const cached = input.isFresh ? undefined : context.cache.find(host)
  // Nothing to show: the zone is not asked again while the page is open.
  if (cached && !isUsable(cached)) return unavailable(cached)
  return await lookAtZone(context, { host, owner: input.owner, registrableDomain }, async (look) =>
    offerFrom(context, input, look, cached ?? (await discover(context, input, look))),
  )
}

const isUsable = ({ discovered, template }: Remembered): boolean =>
  discovered.kind === 'found' && template === 'known'

/** Whether the zone is at a provider that takes part, and knows the template. */
async function discover(
  context: OfferContext,
  { name, template: id }: Pick<OfferFor, 'name' | 'template'>,
  look: ZoneLook,
): Promise<Remembered> {
  const { discovered, ttlSeconds } = await discoverProvider(context, look)
  const template =
    discovered.kind === 'found' ? await queryTemplate(context, discovered.provider, id) : undefined
  const offer = { discovered, template }
  const forMs = isUsable(offer) ? Math.min(maxHitMs, ttlSeconds * 1000) : missMs
  context.cache.keep(name.host, offer, forMs)
  return offer
}

async function offerFrom(
  { platformHost }: OfferContext,
  { domain, groups, name: { host } }: OfferFor,
  { inquiry, walked }: ZoneLook,
  found: Remembered,
): Promise<Offer> {
  const { discovered, template } = found
  if (discovered.kind !== 'found' || template !== 'known') return unavailable(found)
  const { provider } = discovered
  // The zone was cut anew since the provider was asked.
  if (walked.outcome === 'unknown' || walked.apex !== provider.zone)
    return { kind: 'unavailable', reason: 'dns_unknown' }
  if (host === provider.zone) return { kind: 'unavailable', reason: 'apex' }
  const verification = verificationRecordOf(domain)
  const facts = { host, platformHost, verification, groups }
  const deletes = await findConflicts(inquiry, walked.servers, facts)
  if (!deletes) return { kind: 'unavailable', reason: 'dns_unknown' }
  const label = host.slice(0, -provider.zone.length - 1)
  return { kind: 'offered', provider, label, groups, adds: recordsToAdd(facts), deletes }
}

function unavailable({ discovered, template }: Remembered): Unavailable {
  const kind = 'unavailable'
  if (discovered.kind === 'none') {
    const { detail, name, reason } = discovered
    return { kind, reason, name, detail }
  }
  const { controlPanel, name } = discovered.provider
  if (template === 'old') return { kind, reason: 'template_old', name, controlPanel }
  if (template === 'unknown') return { kind, reason: 'template_unknown', name, controlPanel }
  const detail = typeof template === 'object' ? template.failed : undefined
  return { kind, reason: 'template_unreachable', name, controlPanel, detail }
}
