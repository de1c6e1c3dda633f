// Gathers the evidence for the doctor: the zone and all its name servers, the answer of each for the host, the
// public resolver's answer, CAA, and whether requests arrive. Limited to 40 queries and 5 s, and as many queries again
// for CAA and DNSSEC that these did not suffice for; isCutShort says when the limit was hit. A whole check of a host, as
// the command, the Verify button and the background have it, also applies planned records and judges.

import { randomBytes } from 'node:crypto'
import { getServers } from 'node:dns'
import { type CaaStep, findCaa } from '#dns/caa/find-caa.ts'
import { isWithin, parentOf } from '#dns/messages/dns-name.ts'
import { type RecordType, recordsOfType, type ServerAddress } from '#dns/messages/exchange.ts'
import {
  type AddressRecord,
  askFactsAtServers,
  type NameFacts,
  queryNameFacts,
  stateOf,
} from '#dns/name-servers/name-facts.ts'
import { createDnsNetwork, createZoneCache, type DnsNetwork } from '#dns/queries/dns-network.ts'
import { type Inquiry, startInquiry } from '#dns/queries/inquiry.ts'
import { findHttps } from '#dns/resolution/find-https.ts'
import {
  type Resolution,
  type ResolveQuestion,
  resolve,
  resolveFromZone,
} from '#dns/resolution/look-up.ts'
import { delegationOf, type Walk, walk } from '#dns/walk/walk.ts'
import {
  type ClaimFacts,
  type Evidence,
  evidenceFormat,
  findProvider,
  type PlatformFacts,
  type PreparationFacts,
  type ServerView,
  type Subject,
  type WantedChallenge,
  type ZoneFacts,
} from '#doctor/evidence.ts'
import { applyPlannedRecords, type Plan } from '#doctor/plan-records.ts'
import { isSameResponse } from '#doctor/reading.ts'
import { judge } from '#doctor/rules/judge.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import { readAddressPort } from '#kit/network/addresses.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import { type ProbePorts, probe, probePortsOf } from './fetch-at-address.ts'
import { findBrokenSignatures } from './find-broken-signatures.ts'

/** Queries left for the other names and CAA. */
const reserve = 14

/**
 * What a certificate before the switch depends on: the TXT record of the challenge at every name server of its zone,
 * wildcards that would answer in its place, and CAA as it will be after the switch. It has limits of its own. Never
 * throws because of network failures.
 */
async function gatherPreparation(
  { clock, network, owner, signal }: GatheringContext,
  { host, registrableDomain }: Subject,
  challenge: WantedChallenge,
  platformHost: string,
): Promise<PreparationFacts> {
  const inquiry = startInquiry({ network, clock, freshFrom: registrableDomain, owner, signal })
  const zoneWalk = await walk(inquiry, challenge.name)
  const { apex, servers } = zoneWalk
  const seen = await askFactsAtServers(inquiry, servers, challenge.name, {
    types: ['TXT'],
    reserve,
  })
  const queried = seen.flatMap(({ facts, server }) => {
    return stateOf(facts) === undefined ? [] : [{ server, facts }]
  })
  const witness = queried.find(({ facts }) => facts.kind !== 'failure')?.server
  const ask = async (name: string): Promise<NameFacts | undefined> =>
    witness && (await queryNameFacts(inquiry, witness, name, { types: ['TXT'] }))
  const isKnown = challenge.value !== undefined
  const [wildcard, doubled, atApex, atHost, caaAfter] = await Promise.all([
    ask(`${randomBytes(8).toString('hex')}.${host}`),
    isKnown ? ask(`${challenge.name}.${apex}`) : undefined,
    isKnown && host !== apex ? ask(labelAt(challenge.name, apex)) : undefined,
    isKnown ? ask(host) : undefined,
    findCaaAfter(inquiry, host, zoneWalk.apex === host, platformHost),
  ])
  return { challenge, servers: queried, wildcard, doubled, atApex, atHost, apex, caaAfter }
}

/** The first label of the name at the apex: where a record is created if the subdomain is forgotten. */
const labelAt = (name: string, apex: string) => `${name.split('.')[0]}.${apex}`

/**
 * A host that will be a CNAME has the CAA records of our target, otherwise those of its parents (RFC 8659, section 3).
 * At an apex, which cannot be a CNAME, its own stay.
 */
async function findCaaAfter(
  inquiry: Inquiry,
  host: string,
  isApex: boolean,
  platformHost: string,
): Promise<CaaStep[]> {
  const look = (name: string) => findCaa((question) => resolveFromZone(inquiry, question), name)
  if (isApex) return await look(host)
  const parent = parentOf(host)
  const [ours, above] = await Promise.all([
    look(platformHost),
    parent === undefined ? [] : look(parent),
  ])
  // The parents of an alias's target are not climbed.
  const target = ours.slice(0, 1).map((step) => ({ ...step, isOurTarget: true }))
  return [...target, ...above]
}

export interface Gathering {
  subject: Subject
  platform: Omit<PlatformFacts, 'addresses'> & {
    /** Undefined: look them up. */
    addresses: string[] | undefined
  }
  claim: ClaimFacts
  /** While a certificate is requested before DNS points to us. */
  challenge?: WantedChallenge | undefined
}

export interface GatheringContext {
  network: DnsNetwork
  clock: Clock
  secrets: Secrets
  probePorts: ProbePorts
  signal?: AbortSignal
  /** The account that the check is for: checks and sockets are shared fairly among accounts. */
  owner?: string
  /** Called with each step as it begins. */
  onStep?: (step: string) => void
}

/** Queries reserved for everything except the server views: resolver, target, DNSSEC, siblings, HTTPS, CAA at each label. */
const reserveFor = (host: string) => 24 + host.split('.').length
/** CAA that was not asked within the limits of the check has as many queries, and this time. */
const caaTimeLimitMs = 10_000
/** The maximum number of probed addresses per host. */
const maxProbes = 6
/** Types that may exist beside a CNAME by mistake, and that show what the host is used for. */
const besideAlias: RecordType[] = ['A', 'MX', 'TXT']
/** The number of servers queried for facts that do not depend on propagation. */
const maxWitnesses = 2
/** The number of further name servers queried for the TXT record once one of those has it. */
const maxFurtherVerifications = 4

/** Never throws because of network failures. Concurrent calls queue; the time limit starts after the queue. */
export async function gatherEvidence(context: GatheringContext, gathering: Gathering) {
  const { network, owner = gathering, signal } = context
  const release = await network.checks.acquire(owner, { signal }).catch(() => undefined)
  try {
    return await gatherNow(context, gathering)
  } finally {
    release?.()
  }
}

async function gatherNow(
  context: GatheringContext,
  { challenge, claim, platform, subject }: Gathering,
): Promise<Evidence> {
  const { clock, network, onStep, owner, probePorts, secrets, signal } = context
  const started = performance.now()
  const at = clock()
  const { host, registrableDomain } = subject
  const options = { network, clock, freshFrom: registrableDomain, owner, signal }
  const inquiry = startInquiry(options)
  onStep?.(`Finding the name servers of ${registrableDomain}`)
  const zoneWalk = withoutParents(await walk(inquiry, host), registrableDomain)
  const count = zoneWalk.servers.length
  onStep?.(count === 1 ? 'Asking 1 name server' : `Asking ${count} name servers`)
  // Without the zone's servers, the resolver is the only source.
  const { resolver: recursive } = network
  const lookUpCaa =
    (of: Inquiry): ResolveQuestion =>
    (question) =>
      zoneWalk.outcome === 'unknown' && recursive
        ? resolve(of, recursive, question)
        : resolveFromZone(of, question)
  const findCaaWith = (of: Inquiry) =>
    findCaa(lookUpCaa(of), host, (name) => name === platform.host)
  // CAA first: the queries for an authority are not spent on the rest.
  const caaFirst = findCaaWith(inquiry)
  const viewing = viewResolver(inquiry, host)
  const chain = viewing.then((view) => view.chain)
  const findDnssecWith = async (of: Inquiry): ReturnType<typeof findBrokenSignatures> =>
    recursive
      ? await findBrokenSignatures(of, recursive, { apex: zoneWalk.apex, chain, host })
      : { dnssec: 'unknown', isCut: false }
  const [firstCaa, servers, resolver, platformAddresses, firstDnssec, https] = await Promise.all([
    caaFirst,
    viewServers(inquiry, zoneWalk, subject, platform.verification?.name),
    viewing,
    platform.addresses ?? viewResolver(inquiry, platform.host).then(({ addresses }) => addresses),
    findDnssecWith(inquiry),
    findHttps((question) => resolveFromZone(inquiry, question), host),
  ])
  const led = https.flatMap(({ addresses, hints }) => [...hints, ...addresses])
  const own = addressesToProbe(servers, resolver.addresses)
  const addresses = [...new Set([...own, ...led])].slice(0, maxProbes)
  if (addresses.length > 0) onStep?.(`Asking ${addresses.join(', ')} by HTTP`)
  const [nameServers, probes, preparation] = await Promise.all([
    isOtherView(servers, resolver.view) && recursive
      ? findCachedServers(inquiry, recursive, zoneWalk.apex)
      : undefined,
    Promise.all(
      addresses.map(async (address) => ({
        ...(await probe(host, address, secrets, probePorts, network.hasIpv6)),
        ...(!own.includes(address) && { isOfHttps: true }),
      })),
    ),
    challenge && gatherPreparation(context, subject, challenge, platform.host),
  ])
  // An authority is asked only after a whole walk.
  const isCaaCut = firstCaa.at(-1)?.rcode === 'not-asked'
  const { exchanges, zones } = inquiry
  const more = { ...startInquiry({ ...options, timeLimitMs: caaTimeLimitMs }), exchanges, zones }
  const caa = isCaaCut ? await findCaaWith(more) : firstCaa
  const { isCut, ...dnssec } = firstDnssec.isCut ? await findDnssecWith(more) : firstDnssec
  return {
    format: evidenceFormat,
    at,
    durationMs: Math.round(performance.now() - started),
    queries: inquiry.queries + more.queries,
    isCutShort: inquiry.isCutShort,
    subject,
    platform: { ...platform, addresses: platformAddresses },
    claim,
    zone: { ...zoneFacts(zoneWalk, registrableDomain), ...dnssec },
    servers,
    resolver: resolver.view && { ...resolver.view, ...(nameServers && { nameServers }) },
    caa,
    ...(https.length > 0 && { https }),
    chain: resolver.chain,
    probes,
    ...(preparation && { preparation }),
    exchanges: inquiry.exchanges,
  }
}

/** Whether the walk came to the zone of the host, if its servers answer or not. */
const isDelegated = ({ apex, outcome }: Walk, registrableDomain: string) =>
  outcome === 'found' || isWithin(apex, registrableDomain)

/** The servers of a zone above, which gave no answer, are none of the host's. */
function withoutParents(found: Walk, registrableDomain: string): Walk {
  if (isDelegated(found, registrableDomain)) return found
  return { ...found, ownNames: [], parentNames: [], servers: [], unusable: [] }
}

function zoneFacts(found: Walk, registrableDomain: string): Omit<ZoneFacts, 'dnssec'> {
  const { apex, outcome, ownNames, parentNames, unusable } = found
  const nameServers = ownNames.length > 0 ? ownNames : parentNames
  return {
    delegation: delegationOf(found, registrableDomain),
    apex: outcome === 'unknown' ? undefined : apex,
    cut: isDelegated(found, registrableDomain) ? apex : undefined,
    ...{ nameServers, parentNames, ownNames, unusable },
    provider: findProvider(nameServers),
  }
}

async function viewServers(
  inquiry: Inquiry,
  { apex, servers }: Walk,
  { host }: Subject,
  verificationName: string | undefined,
): Promise<ServerView[]> {
  const reserve = reserveFor(host)
  const seen = await askFactsAtServers(inquiry, servers, host, { besideAlias, reserve })
  const queried = seen.flatMap((view) => {
    const state = stateOf(view.facts)
    return state === undefined ? [] : [{ ...view, state }]
  })
  const well = queried.filter(({ state }) => state === 'ok')
  // The fastest servers, to avoid waiting for a slow one again.
  const witnesses = well.toSorted((a, b) => a.ms - b.ms).slice(0, maxWitnesses)
  const randomLabel = randomBytes(8).toString('hex')
  const sibling = `${randomLabel}.${parentOf(host) ?? apex}`
  const first = witnesses[0]
  const views = await Promise.all(
    queried.map(async (view): Promise<ServerView> => {
      const { facts, ms, server, state } = view
      const isFirst = view === first
      // The siblings of an alias were queried already; those of a name without addresses are queried here.
      const isBare = facts.kind === 'nothing' && facts.rcode === 'NOERROR'
      const isAddress = isFirst && facts.kind === 'records' && facts.addresses.length > 0
      const mayHaveOthers = host !== apex && (isBare || isAddress)
      const ask = (name: string, types?: [RecordType, ...RecordType[]]) =>
        queryNameFacts(inquiry, server, name, types ? { types } : {}).then(known)
      const [others, doubled, beside, verification, doubledVerification] = await Promise.all([
        mayHaveOthers && witnesses.includes(view) ? ask(host, ['MX', 'TXT']) : undefined,
        isFirst ? ask(`${host}.${apex}`) : undefined,
        // The siblings of an apex belong to other owners.
        isFirst && host !== apex ? ask(sibling) : undefined,
        verificationName && witnesses.includes(view) ? ask(verificationName, ['TXT']) : undefined,
        verificationName && isFirst ? ask(`${verificationName}.${apex}`, ['TXT']) : undefined,
      ])
      const isMissing = isFirst && host !== apex && verification?.kind === 'nothing'
      const [doubledSibling, apexVerification] = await Promise.all([
        doubled?.kind === 'records' ? ask(`${randomLabel}.${apex}`) : undefined,
        verificationName && isMissing ? ask(labelAt(verificationName, apex), ['TXT']) : undefined,
      ])
      return {
        server,
        state,
        host: withOthers(known(facts), others) ?? { kind: 'failure', reason: 'timeout' },
        doubled,
        ...(doubledSibling ? { doubledSibling } : {}),
        sibling: beside,
        verification,
        ...(doubledVerification ? { doubledVerification } : {}),
        ...(apexVerification ? { apexVerification } : {}),
        ms,
      }
    }),
  )
  return verificationName === undefined
    ? views
    : await viewVerifications(inquiry, views, verificationName)
}

/** A TXT record transfers ownership, so it must be on other name servers too, not only on the fastest. */
async function viewVerifications(
  inquiry: Inquiry,
  views: ServerView[],
  verificationName: string,
): Promise<ServerView[]> {
  if (!views.some(({ verification }) => verification?.kind === 'records')) return views
  const nameOf = ({ server }: ServerView) => server.name ?? server.address
  const names = new Set(views.filter(({ verification }) => verification).map(nameOf))
  const others = views.filter((view, i) => {
    const isFirstOfName = views.findIndex((each) => nameOf(each) === nameOf(view)) === i
    return view.state === 'ok' && isFirstOfName && !names.has(nameOf(view))
  })
  const further = others.slice(0, maxFurtherVerifications)
  return await Promise.all(
    views.map(async (view) => {
      if (!further.includes(view)) return view
      const facts = await queryNameFacts(inquiry, view.server, verificationName, { types: ['TXT'] })
      return { ...view, verification: known(facts) }
    }),
  )
}

/** A name with other records exists, even if it points nowhere. */
function withOthers(facts: NameFacts | undefined, others: NameFacts | undefined) {
  if (others?.kind !== 'records' || others.others.length === 0) return facts
  return facts?.kind === 'records' ? { ...facts, others: others.others } : others
}

/** The result of a query that was skipped because the limit was reached. */
function known(facts: NameFacts): NameFacts | undefined {
  return facts.kind === 'failure' && facts.reason === 'not-asked' ? undefined : facts
}

/** The public resolver's answer, and the CNAME chain from its authoritative servers, without caches. */
async function viewResolver(inquiry: Inquiry, host: string) {
  const { resolver } = inquiry.network
  // Both, whatever this machine reaches: the name servers are asked for both, too.
  const types = ['A', 'AAAA'] as const
  const [truths, seen] = await Promise.all([
    Promise.all(types.map((type) => resolveFromZone(inquiry, { name: host, type }))),
    Promise.all(
      resolver ? types.map((type) => resolve(inquiry, resolver, { name: host, type })) : [],
    ),
  ])
  const addressesIn = (found: Resolution[]) =>
    found.flatMap(({ records }) => recordsOfType(records, 'A', 'AAAA'))
  const addresses = addressesIn([...truths, ...seen]).map(({ address }) => address)
  const [first] = seen
  const { chain } = truths[0] as Resolution
  if (!resolver || !first) return { view: undefined, chain, addresses }
  const { ttlSeconds } = first
  return {
    view: { server: resolver, host: factsOf(first, addressesIn(seen), host), ttlSeconds },
    // That of the resolver, too: servers may differ, and the chain may be one that only it can follow.
    chain: [...chain, ...first.chain],
    addresses,
  }
}

/** Whether the resolver answers something else than each of the zone's servers. */
const isOtherView = (servers: ServerView[], view: Evidence['resolver']) =>
  servers.length > 0 && view && !servers.some(({ host }) => isSameResponse(host, view.host))

/** Where the resolver asks for the zone: while it has an old delegation cached, it will get old answers. */
async function findCachedServers(inquiry: Inquiry, resolver: ServerAddress, apex: string) {
  const { records, ttlSeconds = 0 } = await resolve(inquiry, resolver, { name: apex, type: 'NS' })
  const names = recordsOfType(records, 'NS').map(({ target }) => target)
  return names.length > 0 ? { names, ttlSeconds } : undefined
}

function factsOf(found: Resolution, addresses: AddressRecord[], host: string): NameFacts {
  const { chain, outcome, rcode, ttlSeconds = 0 } = found
  const [link] = chain
  if (link) {
    const alias = { type: 'CNAME', name: host, ttlSeconds, target: link.to } as const
    return { kind: 'records', cname: [alias], addresses: [], others: [] }
  }
  if (addresses.length > 0) return { kind: 'records', cname: [], addresses, others: [] }
  if (outcome === 'nothing') {
    const isNone = rcode === 'NXDOMAIN' ? 'NXDOMAIN' : 'NOERROR'
    return { kind: 'nothing', rcode: isNone, negativeTtlSeconds: found.ttlSeconds }
  }
  return { kind: 'failure', reason: rcode === 'failure' ? 'timeout' : rcode }
}

function addressesToProbe(servers: ServerView[], resolved: string[]): string[] {
  const own = servers.flatMap(({ host }) => (host.kind === 'records' ? host.addresses : []))
  return [...new Set([...own.map(({ address }) => address), ...resolved])].slice(0, maxProbes)
}

/** One per process, as its network. */
export function gatheringContextOf(config: Config, clock: Clock) {
  return {
    network: domainNetwork(config, clock),
    clock,
    secrets: openSecrets(config),
    probePorts: probePortsOf(config),
  }
}

/** One per process: it caches the root and top-level delegations between checks. */
export function domainNetwork(config: Config, clock: () => number): DnsNetwork {
  const { dnsAllow, dnsRoots, dnsServers } = config
  const [resolver] = dnsServers.length > 0 ? dnsServers : systemResolvers()
  return createDnsNetwork({
    ...(dnsRoots.length > 0 ? { roots: dnsRoots } : {}),
    ...(resolver ? { resolver } : {}),
    allow: dnsAllow,
    cache: createZoneCache({ clock }),
  })
}

function systemResolvers(): ServerAddress[] {
  return getServers().flatMap((text) => {
    const read = readAddressPort(text)
    return read ? [{ address: read.address, port: read.port ?? 53 }] : []
  })
}

export type Check = Awaited<ReturnType<typeof checkDomain>>

export async function checkDomain(context: GatheringContext, gathering: Gathering, plan?: Plan) {
  const gathered = await gatherEvidence(context, gathering)
  // `problems`: those of the plan.
  const { evidence, problems } = plan
    ? applyPlannedRecords(gathered, plan)
    : { evidence: gathered, problems: [] }
  return { evidence, judged: judge(evidence), problems }
}

/** The claim of a host that is not added. */
export const noClaim: ClaimFacts = {
  addedAt: undefined,
  isProven: false,
  pointedWhenAdded: false,
  heldByOther: 'no',
  heldBefore: false,
  failingSince: undefined,
  partialSince: undefined,
}

/** The subject of a host that is not added. */
export function unclaimed(config: Config, subject: Subject): Gathering {
  return { subject, platform: platformFactsOf(config), claim: noClaim }
}

/** The facts about this platform, from the configuration. */
export function platformFactsOf(config: Config): Gathering['platform'] {
  const { platformAddresses, platformHost } = config
  return {
    host: platformHost,
    addresses: platformAddresses.length > 0 ? platformAddresses : undefined,
    ownHosts: ownHostsOf(config),
    authorities: [{ domain: 'letsencrypt.org', methods: ['http-01', 'tls-alpn-01'] }],
    verification: undefined,
  }
}
