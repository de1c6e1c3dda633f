// Finds the zone of a name: its delegation, the name servers that the parent and the zone itself list, and all their
// addresses. Whether a server answers is found out when it is queried for the name (name-facts.ts).
import { isWithin, oneBelow, parentOf } from '../messages/dns-name.ts'
import { type DnsAnswer, type Question, recordsOfType } from '../messages/exchange.ts'
import { ask } from '../queries/ask.ts'
import { askAny } from '../queries/ask-any.ts'
import type { Inquiry } from '../queries/inquiry.ts'
import { glueFor, isAuthoritative, type ZoneCut } from '../queries/zone-cut.ts'
import {
  addressTypes,
  createZone,
  type Descent,
  descend,
  findAddresses,
  serversOf,
  toServers,
} from './descend.ts'

const maxNameServers = 13

export interface Walk
  extends Pick<Descent, 'outcome' | 'missing' | 'soa'>,
    Awaited<ReturnType<typeof completeServers>> {
  name: string
  /** Apexes of the zones from the top down; the last one contains the name. */
  zones: string[]
  apex: string
}

/** Finds the zone of the name, from the forwarders if the network has any, else from the roots. */
export async function walk(inquiry: Inquiry, name: string): Promise<Walk> {
  if (inquiry.network.forwarders.length > 0) return walkForwarded(inquiry, name)
  const { cuts, outcome, missing, soa } = await descend(inquiry, name)
  const zone = cuts.at(-1) ?? cuts[0]
  return {
    name,
    outcome,
    zones: cuts.map(({ apex }) => apex),
    apex: zone.apex,
    missing,
    soa,
    ...(await completeServers(inquiry, zone)),
  }
}

/** `there` when the name is the apex of a zone or exists above the cut; `not there` when its parent denies it. */
export function delegationOf(found: Walk, name: string): 'there' | 'not there' | 'unknown' {
  if (found.zones.includes(name)) return 'there'
  if (found.missing !== undefined && isWithin(name, found.missing)) return 'not there'
  if (found.outcome === 'unknown') return 'unknown'
  // The zone above contains names below it: it exists without a zone of its own.
  return found.missing === undefined || isWithin(found.missing, name) ? 'there' : 'unknown'
}

/** The zone's own list of its servers, and the addresses of all of both lists. */
async function completeServers(inquiry: Inquiry, zone: ZoneCut) {
  const own = await askAny(
    inquiry,
    await serversOf(inquiry, zone),
    { name: zone.apex, type: 'NS' },
    isAuthoritative,
  )
  const ownNames = recordsOfType(own?.answer.answers ?? [], 'NS')
    .filter((record) => record.name === zone.apex)
    .map(({ target }) => target)
  // A zone without a referral is served by the servers that it lists, or by those of its parent if it lists none.
  const parentNames = zone.isDelegated || ownNames.length === 0 ? zone.parentNames : []
  const names = [...new Set([...parentNames, ...ownNames])].sort().slice(0, maxNameServers)
  const ownGlue = glueFor(
    ownNames.filter((server) => isWithin(server, zone.apex)),
    own?.answer.additionals ?? [],
  )
  const found = await Promise.all(
    names.map(async (server) => {
      const known = zone.glue.get(server) ?? ownGlue.get(server)
      const addresses = known ?? (await findOwn(inquiry, server, zone))
      return { server, servers: toServers(inquiry, server, addresses) }
    }),
  )
  return {
    /** Name servers by the parent's delegation, and by the zone itself; where they differ, one is stale. */
    parentNames,
    ownNames,
    /** Every address of every name server, by the order of the names. */
    servers: found.flatMap(({ servers }) => servers),
    /** Name servers without an address that can be queried. */
    unresolved: found.filter(({ servers }) => servers.length === 0).map(({ server }) => server),
  }
}

/** Finds a name server within its own zone, if the referral had no address for it. */
async function findOwn(inquiry: Inquiry, server: string, zone: ZoneCut): Promise<string[]> {
  if (!isWithin(server, zone.apex)) return findAddresses(inquiry, server, zone.apex)
  const servers = await serversOf(inquiry, zone)
  const exchanges = await Promise.all(
    addressTypes(inquiry).map((type) =>
      askAny(inquiry, servers, { name: server, type }, isAuthoritative),
    ),
  )
  const records = exchanges.flatMap((exchange) => exchange?.answer.answers ?? [])
  return recordsOfType(records, 'A', 'AAAA')
    .filter((record) => record.name === server)
    .map(({ address }) => address)
}

/**
 * The zone of a name through a recursive resolver, for networks that cannot reach the root servers: the SOA record
 * that comes with any response tells the zone, its NS records the servers. `zones` has this one zone only.
 */
async function walkForwarded(inquiry: Inquiry, name: string): Promise<Walk> {
  let missing: string | undefined
  for (let above: string | undefined = name; above !== undefined; above = parentOf(above)) {
    const answer = await forward(inquiry, { name: above, type: 'SOA' })
    if (!answer) break
    if (answer.rcode === 'NXDOMAIN') missing = above
    const soa = recordsOfType([...answer.answers, ...answer.authorities], 'SOA').find((record) =>
      isWithin(name, record.name),
    )
    if (!soa) continue
    if (missing !== undefined) {
      const topmost = oneBelow(name, soa.name)
      const above = await forward(inquiry, { name: topmost, type: 'SOA' })
      if (above?.rcode === 'NXDOMAIN') missing = topmost
    }
    const ns = await forward(inquiry, { name: soa.name, type: 'NS' })
    const records = recordsOfType(ns?.answers ?? [], 'NS')
    const parentNames = [...new Set(records.map(({ target }) => target))]
    const ttlSeconds = Math.min(soa.ttlSeconds, ...records.map((record) => record.ttlSeconds))
    const zone = createZone(soa.name, parentNames, ttlSeconds)
    inquiry.zones.set(soa.name, zone)
    const servers = await completeServers(inquiry, zone)
    return { name, outcome: 'found', zones: [soa.name], apex: soa.name, missing, soa, ...servers }
  }
  const servers = { parentNames: [], ownNames: [], servers: [], unresolved: [] }
  return { name, outcome: 'unknown', zones: [], apex: '', missing, soa: undefined, ...servers }
}

/** The first good answer of the forwarders; with CD, so that zones with a broken signature are found, too. */
async function forward(inquiry: Inquiry, question: Question): Promise<DnsAnswer | undefined> {
  for (const server of inquiry.network.forwarders) {
    const options = { wantsRecursion: true, isCheckingDisabled: true }
    const { answer } = await ask(inquiry, server, question, options)
    if (answer?.rcode === 'NOERROR' || answer?.rcode === 'NXDOMAIN') return answer
  }
  return undefined
}
