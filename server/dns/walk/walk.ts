// Finds the zone of a name: its delegation, the name servers that the parent and the zone itself list, and all their
// addresses. It walks from the root label by label (RFC 9156): the servers of each zone are queried for the SOA record of
// the next name, which shows whether it is a delegation, a zone on the same servers, or no zone. Name servers without
// addresses are looked up with limited depth. Whether a server answers is found out when it is queried for the name
// (name-facts.ts).
import { isWithin, oneBelow, parentOf } from '../messages/dns-name.ts'
import {
  type DnsResponse,
  type Exchange,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'
import { ask, askAny } from '../queries/ask.ts'
import { glueFor, isAnswerIn, referralIn, type ZoneCut } from '../queries/dns-network.ts'
import { type Inquiry, isExhausted } from '../queries/inquiry.ts'

const maxNameServers = 13

export interface Walk
  extends Pick<Descent, 'outcome' | 'missing'>,
    Awaited<ReturnType<typeof completeServers>> {
  /** Apexes of the zones from the top down; the last one contains the name. */
  zones: string[]
  apex: string
}

/** Finds the zone of the name, from the roots. */
export async function walk(inquiry: Inquiry, name: string): Promise<Walk> {
  const { cuts, outcome, missing } = await descend(inquiry, name)
  const zone = cuts.at(-1) ?? cuts[0]
  return {
    outcome,
    zones: cuts.map(({ apex }) => apex),
    apex: zone.apex,
    missing,
    ...(await completeServers(inquiry, zone)),
  }
}

/** `there` when the name is the apex of a zone or exists above the cut; `not there` when its parent denies it. */
export function delegationOf(walked: Walk, name: string): 'there' | 'not there' | 'unknown' {
  if (walked.zones.includes(name)) return 'there'
  if (walked.missing !== undefined && isWithin(name, walked.missing)) return 'not there'
  if (walked.outcome === 'unknown') return 'unknown'
  // The zone above contains names below it: it exists without a zone of its own.
  return walked.missing === undefined || isWithin(walked.missing, name) ? 'there' : 'unknown'
}

/** The zone's own list of its servers, and the addresses of all of both lists. */
async function completeServers(inquiry: Inquiry, zone: ZoneCut) {
  const question = { name: zone.apex, type: 'NS' } as const
  const parents = await serversOf(inquiry, zone)
  const own = await askAny(inquiry, parents, question, isAnswerIn(zone.apex, question))
  const ownNames = recordsOfType(own?.response.answers ?? [], 'NS')
    .filter((record) => record.name === zone.apex)
    .map(({ target }) => target)
  // A zone without a referral is served by the servers that it lists, or by those of its parent if it lists none.
  const parentNames = zone.isDelegated || ownNames.length === 0 ? zone.parentNames : []
  const names = [...new Set([...parentNames, ...ownNames])].sort().slice(0, maxNameServers)
  const ownGlue = glueFor(
    ownNames.filter((server) => isWithin(server, zone.apex)),
    own?.response.additionals ?? [],
  )
  const lookups = await Promise.all(
    names.map(async (name) => {
      const glue = zone.glue.get(name) ?? ownGlue.get(name)
      const addresses = glue ?? (await findOwn(inquiry, name, zone))
      const servers = toServers(inquiry, name, addresses)
      const fault = servers.length > 0 ? undefined : faultOf(inquiry, addresses)
      return { servers, unusable: fault ? [{ name, fault }] : [] }
    }),
  )
  return {
    /** Name servers by the parent's delegation, and by the zone itself; where they differ, one is stale. */
    parentNames,
    ownNames,
    /** Every address of every name server, by the order of the names. */
    servers: lookups.flatMap(({ servers }) => servers),
    /** Name servers that cannot be asked at any address. */
    unusable: lookups.flatMap(({ unusable }) => unusable),
  }
}

export interface UnusableServer {
  name: string
  /** `only IPv6`: on a machine without it. */
  fault: 'no address' | 'private address' | 'only IPv6'
}

/** Why none of its addresses can be asked; undefined if the limit was reached before they were known. */
function faultOf(inquiry: Inquiry, addresses: string[]): UnusableServer['fault'] | undefined {
  if (addresses.length === 0) return isExhausted(inquiry) ? undefined : 'no address'
  const isReachable = addresses.some((address) => isAskable(inquiry, address))
  return isReachable ? 'private address' : 'only IPv6'
}

/** Finds a name server within its own zone, if the referral had no address for it. */
async function findOwn(inquiry: Inquiry, server: string, zone: ZoneCut): Promise<string[]> {
  if (!isWithin(server, zone.apex)) return findAddresses(inquiry, server, zone.apex)
  const records = await askAddresses(inquiry, server, zone.apex, await serversOf(inquiry, zone))
  return records.map(({ address }) => address)
}

/** The address records of a name at the servers of its zone. */
async function askAddresses(inquiry: Inquiry, name: string, zone: string, from: ServerAddress[]) {
  const askFor = (type: AddressType) =>
    askAny(inquiry, from, { name, type }, isAnswerIn(zone, { name, type }))
  const records = await addressRecords(inquiry, askFor)
  return records.filter((record) => record.name === name)
}

/**
 * The same from the resolver, also at the end of aliases, and of zones with a broken signature. Undefined if it does not
 * answer or fails, which says nothing about the name.
 */
async function resolveAddresses(inquiry: Inquiry, name: string, resolver: ServerAddress) {
  const options = { wantsRecursion: true, isCheckingDisabled: true }
  let isAnswered = false
  const records = await addressRecords(inquiry, async (type) => {
    const exchange = await ask(inquiry, resolver, { name, type }, options)
    isAnswered ||= ['NOERROR', 'NXDOMAIN'].includes(exchange.response?.rcode ?? '')
    return exchange
  })
  return isAnswered ? records : undefined
}

/** On a machine without IPv6, AAAA only where there is no A: that tells an unreachable server from a missing one. */
async function addressRecords(
  inquiry: Inquiry,
  askFor: (type: AddressType) => Promise<Pick<Exchange, 'response'> | undefined>,
) {
  const find = async (types: AddressType[]) => {
    const exchanges = await Promise.all(types.map(askFor))
    const records = exchanges.flatMap((exchange) => exchange?.response?.answers ?? [])
    return recordsOfType(records, 'A', 'AAAA')
  }
  const found = await find(addressTypes(inquiry))
  return found.length > 0 || inquiry.network.hasIpv6 ? found : find(['AAAA'])
}

/** Name servers whose own names need name servers that need … */
const maxDepth = 4
const maxNamesTried = 3
/** Each label of the longest name, with its delegation. */
const maxSteps = 260
const rootTtlSeconds = 86_400

interface Descent {
  /** From the root, or from the first known zone, to the zone that contains the name. */
  cuts: [ZoneCut, ...ZoneCut[]]
  /** `found`: the last zone is authoritative for the name, whether it exists or not. `unknown`: no server answered so. */
  outcome: 'found' | 'unknown'
  /** The topmost name that does not exist (NXDOMAIN), if the name does not: itself or above it. */
  missing: string | undefined
}

/** Names of servers that are being looked up, to prevent loops. */
type Pending = readonly string[]

export async function descend(
  inquiry: Inquiry,
  name: string,
  pending: Pending = [],
): Promise<Descent> {
  const cuts: Descent['cuts'] = [startFor(inquiry, name)]
  let zone = cuts[0]
  let tested = zone.apex
  let missing: string | undefined
  for (let step = 0; step < maxSteps; step++) {
    const next = oneBelow(name, tested)
    const servers = await (pending.length === 0
      ? serversOf(inquiry, zone)
      : findServers(inquiry, zone, pending))
    const apex = zone.apex
    const question = { name: next, type: 'SOA' } as const
    const isAnswer = isAnswerIn(apex, question)
    const exchange = await askAny(
      inquiry,
      servers,
      question,
      (response) => isAnswer(response) || referralIn(response, apex, name) !== undefined,
    )
    if (!exchange) break
    const { response } = exchange
    const soa = soaIn(response, next)
    let cut = referralIn(response, apex, name)
    // A zone on the servers of its parent.
    if (!cut && soa?.name === next && next !== apex)
      cut = { ...zone, apex: next, isDelegated: false, ttlSeconds: soa.ttlSeconds }
    if (cut) {
      remember(inquiry, cut)
      cuts.push(cut)
      zone = cut
      // A referral is the parent's view: the zone itself is queried for the same name.
      if (cut.isDelegated || next !== name) {
        tested = cut.apex
        continue
      }
    }
    const isMissing = response.rcode === 'NXDOMAIN' && response.answers.length === 0
    if (isMissing) missing ??= next
    if (next === name) return { cuts, outcome: 'found', missing: isMissing ? missing : undefined }
    // Some servers answer NXDOMAIN for a name that has only names below it: query the name itself.
    tested = isMissing ? (parentOf(name) ?? '') : next
  }
  return { cuts, outcome: 'unknown', missing: undefined }
}

/** The servers of the zone: its glue, otherwise the addresses of its first names. Found once for each check. */
export function serversOf(inquiry: Inquiry, zone: ZoneCut): Promise<ServerAddress[]> {
  let servers = inquiry.servers.get(zone)
  if (!servers) {
    servers = findServers(inquiry, zone, [])
    inquiry.servers.set(zone, servers)
  }
  return servers
}

async function findServers(
  inquiry: Inquiry,
  zone: ZoneCut,
  pending: Pending,
): Promise<ServerAddress[]> {
  const { network } = inquiry
  if (zone.apex === '') return network.roots.filter(({ address }) => isAskable(inquiry, address))
  const parents = zone.parentNames.flatMap((name) =>
    toServers(inquiry, name, zone.glue.get(name) ?? []),
  )
  if (parents.length > 0) return parents
  const names = zone.parentNames.slice(0, maxNamesTried)
  const addressesOf = async (name: string) =>
    toServers(inquiry, name, await findAddresses(inquiry, name, zone.apex, pending))
  // All of them are needed in the end, and the first may not answer.
  if (pending.length === 0) return (await Promise.all(names.map(addressesOf))).flat()
  for (const name of names) {
    const addresses = await addressesOf(name)
    if (addresses.length > 0) return addresses
  }
  return []
}

/**
 * Addresses of a name server of `zone`, from the cache, the resolver, or the tree. Empty when there are none: a name
 * within the zone itself cannot be found without the zone.
 */
async function findAddresses(
  inquiry: Inquiry,
  name: string,
  zone: string,
  pending: Pending = [],
): Promise<string[]> {
  const { network, freshFrom } = inquiry
  const mayCache = freshFrom !== undefined && !isWithin(name, freshFrom)
  const cached = mayCache ? network.cache?.findAddresses(name) : undefined
  if (cached) return cached
  const { resolver } = network
  const resolved = resolver && (await resolveAddresses(inquiry, name, resolver))
  const addresses = resolved ?? (await findFromRoot(inquiry, name, zone, pending))
  const texts = addresses.map(({ address }) => address)
  if (mayCache && addresses.length > 0) {
    const ttlSeconds = Math.min(...addresses.map((record) => record.ttlSeconds))
    network.cache?.keepAddresses(name, texts, ttlSeconds)
  }
  return texts
}

async function findFromRoot(inquiry: Inquiry, name: string, zone: string, pending: Pending) {
  const isLoop = isWithin(name, zone) || pending.includes(name)
  if (isLoop || pending.length >= maxDepth) return []
  const deeper = [...pending, name]
  const { cuts, outcome } = await descend(inquiry, name, deeper)
  if (outcome === 'unknown') return []
  const last = cuts.at(-1) ?? cuts[0]
  return await askAddresses(inquiry, name, last.apex, await findServers(inquiry, last, deeper))
}

type AddressType = 'A' | 'AAAA'

/** The types of addresses that this machine can reach. */
export function addressTypes({ network }: Inquiry): AddressType[] {
  return network.hasIpv6 ? ['A', 'AAAA'] : ['A']
}

/** The addresses that may be queried and that this machine can reach, with their ports. */
function toServers(inquiry: Inquiry, name: string, addresses: string[]): ServerAddress[] {
  return addresses.flatMap((address) => {
    const port = inquiry.network.portOf(address)
    return port === undefined || !isAskable(inquiry, address) ? [] : [{ name, address, port }]
  })
}

function isAskable({ network }: Inquiry, address: string): boolean {
  return network.hasIpv6 || !address.includes(':') || address === '::1'
}

/** The zone with this apex, if this check has found it, or if it may be taken from the cache. */
export function findKnownZone(inquiry: Inquiry, apex: string): ZoneCut | undefined {
  const zone = inquiry.zones.get(apex)
  if (zone) return zone
  return isCacheable(inquiry, apex) ? inquiry.network.cache?.findZone(apex) : undefined
}

/** The deepest zone above the name that is known. */
export function startFor(inquiry: Inquiry, name: string): ZoneCut {
  for (let above: string | undefined = name; above !== undefined; above = parentOf(above)) {
    const zone = findKnownZone(inquiry, above)
    if (zone) return zone
  }
  const ttlSeconds = rootTtlSeconds
  return { apex: '', parentNames: [], isDelegated: true, glue: new Map(), ttlSeconds }
}

function remember(inquiry: Inquiry, cut: ZoneCut): void {
  inquiry.zones.set(cut.apex, cut)
  if (isCacheable(inquiry, cut.apex)) inquiry.network.cache?.keepZone(cut)
}

/** Whether it may be cached: top-level domains, and zones outside the domain that is checked. */
function isCacheable({ freshFrom }: Inquiry, apex: string): boolean {
  if (freshFrom === undefined) return !apex.includes('.')
  return !isWithin(apex, freshFrom)
}

function soaIn(response: DnsResponse, name: string) {
  const records = recordsOfType([...response.answers, ...response.authorities], 'SOA')
  return records.find((record) => isWithin(name, record.name))
}
