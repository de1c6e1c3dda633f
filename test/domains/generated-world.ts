// Generated worlds of a host: the owner's zone with all kinds of records, the version of it that late name servers have,
// name servers with faults, a resolver, and other people's zones to which records lead. What servers answer follows from
// the records by the lab's algorithm, so that a fix can be carried out and checked again. Without packets: for those, the
// same zones are put on the name servers of the lab.
import fc from 'fast-check'
import { findCaa } from '#dns/caa/find-caa.ts'
import { isWithin, parentOf } from '#dns/messages/dns-name.ts'
import {
  type DnsRecord,
  type DnsResponse,
  type Question,
  type RecordType,
  recordsOfType,
  recordValue,
} from '#dns/messages/exchange.ts'
import { type NameFacts, withDname } from '#dns/name-servers/name-facts.ts'
import { findHttps } from '#dns/resolution/find-https.ts'
import { follow, type Resolution } from '#dns/resolution/look-up.ts'
import type { Evidence, Probe, ServerView } from '#doctor/evidence.ts'
import { evidence, ourAddress, ourIpv6, target, token } from '#doctor/evidence-in-test.ts'
import type { Fix, PlainRecord } from '#doctor/wording.ts'
import { answerQuestion } from '../../lab/dns/answer-query.ts'
import { zoneHead } from '../../lab/dns/start-dns.ts'
import { createZone, encodeSvcb, type Zone, type ZoneRecord } from '../../lab/dns/zone.ts'

type ServerFault = 'none' | 'lame' | 'refusing' | 'silent' | 'servfail' | 'failing_caa'

export interface World {
  host: string
  /** Of the zone that contains the host. */
  apex: string
  records: ZoneRecord[]
  /** What late name servers still have. */
  before: ZoneRecord[]
  servers: { fault: ServerFault; isLate: boolean }[]
  resolver: 'current' | 'late' | 'fails' | 'none'
  dnssec: Evidence['zone']['dnssec']
  /** What responds to HTTP at an address that is not ours. */
  sites: Record<string, Probe['outcome']>
  platformCaa: 'none' | 'forbids'
  /** Where the limit of queries ended the check: before some name servers, or before CAA was known. */
  cut: 'nowhere' | 'servers' | 'caa'
  claim: Partial<Evidence['claim']>
}

export const foreign = '192.0.2.80'
export const foreignIpv6 = '2606:2800:220::80'
export const relay = '192.0.2.90'
export const cloudflare = '104.16.1.1'
export const oldPlatform = 'sites.burrow.example'
const parked = 'parking.gulls.example'
/** A name of another owner, which leads to us. */
const way = 'way.gulls.example'
const ttlSeconds = 300

const a = (name: string, address: string): ZoneRecord => {
  return { name, ttlSeconds, type: address.includes(':') ? 'AAAA' : 'A', address }
}
const leading = (type: 'CNAME' | 'ALIAS') => (name: string, target: string) => {
  return { name, ttlSeconds, type, target } as const
}
const [cname, alias] = [leading('CNAME'), leading('ALIAS')]
const txt = (name: string, text: string): ZoneRecord => {
  return { name, ttlSeconds, type: 'TXT', strings: [text] }
}
const mx = (name: string): ZoneRecord => {
  return { name, ttlSeconds, type: 'MX', preference: 10, target: 'mail.gulls.example' }
}
const caa = (name: string, text: string): ZoneRecord => {
  const [, flags, tag = '', value = ''] = /^(\d+) (\w+) "(.*)"$/.exec(text) ?? []
  return { name, ttlSeconds, type: 'CAA', flags: Number(flags), tag, value }
}
const https = (name: string, priority: number, to: string, parameters = ''): ZoneRecord => {
  return { name, ttlSeconds, type: 'HTTPS', priority, target: to, parameters }
}

/** Zones of others. */
const others = (platformCaa: World['platformCaa']): Zone[] => {
  const zone = (name: string, records: ZoneRecord[]): Zone =>
    createZone(name, [...zoneHead(name, 1, [`ns1.${name}`]), ...records])
  return [
    zone('example', []),
    zone('animals.example', [
      a(target, ourAddress),
      a(target, ourIpv6),
      ...(platformCaa === 'forbids' ? [caa(target, '0 issue "other.example"')] : []),
    ]),
    zone('burrow.example', [a(oldPlatform, foreign), a(oldPlatform, foreignIpv6)]),
    zone('gulls.example', [a(parked, foreign), cname(way, target)]),
  ]
}

/** Zones are read for each of many questions. */
const othersOf = { none: others('none'), forbids: others('forbids') }
const zones = new WeakMap<ZoneRecord[], Zone>()

function zoneOf({ apex }: World, records: ZoneRecord[]): Zone {
  const made =
    zones.get(records) ?? createZone(apex, [...zoneHead(apex, 1, serverNames), ...records])
  zones.set(records, made)
  return made
}

const serverNames = ['ns1.gulls.example', 'ns2.gulls.example', 'ns3.gulls.example']

/** From the zones of all, with the owner's in this version. */
function answerFrom(world: World, records: ZoneRecord[], question: Question): DnsResponse {
  const all = [...othersOf[world.platformCaa], zoneOf(world, records)]
  const found = answerQuestion(all, { ...question, wantsDnssec: false })
  const { alias: flattened } = found
  const expanded = flattened
    ? answerFrom(world, records, { ...question, name: flattened.target })
    : undefined
  const addresses = recordsOfType(expanded?.answers ?? [], 'A', 'AAAA')
  const answers = [
    ...found.answers.map(asSent),
    ...addresses.map((record) => ({ ...record, name: flattened?.name ?? '' })),
  ]
  return {
    rcode: found.rcode === 'BADVERS' ? 'FORMERR' : found.rcode,
    isAuthoritative: found.isAuthoritative,
    isTruncated: false,
    offersRecursion: false,
    isAuthenticated: false,
    answers,
    authorities: answers.length > 0 ? [] : found.authorities.map(asSent),
    additionals: [],
    extendedErrors: [],
  }
}

function asSent(record: ZoneRecord): DnsRecord {
  if (record.type !== 'HTTPS') return record as DnsRecord
  const { name } = record
  const data = 'data' in record ? record.data : encodeSvcb(record).toString('hex')
  return { name, ttlSeconds, type: 'HTTPS', data }
}

const isSilent: Record<ServerFault, (type: RecordType) => NameFacts | undefined> = {
  none: () => undefined,
  lame: () => ({ kind: 'failure', reason: 'lame' }),
  refusing: () => ({ kind: 'failure', reason: 'REFUSED' }),
  silent: () => ({ kind: 'failure', reason: 'timeout' }),
  servfail: () => ({ kind: 'failure', reason: 'SERVFAIL' }),
  failing_caa: (type) => (type === 'CAA' ? { kind: 'failure', reason: 'SERVFAIL' } : undefined),
}

/** The records of a name at one version of the zone, of these types. */
function factsIn(
  world: World,
  records: ZoneRecord[],
  name: string,
  types: RecordType[],
): NameFacts {
  const found: DnsRecord[] = []
  let rcode: 'NOERROR' | 'NXDOMAIN' = 'NXDOMAIN'
  for (const type of types) {
    const response = answerFrom(world, records, { name, type })
    if (!response.isAuthoritative) return { kind: 'failure', reason: 'lame' }
    if (response.rcode === 'NOERROR') rcode = 'NOERROR'
    for (const record of response.answers) {
      const isNew = !found.some(
        (each) => each.type === record.type && recordValue(each) === recordValue(record),
      )
      if (record.name !== name || !isNew) continue
      found.push(record.type === 'CNAME' ? withDname(record, response.answers) : record)
    }
  }
  if (found.length === 0) return { kind: 'nothing', rcode, negativeTtlSeconds: 60 }
  return {
    kind: 'records',
    cname: recordsOfType(found, 'CNAME'),
    addresses: recordsOfType(found, 'A', 'AAAA'),
    others: found.filter(({ type }) => !['A', 'AAAA', 'CNAME'].includes(type)),
  }
}

/** The servers that were asked for addresses, and answered. */
export function answeringServers({ cut, servers }: World): World['servers'] {
  const asked = cut === 'servers' ? servers.slice(1) : servers
  return asked.filter(({ fault }) => isSilent[fault]('A') === undefined)
}

/** At the authoritative servers of every zone, without caches. */
export function resolveIn(world: World, question: Question): Promise<Resolution> {
  const working = world.servers.filter(({ fault }) => !isSilent[fault](question.type))
  return follow(question, async (each) => {
    if (!isWithin(each.name, world.apex)) return answerFrom(world, world.records, each)
    const [first] = working
    return first ? answerFrom(world, first.isLate ? world.before : world.records, each) : 'failure'
  })
}

/** What a check finds. */
export async function evidenceIn(world: World): Promise<Evidence> {
  const { apex, host } = world
  const base = evidence({ host }).evidence
  const verificationName = `_animal-store.${host}`
  const sibling = `z1z2z3.${parentOf(host)}`
  let isFirst = true
  const servers = world.servers.map(({ fault, isLate }, index): ServerView => {
    const records = isLate ? world.before : world.records
    const at = (name: string, ...types: RecordType[]) => factsIn(world, records, name, types)
    const failed = isSilent[fault]('A')
    const n = index + 1
    const server = { name: `ns${n}.gulls.example`, address: `203.0.113.${n}`, port: 53 }
    const none = { doubled: undefined, sibling: undefined, verification: undefined, ms: 3 }
    if (failed?.kind === 'failure') {
      const states: Partial<Record<string, ServerView['state']>> = {
        lame: 'lame',
        REFUSED: 'refused',
        timeout: 'timeout',
      }
      return { server, state: states[failed.reason] ?? 'error', host: failed, ...none }
    }
    const view: ServerView = {
      ...{ server, state: 'ok', ms: 3 },
      host: at(host, 'A', 'AAAA', 'MX', 'TXT'),
      doubled: isFirst ? at(`${host}.${apex}`, 'A', 'AAAA') : undefined,
      sibling: isFirst && host !== apex ? at(sibling, 'A', 'AAAA') : undefined,
      verification: at(verificationName, 'TXT'),
      ...(isFirst && { doubledVerification: at(`${verificationName}.${apex}`, 'TXT') }),
    }
    if (view.doubled?.kind === 'records') view.doubledSibling = at(`z1z2z3.${apex}`, 'A', 'AAAA')
    isFirst = false
    return view
  })
  const question = { name: host, type: 'A' } as const
  const truth = await resolveIn(world, question)
  const late = await follow(question, async (each) => answerFrom(world, world.before, each))
  const steps = await findCaa(
    (question) => resolveIn(world, question),
    host,
    (name) => name === target,
  )
  const probed = new Set<string>()
  for (const { host: facts } of servers) {
    if (facts.kind === 'records') for (const { address } of facts.addresses) probed.add(address)
  }
  for (const type of ['A', 'AAAA'] as const) {
    const { records } = await resolveIn(world, { name: host, type })
    for (const { address } of recordsOfType(records, 'A', 'AAAA')) probed.add(address)
  }
  const https = await findHttps((question) => resolveIn(world, question), host)
  const own = new Set(probed)
  for (const { addresses, hints } of https)
    for (const address of [...hints, ...addresses]) probed.add(address)
  const isOurs = (address: string) => address === ourAddress || address === ourIpv6
  return {
    ...base,
    claim: { ...base.claim, ...world.claim },
    zone: { ...base.zone, apex, nameServers: serverNames, dnssec: world.dnssec },
    servers: world.cut === 'servers' ? servers.slice(1) : servers,
    resolver: resolverView(world, base.resolver),
    isCutShort: world.cut !== 'nowhere',
    caa:
      world.cut === 'caa'
        ? steps.slice(0, 1).map((step) => ({ ...step, rcode: 'not-asked', records: [] }))
        : steps,
    https,
    chain: [...truth.chain, ...(world.resolver === 'late' ? late.chain : [])],
    probes: [...probed].map((address): Probe => {
      const outcome = isOurs(address) ? ({ kind: 'platform' } as const) : world.sites[address]
      const isOfHttps = !own.has(address) && { isOfHttps: true }
      return { address, outcome: outcome ?? { kind: 'no answer', reason: 'timeout' }, ...isOfHttps }
    }),
  }
}

function resolverView(world: World, usual: Evidence['resolver']): Evidence['resolver'] {
  if (world.resolver === 'none' || usual === undefined) return undefined
  const { server } = usual
  const failed: NameFacts = { kind: 'failure', reason: 'SERVFAIL' }
  const isDead = world.resolver === 'current' && answeringServers(world).length === 0
  if (world.resolver === 'fails' || isDead) return { server, host: failed, ttlSeconds: undefined }
  const records = world.resolver === 'late' ? world.before : world.records
  return { server, host: factsIn(world, records, world.host, ['A', 'AAAA']), ttlSeconds: 300 }
}

const { constant, constantFrom, option, record, shuffledSubarray } = fc

/** What a host has: nothing, a CNAME, addresses, an ALIAS, and what must not stand together. */
const holdings = (host: string, apex: string): fc.Arbitrary<ZoneRecord[]> =>
  fc.oneof(
    constant<ZoneRecord[]>([]),
    constantFrom(target, `${target}.${apex}`, way, oldPlatform, `docs.animal.example`, host).map(
      (to): ZoneRecord[] => [cname(host, to)],
    ),
    shuffledSubarray([ourAddress, ourIpv6, foreign, foreignIpv6, relay, cloudflare], {
      minLength: 1,
      maxLength: 3,
    }).map((all) => all.map((address) => a(host, address))),
    constantFrom(target, oldPlatform).map((to): ZoneRecord[] => [alias(host, to)]),
    constantFrom(target, oldPlatform).chain((to) =>
      constantFrom<ZoneRecord[][]>(
        [a(host, foreign)],
        [txt(host, 'v=spf1 -all'), mx(host)],
        [cname(host, parked)],
      ).map((beside) => [cname(host, to), ...beside]),
    ),
    constant<ZoneRecord[]>([mx(host), txt(host, 'v=spf1 -all')]),
    // Where the zone has other names, which a DNAME record at its apex would hide.
    parentOf(host) === apex || host === apex
      ? constant<ZoneRecord[]>([])
      : constantFrom(`new.${apex}`, 'gulls.example').map((to): ZoneRecord[] => [
          { name: parentOf(host) ?? '', ttlSeconds, type: 'DNAME', target: to },
        ]),
  )

const caaSets = [
  [],
  ['0 issue "authority.example"'],
  ['0 issue "other.example"', '0 iodef "mailto:a@gulls.example"'],
  ['0 issue ";"'],
  ['0 issue "authority.example; accounturi=https://authority.example/acct/2"'],
  ['0 issue "authority.example; validationmethods=dns-01"', '0 issuewild "other.example"'],
  ['128 tbs "x"', '0 issue "authority.example"'],
  ['0 issuewild ";"'],
]

/** Records beside those of the host: of the whole zone, and those that a host's fix must not touch. */
function surroundings(host: string, apex: string): fc.Arbitrary<ZoneRecord[]> {
  const verification = `_animal-store.${host}`
  const wild = `*.${host === apex ? apex : parentOf(host)}`
  const maybe = (...of: ZoneRecord[][]) => option(constantFrom(...of), { nil: [], freq: 1 })
  const caaAt = (name: string) => maybe(...caaSets.map((set) => set.map((line) => caa(name, line))))
  const ofZone = [a(apex, foreign), mx(apex), txt(apex, 'v=spf1 -all')]
  const others = [a(`www.${apex}`, foreign), a(`mail.${apex}`, foreign)]
  return fc
    .tuple(
      constant([...(host === apex ? [] : ofZone), ...others]),
      maybe(
        [cname(wild, target)],
        [cname(wild, parked)],
        [a(wild, foreign)],
        [a(wild, ourAddress)],
      ),
      caaAt(apex),
      caaAt(host),
      maybe(
        [txt(verification, token)],
        [txt(verification, 'another value')],
        [txt(verification, `"${token}"`)],
        [txt(`${verification}.${apex}`, token)],
        [cname(verification, parked)],
        [txt(host, token)],
      ),
      maybe([cname(`${host}.${apex}`, target)], [a(`${host}.${apex}`, foreign)]),
      option(
        constantFrom<ZoneRecord[][]>(
          [https(host, 0, oldPlatform)],
          [https(host, 1, '', `ipv4hint=${foreign}`)],
          [https(host, 1, '', 'alpn=h2')],
        ),
        { nil: [], freq: 2 },
      ),
    )
    .map((parts) => parts.flat())
}

/** No two CNAME records of the same value, nor two equal records. */
function distinct(records: ZoneRecord[]): ZoneRecord[] {
  const seen = new Set<string>()
  return records.filter((each) => {
    const key = `${each.name} ${each.type} ${dataOf(each)}`
    return !seen.has(key) && seen.add(key)
  })
}

const places = [
  { host: 'docs.gannet.example', apex: 'gannet.example' },
  { host: 'gannet.example', apex: 'gannet.example' },
  { host: 'docs.team.gannet.example', apex: 'team.gannet.example' },
  { host: 'team.gannet.example', apex: 'team.gannet.example' },
  { host: 'a.docs.gannet.example', apex: 'gannet.example' },
]

const answers: fc.Arbitrary<Probe['outcome']> = constantFrom<Probe['outcome'][]>(
  { kind: 'other', status: 200, server: 'nginx', platform: undefined },
  { kind: 'other', status: 404, server: undefined, platform: 'Burrow' },
  { kind: 'redirect loop', location: 'http://x/' },
  { kind: 'no answer', reason: 'the connection was refused' },
)

/** Mostly healthy servers, so that what is found is about the records. */
const server = record({
  fault: fc.oneof(
    { weight: 6, arbitrary: constant<ServerFault>('none') },
    constantFrom(...(Object.keys(isSilent) as ServerFault[])),
  ),
  isLate: fc.boolean(),
})

export const generatedWorld: fc.Arbitrary<World> = constantFrom(...places).chain(({ apex, host }) =>
  record({
    host: constant(host),
    apex: constant(apex),
    records: fc
      .tuple(holdings(host, apex), surroundings(host, apex))
      .map(([own, all]) => distinct([...own, ...all])),
    before: option(holdings(host, apex), { nil: undefined, freq: 3 }),
    servers: fc.array(server, { minLength: 1, maxLength: 3 }),
    resolver: constantFrom<World['resolver'][]>('current', 'current', 'late', 'fails', 'none'),
    dnssec: constantFrom<World['dnssec'][]>('unsigned', 'fine', 'broken', 'unknown', 'not asked'),
    sites: fc.tuple(answers, answers, answers).map(([first, second, third]) => ({
      [foreign]: first,
      [foreignIpv6]: second,
      [relay]: { kind: 'platform' as const },
      [cloudflare]: third,
    })),
    platformCaa: constantFrom<World['platformCaa'][]>('none', 'none', 'none', 'forbids'),
    cut: constantFrom<World['cut'][]>('nowhere', 'nowhere', 'nowhere', 'servers', 'caa'),
    claim: record({
      isProven: fc.boolean(),
      pointedWhenAdded: fc.boolean(),
      heldByOther: constantFrom('no', 'no', 'no', 'holds', 'claims'),
    }),
  }).map(({ before, ...world }) => {
    const surrounding = world.records.filter(
      ({ name, type }) => name !== world.host || type === 'CAA',
    )
    return { ...world, before: before ? distinct([...before, ...surrounding]) : world.records }
  }),
)

/** As PlainRecord has it. */
export function dataOf(each: ZoneRecord): string {
  if (each.type === 'ALIAS') return each.target
  if (each.type === 'HTTPS')
    return 'data' in each ? each.data : `${each.priority} ${each.target} ${each.parameters}`
  return recordValue(each as DnsRecord)
}

/** The record that a fix names; an ALIAS is its address records to everyone else. */
export function findRecord(
  world: World,
  { name, type, value }: PlainRecord,
  records = world.records,
) {
  return records.find((each) => {
    if (each.name !== name) return false
    if (each.type === type && dataOf(each) === value) return true
    if (each.type !== 'ALIAS' || (type !== 'A' && type !== 'AAAA')) return false
    const { answers } = answerFrom(world, records, { name, type })
    return recordsOfType(answers, type).some(({ address }) => address === value)
  })
}

/**
 * The world after its owner did what the fix says: deleted the records of its list, and those of the host that its text
 * names besides, and added the others.
 */
export function applyFix(world: World, { add, remove, text }: Fix): World {
  const gone = remove.map((each) => findRecord(world, each))
  const isNamed = (each: ZoneRecord): boolean =>
    each.name === world.host && namesOf(world, each).some((name) => text.includes(name))
  const kept = world.records.filter((each) => !gone.includes(each) && !isNamed(each))
  const added = add.map(recordOf).filter(({ name }) => isWithin(name, world.apex))
  return { ...world, records: distinct([...kept, ...added]) }
}

/** As a text calls a record that has to go. */
function namesOf(world: World, each: ZoneRecord): string[] {
  if (each.type === 'MX') return [`MX ${each.target}`]
  if (each.type !== 'ALIAS') {
    const value = dataOf(each)
    return value === target ? [] : [`${each.type} ${value}`, `${each.type} record ${value}`]
  }
  const { answers } = answerFrom(world, world.records, { name: each.name, type: 'A' })
  return recordsOfType(answers, 'A').map(({ address }) => `A record ${address}`)
}

function recordOf({ name, type, value }: PlainRecord): ZoneRecord {
  const makers: Partial<Record<typeof type, typeof a>> = {
    ALIAS: alias,
    CAA: caa,
    CNAME: cname,
    TXT: txt,
  }
  return (makers[type] ?? a)(name, value)
}

/** What others find at a name, for whom nothing may change. */
export function answersAt(world: World, name: string): string[] {
  const types: RecordType[] = ['A', 'AAAA', 'MX', 'TXT']
  return types.flatMap((type) =>
    answerFrom(world, world.records, { name, type }).answers.map(
      (each) => `${each.type} ${recordValue(each)}`,
    ),
  )
}
