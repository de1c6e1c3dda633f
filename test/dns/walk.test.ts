// The walk among servers that lie, are slow or silent: it ends in time, accepts records only from servers of the zone,
// and reports the status of each server.
import { beforeEach, expect, test } from 'vitest'
import { askFactsAtServers, stateOf } from '#dns/name-servers/name-facts.ts'
import { createDnsNetwork, createZoneCache, type ZoneCache } from '#dns/queries/dns-network.ts'
import { type InquiryOptions, startInquiry } from '#dns/queries/inquiry.ts'
import { resolveFromZone } from '#dns/resolution/look-up.ts'
import { delegationOf, walk } from '#dns/walk/walk.ts'
import {
  a,
  cname,
  ns,
  soa,
  startTestServer,
  type TestReply,
  type TestScript,
  type TestServer,
} from './test-server.ts'

const servers: TestServer[] = []
beforeEach(() => void servers.splice(0))

/** Starts a server for each script, on 127.0.1.1, 127.0.1.2, …; a script may refer to the others. */
async function serve(...scripts: TestScript[]): Promise<TestServer[]> {
  for (const [index, script] of scripts.entries()) {
    servers.push(await startTestServer(`127.0.1.${index + 1}`, script))
  }
  return servers
}

function inquire(options: Partial<InquiryOptions> & { cache?: ZoneCache } = {}) {
  const [root] = servers
  const { cache, ...rest } = options
  const network = createDnsNetwork({
    roots: root ? [root] : [],
    hasIpv6: false,
    allow: servers.map(({ address, port }) => `${address}:${port}`),
    ...(cache && { cache }),
  })
  return startInquiry({ network, clock: () => 0, timeoutsMs: [400, 400], ...rest })
}

/** A delegation to servers 2, 3, … of this file, each with glue. */
function referral(zone: string, ...numbers: number[]): TestReply {
  return {
    isAuthoritative: false,
    authorities: numbers.map((number) => ns(zone, `ns${number}.${zone}`)),
    additionals: numbers.map((number) => a(`ns${number}.${zone}`, `127.0.1.${number}`)),
  }
}

/** Answers for `example.test`: its SOA and NS records, `docs` as an alias, nothing else. */
const zone: TestScript = ({ name, type }) => {
  if (name === 'docs.example.test') return { answers: [cname(name, 'edge.host')] }
  if (name === 'example.test' && type === 'SOA') return { answers: [soa(name, 30)] }
  if (name === 'example.test' && type === 'NS') {
    return { answers: servers.slice(1).map((_, index) => ns(name, `ns${index + 2}.example.test`)) }
  }
  return { rcode: name === 'example.test' ? 0 : 3, authorities: [soa('example.test', 30)] }
}

test('servers that are silent, closed, refusing, failing, lame and without data are reported as such', async () => {
  await serve(
    () => referral('example.test', 2, 3, 4, 5, 6, 7),
    () => 'silent',
    () => ({ rcode: 5, isAuthoritative: false }),
    () => ({ rcode: 2, isAuthoritative: false }),
    () => ({ isAuthoritative: false, authorities: [ns('', 'ns.root')] }),
    zone,
    () => ({ rcode: 3, authorities: [soa('example.test', 30)] }),
  )
  const inquiry = inquire()
  const found = await walk(inquiry, 'docs.example.test')
  expect(found).toMatchObject({ outcome: 'found', apex: 'example.test' })
  expect(found.servers).toHaveLength(6)
  const facts = await askFactsAtServers(inquiry, found.servers, 'docs.example.test')
  const states = facts.map(({ facts }) => stateOf(facts))
  expect(states.join(', ')).toBe('timeout, refused, error, lame, ok, ok')
  const nothing = { kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 30 }
  expect(facts.at(-1)?.facts).toEqual(nothing)
  expect(inquiry.isCutShort).toBe(false)
})

test('seven silent servers of eight cost one time-out, not seven', async () => {
  const silent: TestScript[] = Array(7).fill(() => 'silent')
  await serve(() => referral('example.test', 2, 3, 4, 5, 6, 7, 8, 9), zone, ...silent)
  const inquiry = inquire()
  const start = performance.now()
  const found = await walk(inquiry, 'docs.example.test')
  const facts = await askFactsAtServers(inquiry, found.servers, 'docs.example.test')
  expect(performance.now() - start).toBeLessThan(2000)
  expect(facts.filter(({ facts }) => stateOf(facts) === 'timeout')).toHaveLength(7)
})

test('the last of eight servers is found after seven silent ones', async () => {
  const silent: TestScript[] = Array(7).fill(() => 'silent')
  await serve(() => referral('example.test', 2, 3, 4, 5, 6, 7, 8, 9), ...silent, zone)
  const inquiry = inquire({ timeoutsMs: [5000, 5000] })
  expect((await walk(inquiry, 'docs.example.test')).outcome).toBe('found')
  // Servers whose query was aborted because another answered are not reported as silent.
  const given = inquiry.exchanges.filter(({ failure }) => failure !== undefined)
  expect(new Set(given.map(({ failure }) => failure))).toEqual(new Set(['cancelled']))
})

/** Without the AA flag. */
const unsure = (reply: TestReply) => (): TestReply => ({ isAuthoritative: false, ...reply })

test.each([
  ['to itself', () => referral('test', 2)],
  ['up to the root', unsure({ authorities: [ns('', 'ns.root')] })],
  ['to another domain', () => referral('other.test', 2)],
  ['below the name', () => referral('x.docs.example.test', 2)],
  ['replaced by the SOA of another zone', unsure({ authorities: [soa('')] })],
  ['replaced by a cache', unsure({ offersRecursion: true, authorities: [soa('test')] })],
] satisfies [string, TestScript][])('a referral %s is ignored', async (_, liar) => {
  await serve(() => referral('test', 2), liar)
  const inquiry = inquire()
  const found = await walk(inquiry, 'docs.example.test')
  expect(found).toMatchObject({ outcome: 'unknown', apex: 'test' })
  expect(delegationOf(found, 'example.test')).toBe('unknown')
  expect(inquiry.queries).toBeLessThan(8)
})

test('glue for names of other zones is ignored', async () => {
  await serve(
    ({ name }) => (name === 'test' ? referral('test', 2) : { rcode: 3, authorities: [soa('')] }),
    ({ name }) => ({
      isAuthoritative: false,
      authorities: name === 'example.test' ? [ns('example.test', 'ns.victim.org')] : [],
      additionals: [a('ns.victim.org', '127.0.1.3')],
    }),
    zone,
  )
  const found = await walk(inquire(), 'docs.example.test')
  expect(found).toMatchObject({ outcome: 'unknown', servers: [] })
  expect(servers[2]?.queries).toEqual([])
})

test('name servers that depend on each other end in time', async () => {
  await serve(
    () => referral('test', 2),
    ({ name }) => {
      const [zone = '', letter] = /circle-(a|b)\.test$/.exec(name) ?? []
      if (!letter) return { rcode: name === 'test' ? 0 : 3, authorities: [soa('test')] }
      const other = `ns.circle-${letter === 'a' ? 'b' : 'a'}.test`
      return { isAuthoritative: false, authorities: [ns(zone, other)] }
    },
  )
  const inquiry = inquire()
  const found = await walk(inquiry, 'www.circle-a.test')
  expect(found).toMatchObject({ outcome: 'unknown', apex: 'circle-a.test', servers: [] })
  expect(inquiry.queries).toBeLessThan(20)
})

test('a zone that names private addresses has no usable servers', async () => {
  await serve(({ name }) =>
    name === 'test'
      ? referral('test', 1)
      : {
          isAuthoritative: false,
          authorities: [ns('example.test', 'ns.example.test')],
          additionals: [a('ns.example.test', '10.0.0.1'), a('ns.example.test', '127.0.0.9')],
        },
  )
  const inquiry = inquire()
  const found = await walk(inquiry, 'docs.example.test')
  expect(found).toMatchObject({ outcome: 'unknown', servers: [] })
  const asked = new Set(inquiry.exchanges.map(({ server }) => server.address))
  expect([...asked]).toEqual(['127.0.1.1'])
})

test('a wrong NXDOMAIN for an empty non-terminal', async () => {
  await serve(
    () => referral('example.test', 2),
    ({ name }) =>
      name === 'a.b.example.test'
        ? { answers: [a(name, '192.0.2.1')] }
        : zone({ name, type: 'SOA' } as Parameters<TestScript>[0]),
  )
  const found = await walk(inquire(), 'a.b.example.test')
  expect(found).toMatchObject({ outcome: 'found', apex: 'example.test', missing: undefined })
})

test('a name server that only the zone itself lists', async () => {
  await serve(
    () => referral('example.test', 2),
    (query) =>
      query.name === 'ns3.example.test' && query.type === 'A'
        ? { answers: [a(query.name, '127.0.1.3')] }
        : zone(query),
    zone,
  )
  const found = await walk(inquire(), 'docs.example.test')
  expect(found.parentNames).toEqual(['ns2.example.test'])
  expect(found.ownNames).toEqual(['ns2.example.test', 'ns3.example.test'])
  expect(found.servers.map(({ address }) => address)).toEqual(['127.0.1.2', '127.0.1.3'])
})

test('a chain of nine aliases is too long, one of eight is not', async () => {
  const chain: TestScript = ({ name }) => {
    const number = Number(/^n(\d)/.exec(name)?.[1])
    if (Number.isNaN(number)) return zone({ name, type: 'SOA' } as Parameters<TestScript>[0])
    return number === 9
      ? { answers: [a(name, '192.0.2.1')] }
      : { answers: [cname(name, `n${number + 1}.example.test`)] }
  }
  await serve(() => referral('example.test', 2), chain)
  const from = (number: number) =>
    resolveFromZone(inquire(), { name: `n${number}.example.test`, type: 'A' })
  expect(await from(1)).toMatchObject({ outcome: 'records', fault: undefined, ttlSeconds: 60 })
  expect(await from(0)).toMatchObject({ outcome: 'failure', fault: 'too long' })
})

test('SERVFAIL of every server is SERVFAIL, not silence', async () => {
  await serve(
    () => referral('example.test', 2),
    (query) => (query.type === 'CAA' ? { rcode: 2, isAuthoritative: false } : zone(query)),
  )
  const found = await resolveFromZone(inquire(), { name: 'www.example.test', type: 'CAA' })
  expect(found).toMatchObject({ outcome: 'failure', rcode: 'SERVFAIL' })
})

test('the upper part of the tree is cached for many checks, the domain itself is not', async () => {
  await serve(
    ({ name }) => (name === 'test' ? referral('test', 2) : 'silent'),
    () => referral('example.test', 3),
    zone,
  )
  let now = 0
  const cache = createZoneCache({ clock: () => now })
  for (let check = 0; check < 3; check++) {
    await walk(inquire({ cache, freshFrom: 'example.test' }), 'docs.example.test')
  }
  const [root, registry, domain] = servers
  expect(root?.queries).toHaveLength(1)
  expect(registry?.queries).toHaveLength(3)
  // SOA and NS, and both types of addresses of the name server that has none.
  expect(domain?.queries).toHaveLength(12)
  now = 61_000
  await walk(inquire({ cache, freshFrom: 'example.test' }), 'docs.example.test')
  expect(root?.queries).toHaveLength(2)
})

test('reaching the maximum of queries on the way is reported', async () => {
  await serve(({ name }) => (name === 'test' ? referral('test', 2) : 'silent'), zone)
  const inquiry = inquire({ maxQueries: 1 })
  expect((await walk(inquiry, 'docs.example.test')).outcome).toBe('unknown')
  expect(inquiry).toMatchObject({ isCutShort: true, queries: 1 })
})
