// The doctor over real packets: what each situation at the name servers, at a proxy or at another platform is judged to be.
// long: a table of situations, then those that change; read from top to bottom.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Answerer, listenDns } from '../../lab/dns/listen-dns.ts'
import { zoneHead } from '../../lab/dns/start-dns.ts'
import type { ZoneRecord } from '../../lab/dns/zone.ts'
import { forward, issueForLab, listen, listenHttps } from '../../lab/web/web-servers.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import type { Given } from './check-host.ts'
import { addRecords, doctorInLab, noon, target, token } from './doctor-in-lab.ts'

const doctor = doctorInLab()
/** Of a front, which nobody verifies. */
const certificate = issueForLab(['front.test'])

beforeEach(() => {
  Object.assign(doctor.lab.proxy, { mode: 'pass_through', serverHeader: 'otter-edge' })
})

const us = `${target}.`
const ourCaa = '0 issue "authority.test"'
const pointed = (zone: BoughtZone) => zone.put('docs', 'CNAME', us)
/** A correct CNAME, and CAA at the apex. */
const caa =
  (...values: string[]) =>
  (zone: BoughtZone) => {
    pointed(zone)
    for (const value of values) zone.put('@', 'CAA', value)
  }
const other = () => doctor.lab.topology.otherPlatform
const viaProxy = (mode: string, serverHeader = 'cloudflare') => {
  return (zone: BoughtZone) => {
    Object.assign(doctor.lab.proxy, { mode, serverHeader })
    zone.put('docs', 'A', doctor.lab.topology.proxy)
  }
}

interface Situation {
  /** The label of the host that is checked: `docs` by default. */
  at?: string
  provider?: 'burrow' | 'pigeon'
  given?: Given
}
type Row = [put: (zone: BoughtZone) => unknown, summary: string, more?: Situation]
const apex: Situation = { at: '@' }
const pigeon: Situation = { provider: 'pigeon' }

const situations: Record<string, Row> = {
  'a lame server, one that refuses, one that fails': [
    (zone) =>
      pointed(zone)
        .server(1, { fault: 'lame' })
        .server(2, { fault: 'refusing' })
        .server(3, { fault: 'servfail' }),
    'ok D03: 3 of 4 name servers of ZONE cannot be used',
  ],
  'name servers that answer without the AA flag': [
    (zone) =>
      pointed(zone).server(1, { fault: 'no_authority' }).server(2, { fault: 'no_authority' }),
    'ok D03: 2 of 2 name servers of ZONE answer without authority',
    pigeon,
  ],
  'a DNAME record above the host': [
    ({ name }) => {
      const record = { ttlSeconds: 300, type: 'DNAME', target: `new.${name}` } as const
      for (const server of ['coo.pigeon.test', 'roo.pigeon.test'])
        addRecords(doctor.lab, server, name, [{ ...record, name: `old.${name}` }])
    },
    'wrong_target D12: docs.old.ZONE points to docs.new.ZONE, and must point to exactly docs.animal-store.test',
    { ...pigeon, at: 'docs.old' },
  ],
  'an old record at one server': [
    (zone) =>
      pointed(zone.put('docs', 'A', '192.0.2.7').server(2, { delay: 'held' }).clear('docs')),
    'partial D08: 1 of 2 name servers have the record',
    pigeon,
  ],
  'some servers with the old address, whose platform keeps the name': [
    (zone) => {
      zone.put('docs', 'A', other()).server(3, { delay: 'held' }).server(4, { delay: 'held' })
      pointed(zone.clear('docs'))
    },
    'partial D08: 2 of 4 name servers have the record',
  ],
  'mail and text next to the CNAME': [
    (zone) => pointed(zone).put('docs', 'TXT', 'v=spf1 -all').put('docs', 'MX', '10 mail.test.'),
    'conflict D11: docs.ZONE has other records beside its CNAME; delete TXT v=spf1 -all',
    pigeon,
  ],
  'nine names, although the last one is ours': [
    (zone) => {
      zone.put('docs', 'CNAME', `a1.${zone.name}`).put('a7', 'CNAME', target)
      for (let i = 1; i < 7; i++) zone.put(`a${i}`, 'CNAME', `a${i + 1}.${zone.name}`)
    },
    'wrong_target D14: The CNAME chain of docs.ZONE has 9 names; delete CNAME a1.ZONE',
  ],
  'an ALIAS whose target cannot be resolved': [
    (zone) => {
      const gone = doctor.buy('pigeon')
      gone.server(1, { fault: 'refusing' }).server(2, { fault: 'refusing' })
      zone.put('@', 'ALIAS', `sites.${gone.name}`)
    },
    'unknown D03: The name servers of ZONE fail when asked for ZONE',
    apex,
  ],
  'a CNAME to the apex, which has an ALIAS': [
    (zone) => zone.put('@', 'ALIAS', target).put('docs', 'CNAME', `${zone.name}.`),
    'ok D13: docs.ZONE points to us through ZONE; delete CNAME ZONE',
  ],
  'IPv6 elsewhere': [
    (zone) => zone.put('@', 'A', '127.0.0.1').put('@', 'AAAA', '2001:db8::7'),
    'conflict D19: IPv6 of ZONE points elsewhere; delete AAAA 2001:db8::7',
    apex,
  ],
  'the name of a proxy that passes requests': [
    (zone) =>
      zone.put('edge', 'A', doctor.lab.topology.proxy).put('docs', 'CNAME', `edge.${zone.name}.`),
    'ok D13: docs.ZONE points to us through edge.ZONE; delete CNAME edge.ZONE',
  ],
  'the name of a proxy that blocks': [
    (zone) => {
      doctor.lab.proxy.mode = 'block_challenges'
      zone.put('edge', 'A', doctor.lab.topology.proxy).put('docs', 'CNAME', `edge.${zone.name}.`)
    },
    'wrong_target D12: docs.ZONE points to edge.ZONE, and must point to exactly docs.animal-store.test; delete CNAME edge.ZONE',
  ],
  'an unknown proxy that fails': [
    viaProxy('origin_error', 'otter-edge'),
    'conflict D10: The A record 127.0.53.90 conflicts; delete A 127.0.53.90',
  ],
  'IPv6 of a proxy, on a machine without IPv6': [
    (zone) => {
      viaProxy('pass_through')(zone)
      zone.put('docs', 'AAAA', '2606:4700::10')
    },
    'ok D20: docs.ZONE points to us through Cloudflare',
    { given: { network: { hasIpv6: false } } },
  ],
  'an HTTPS record beside a CNAME': [
    (zone) => pointed(zone).put('docs', 'HTTPS', '1 sites.dovecote.test. alpn=h2'),
    'ok D26: An HTTPS record of docs.ZONE leads browsers elsewhere',
    pigeon,
  ],
  'a CNAME to an apex of ours, whose HTTPS record leads elsewhere': [
    (zone) => {
      zone.put('@', 'A', '127.0.0.1').put('@', 'HTTPS', '0 sites.dovecote.test.')
      zone.put('docs', 'CNAME', `${zone.name}.`)
    },
    'ok D13 D26: docs.ZONE points to us through ZONE; delete CNAME ZONE',
  ],
  'HTTPS records that lead to us': [
    (zone) =>
      zone
        .put('@', 'A', '127.0.0.1')
        .put('@', 'HTTPS', `1 ${us}`)
        .put('@', 'HTTPS', '2 . alpn=h2,h3 ipv4hint=127.0.0.1'),
    'ok D16: ZONE points to us by its addresses',
    apex,
  ],
  'the HTTPS record of a proxy that passes requests': [
    (zone) => {
      viaProxy('pass_through')(zone)
      zone.put('docs', 'HTTPS', `1 . alpn=h2 ipv4hint=${doctor.lab.topology.proxy}`)
    },
    'ok D20: docs.ZONE points to us through Cloudflare',
  ],
  'a wildcard of ours, for a host that is not added': [
    (zone) => zone.put('*', 'CNAME', target),
    'ok D23: Wildcard *.ZONE points to us',
  ],
  'the closest CAA set, not the one above it': [
    (zone) => {
      zone.put('@', 'CAA', '0 issue "other.test"').put('animals', 'CAA', ourCaa)
      zone.put('docs.animals', 'CNAME', target)
    },
    'ok',
    { at: 'docs.animals' },
  ],
  'name servers that fail CAA queries': [
    (zone) => {
      zone.put('docs', 'A', '127.0.0.1')
      zone.server(1, { fault: 'failing_caa' }).server(2, { fault: 'failing_caa' })
    },
    'ok C06 D16: The name servers fail when asked for CAA at docs.ZONE',
    pigeon,
  ],
  'one name server that fails CAA queries': [
    (zone) => pointed(zone).server(1, { fault: 'failing_caa' }),
    'ok',
    pigeon,
  ],
}

test.each(Object.entries(situations))('%s', async (_, [put, summary, more = {}]) => {
  const { at = 'docs', given, provider } = more
  const zone = doctor.buy(provider)
  put(zone)
  const host = at === '@' ? zone.name : `${at}.${zone.name}`
  expect((await doctor.check(host, given)).summary).toBe(summary)
})

test('a platform host, and an unregistered domain', async () => {
  expect((await doctor.check(target)).summary).toBe(
    'unknown D01: docs.ZONE cannot be a custom domain',
  )
  expect((await doctor.check('docs.unsold.example')).summary).toBe(
    'missing D02: ZONE is not registered, or has expired',
  )
})

describe('one signature is missing, in a zone that is signed', () => {
  const page = (zone: BoughtZone) => zone.put('page', 'CNAME', us)
  test.each<[missing: string, summary: string, more?: (zone: BoughtZone) => unknown]>([
    ['docs.ZONE A', 'unknown D04: DNSSEC of docs.ZONE (A) is broken'],
    ['docs.ZONE CAA', 'ok D04: DNSSEC of docs.ZONE (CAA) is broken'],
    ['ZONE CAA', 'ok D04: DNSSEC of ZONE (CAA) is broken'],
    // A set at the host ends the climb: nobody asks above it.
    [
      'ZONE CAA',
      'ok D16: docs.ZONE points to us by its addresses',
      (zone) => zone.clear('docs').put('docs', 'A', '127.0.0.1').put('docs', 'CAA', ourCaa),
    ],
    [
      'page.ZONE A',
      'unknown D04 D13: DNSSEC of page.ZONE (A) is broken; delete CNAME page.ZONE',
      (zone) => page(zone).clear('docs').put('docs', 'CNAME', `page.${zone.name}.`),
    ],
    [`${target} A`, 'unknown D04: DNSSEC of docs.animal-store.test (A) is broken'],
    ['ZONE SOA', 'unknown D04: DNSSEC of ZONE is broken'],
  ])('%s: %s', async (missing, summary, put) => {
    const zone = pointed(doctor.buy())
    put?.(zone)
    const { bogus } = doctor.lab.dns.resolver
    bogus.add(missing.replace('ZONE', zone.name))
    onTestFinished(() => bogus.clear())
    const seen = await doctor.check(`docs.${zone.name}`)
    expect(seen.summary).toBe(summary)
    expect(seen.evidence.queries).toBeLessThanOrEqual(40)
  })
})

describe('name servers of a delegation', () => {
  const to =
    (...servers: string[]) =>
    (zone: BoughtZone) =>
      void doctor.lab.dns.delegations.set(zone.name, { zone: zone.name, servers })
  const burrow = 'ns1.burrow.test'
  const lost = 'ns1.unsold.example'
  const ask = 'Ask the DNS provider about'
  const correct = 'or correct the delegation of ZONE at its registrar.'

  test.each<[title: string, put: (zone: BoughtZone) => unknown, said: string, fix: string]>([
    [
      'without an address',
      to(lost, 'ns2.unsold.example'),
      '✗ D03 No name server of ZONE can be used: ns1.unsold.example has no address and ns2.unsold.example has no address. The records of the zone are unknown; we will check again.',
      `${ask} ns1.unsold.example and ns2.unsold.example, ${correct}`,
    ],
    [
      'one of two without an address',
      to(burrow, lost),
      '! D03 1 of 5 name servers of ZONE cannot be used: ns1.unsold.example has no address. Visitors and the certificate authority may ask it, and fail.',
      // The zone lists others: of the two lists, only the delegation has it.
      'Take ns1.unsold.example out of the delegation of ZONE at its registrar: the zone itself lists other name servers.',
    ],
    [
      'with private addresses',
      (zone) => {
        const inside = doctor.buy().put('private', 'A', '10.0.0.53')
        to(`private.${inside.name}`, burrow)(zone)
        for (const n of [1, 2, 3, 4]) zone.server(n, { fault: 'refusing' })
      },
      '✗ D03 No name server of ZONE can be used: ns1.burrow.test (127.0.53.11) refuses to answer and private.OTHER has only a private address. The records of the zone are unknown; we will check again.',
      `${ask} ns1.burrow.test and private.OTHER, ${correct}`,
    ],
    [
      'of the host itself',
      (zone) => zone.clear('docs').put('docs', 'NS', `${lost}.`),
      '✗ D03 No name server of docs.ZONE can be used: ns1.unsold.example has no address. The records of the zone are unknown; we will check again.',
      `${ask} ns1.unsold.example, or correct the NS records of docs.ZONE in the zone above it.`,
    ],
    [
      'of the host itself, which do not hold it',
      (zone) => zone.clear('docs').put('docs', 'NS', 'coo.pigeon.test.'),
      '✗ D03 No name server of docs.ZONE can be used: coo.pigeon.test (127.0.53.21) refuses to answer. The records of the zone are unknown; we will check again.',
      `${ask} coo.pigeon.test, or correct the NS records of docs.ZONE in the zone above it.`,
    ],
  ])('%s', async (_, put, said, fix) => {
    const zone = pointed(doctor.buy())
    put(zone)
    const { judged, text } = await doctor.check(`docs.${zone.name}`)
    const lines = text
      .replaceAll(zone.name, 'ZONE')
      .replaceAll(/mossy\d+\.example/g, 'OTHER')
      .split('\n')
      .map((line) => line.trim())
    expect([`${lines[2]}: ${lines[3]}`, lines[4]]).toEqual([said, `→ ${fix}`])
    expect(judged.isUnresolvable).toBe(said.startsWith('✗'))
  })
})

test('a name server in the NS records of the zone, and not in its delegation', async () => {
  const zone = doctor.buy().put('docs', 'A', '192.0.2.7').server(4, { delay: 'held' })
  pointed(zone.clear('docs'))
  const servers = ['ns1.burrow.test', 'ns2.burrow.test', 'ns3.burrow.test']
  doctor.lab.dns.delegations.set(zone.name, { zone: zone.name, servers })
  const remove =
    'Delete the NS records with the value ns4.burrow.test in the zone ZONE (name @) at the provider of ' +
    'ns1.burrow.test, ns2.burrow.test and ns3.burrow.test: the delegation lists other name servers.'
  const check = async () => {
    const { codes, text } = await doctor.check(`docs.${zone.name}`)
    const [fix] = /(?<=→ ).*/.exec(text.replaceAll(zone.name, 'ZONE')) ?? []
    return [...codes, fix]
  }
  expect(await check()).toEqual(['D08', remove])
  zone.server(4, { fault: 'refusing' })
  expect(await check()).toEqual(['D03', remove])
})

test('a registry that fails says nothing about the zone', async () => {
  const zone = pointed(doctor.buy())
  const { zones } = doctor.lab.dns.servers.get('a.registry.test') ?? {}
  const before = zones?.get('example')
  if (before) zones?.set('example', { ...before, fault: 'servfail' })
  onTestFinished(() => void (before && zones?.set('example', before)))
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.summary).toBe('unknown D03: The name servers of ZONE could not be asked')
  expect(seen.text).toContain("You don't need to do anything: we will check again.")
  expect(seen.judged.isUnresolvable).toBe(false)
})

test('name servers with IPv6 only, on a machine without it', async () => {
  const other = doctor.buy().put('six', 'AAAA', '2001:db8::53')
  const zone = pointed(doctor.buy())
  doctor.lab.dns.delegations.set(zone.name, { zone: zone.name, servers: [`six.${other.name}`] })
  const seen = await doctor.check(`docs.${zone.name}`, { network: { hasIpv6: false } })
  expect(seen.summary).toBe('unknown D03: The name servers of ZONE could not be asked')
  expect(seen.text).toContain(`six.${other.name} can be asked by IPv6 only, which this server`)
  expect(seen.judged.isUnresolvable).toBe(false)
})

test('server by server, until all have it', async () => {
  const zone = doctor.buy()
  zone.server(1, { delay: 0 }).server(2, { delay: 60 })
  zone.server(3, { delay: 120 }).server(4, { delay: 'held' })
  const host = `docs.${zone.name}`
  await doctor.check(host)
  pointed(zone)
  const first = await doctor.check(host)
  expect(first.text.replaceAll(zone.name, 'ZONE')).toMatchInlineSnapshot(`
    "docs.ZONE points to us at some name servers

    … D08 1 of 4 name servers have the record
       ns2.burrow.test, ns3.burrow.test and ns4.burrow.test do not have it yet. This usually takes minutes.

       Name servers: 1 of 4 point to us; the rest is cached until 12:01.
       ✓ ns1.burrow.test (127.0.53.11)  CNAME docs.animal-store.test  cached until 12:05
       … ns2.burrow.test (127.0.53.12)  nothing                       cached until 12:01
       … ns3.burrow.test (127.0.53.13)  nothing                       cached until 12:01
       … ns4.burrow.test (127.0.53.14)  nothing                       cached until 12:01
       … resolver 127.0.53.53           nothing                       cached until 12:01
    "
  `)
  expect(first.json.propagation).toMatchObject({
    ...{ updated: 1, responding: 4, cachedUntil: '2026-11-21T12:01:00.000Z' },
    servers: [
      { name: 'ns1.burrow.test', answer: 'correct', cachedUntil: '2026-11-21T12:05:00.000Z' },
      { name: 'ns2.burrow.test', answer: 'missing', records: [] },
      {},
      {},
    ],
    resolver: { answer: 'missing' },
  })
  doctor.clock.now += 60_000
  expect((await doctor.check(host)).summary).toBe(
    'partial D08: 2 of 4 name servers have the record',
  )
  doctor.clock.now += 60_000
  const since = { partialSince: doctor.clock.now - 3_600_000 }
  expect((await doctor.check(host, { claim: since })).summary).toBe(
    'partial D08: ZONE does not synchronise',
  )
  zone.server(4, { delay: 0 })
  expect((await doctor.check(host)).codes).toEqual([])
})

test('caches have the old record until it expires', async () => {
  const zone = doctor.buy().put('docs', 'A', other(), 300)
  const host = `docs.${zone.name}`
  await doctor.check(host)
  doctor.clock.now += 100_000
  pointed(zone.clear('docs'))
  const seen = await doctor.check(host)
  expect(seen.summary).toBe('ok D09: The record is correct; caches still have the old one')
  expect(seen.text).toContain('! resolver 127.0.53.53           A 127.0.53.80')
  expect(seen.text).toContain('Name servers: 4 of 4 point to us; the rest is cached until 12:05.')
  doctor.clock.now += 200_000
  expect((await doctor.check(host)).codes).toEqual([])
})

test('caches have the old delegation until it expires', async () => {
  const { name } = doctor.buy('pigeon').put('docs', 'A', other(), 60)
  const [host, server] = [`docs.${name}`, 'ns1.burrow.test']
  await doctor.check(host)
  const record = { name: host, ttlSeconds: 60, type: 'CNAME', target } as const
  addRecords(doctor.lab, server, name, [...zoneHead(name, 2, [server]), record])
  doctor.lab.dns.delegations.set(name, { zone: name, servers: [server] })
  doctor.clock.now += 30_000
  const seen = await doctor.check(host)
  expect(seen.summary).toBe('ok D09: The record is correct; caches still have the old one')
  expect(seen.text).toMatch(/the old delegation of .*pigeon.test\)/)
  expect(seen.text).toContain('the rest is cached until 13:00.')
})

test('a provider without ALIAS', async () => {
  delegate('ledger.example', 'ns01.domaincontrol.com')
  const seen = await doctor.check('ledger.example')
  expect(seen.summary).toBe('missing D07 D17: ZONE has no record yet')
  expect(seen.text).toContain('→ GoDaddy has no ALIAS record for ledger.example itself.')
})

test('another platform answers at our address', async () => {
  const zone = doctor.buy().put('@', 'A', other())
  const seen = await doctor.check(zone.name, { platform: { addresses: [other()] } })
  expect(seen.summary).toBe('ok D22 D16: Dovecote answers for ZONE')
})

test.each<[string, Answerer]>([
  ['is silent', async () => 'silence'],
  ['fails', async () => ({ rcode: 'SERVFAIL' })],
])('our own resolver %s: that says nothing against the zone', async (_, answer) => {
  const { dns, secondNode } = { ...doctor.lab.topology.ports, ...doctor.lab.topology }
  const listening = await listenDns(secondNode, dns, answer)
  onTestFinished(() => listening.close())
  const resolver = { address: secondNode, port: dns }
  const zone = pointed(doctor.buy())
  const network = { hasIpv6: false, resolver }
  expect((await doctor.check(`docs.${zone.name}`, { network })).summary).toBe('ok')
})

test('IPv6 of ours, on a machine without IPv6, says nothing against an ALIAS', async () => {
  const ours = '2a00:1450::10'
  changePlatformZone({ name: target, ttlSeconds: 300, type: 'AAAA', address: ours })
  const zone = doctor.buy().put('@', 'A', '127.0.0.1').put('@', 'AAAA', ours)
  const seen = await doctor.check(zone.name, { network: { hasIpv6: false } })
  expect(seen.evidence.probes).toContainEqual({
    address: ours,
    outcome: { kind: 'not asked', reason: 'this server has no IPv6' },
  })
  expect([seen.judged.result, ...seen.codes]).toEqual(['ok', 'D16'])
})

test.each([
  ['udp_only', 'answers over UDP only in part, and does not answer on TCP port 53'],
  ['drops_edns', 'answers only queries without EDNS (RFC 6891)'],
  ['silent', 'does not answer. Visitors'],
] as const)('a name server with the fault %s is said to be that', async (fault, said) => {
  const zone = pointed(doctor.buy('pigeon')).server(1, { fault })
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.summary).toBe('ok D03: 1 of 2 name servers of ZONE cannot be used')
  expect(seen.text).toContain(said)
})

describe('CAA', () => {
  test('at the target of an alias, whose parents do not count', async () => {
    const above = doctor.buy().put('@', 'CAA', '0 issue "above.test"').put('way', 'CNAME', target)
    const zone = doctor.buy().put('docs', 'CNAME', `way.${above.name}`)
    expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual(['D13'])
    const place = doctor
      .buy()
      .put('page', 'A', '127.0.0.1')
      .put('page', 'CAA', '0 issue "its.test"')
    zone.clear('docs').put('docs', 'CNAME', `page.${place.name}`)
    doctor.lab.dns.resolver.clear()
    const seen = await doctor.check(`docs.${zone.name}`)
    expect(seen.codes).toContain('C01')
    expect(seen.text).toContain(`CAA at page.${place.name} allows only its.test`)
  })

  test('of our own target', async () => {
    const caa = { type: 'CAA', flags: 0, tag: 'issue', value: 'other.test' } as const
    changePlatformZone({ name: target, ttlSeconds: 300, ...caa })
    const zone = pointed(doctor.buy())
    expect((await doctor.check(`docs.${zone.name}`)).summary).toBe(
      'ok C03: CAA at docs.animal-store.test blocks the certificate, and the operator must fix it',
    )
  })

  test.each(['docs', 'a.b.c.d.e.f.g.h', 'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p'])(
    'above %s is known, whatever else there is to ask',
    async (label) => {
      const zone = doctor.buy('burrow').put(label, 'CNAME', target)
      zone.put('@', 'CAA', '0 issue "other.test"')
      const seen = await doctor.check(`${label}.${zone.name}`)
      expect(seen.evidence.caa.map(({ rcode }) => rcode)).not.toContain('not-asked')
      expect(seen.codes).toContain('C01')
      // DNSSEC of so many names is not, which blocks the order.
      expect(seen.codes.includes('D04')).toBe(label.length > 20)
    },
  )

  test.each([
    ['0 issue ";"', 'C02: CAA at ZONE forbids every authority'],
    [
      '0 issue "authority.test; validationmethods=http-01;"',
      'C02: CAA at ZONE is malformed, and forbids every authority',
    ],
    ['0 issue "other.test"', 'C01: CAA at ZONE allows only other.test'],
    [
      '0 issue "authority.test; accounturi=https://authority.test/acct/2"',
      'C04: CAA at ZONE binds authority.test to another account',
    ],
    [
      '0 issue "authority.test; validationmethods=dns-01"',
      'C04: CAA at ZONE binds authority.test to other methods of validation',
    ],
    ['128 tbs "unknown"', 'C05: CAA at ZONE has a critical tag that no authority knows'],
  ])('%s blocks, and no fix takes it away: somebody may need it', async (value, said) => {
    const zone = doctor.buy()
    caa(value, '0 iodef "mailto:a@b.test"')(zone)
    const { judged, summary } = await doctor.check(`docs.${zone.name}`)
    expect(summary).toBe(`ok ${said}`)
    const [fix] = judged.diagnostics.flatMap((each) => each.fix ?? [])
    expect(fix?.remove).toEqual([])
    expect(fix?.text).toContain(value)
    expect(fix?.text).not.toContain('Delete')
    if (fix?.add.length === 0) return
    expect(fix?.text).toContain('0 iodef "mailto:a@b.test"')
    for (const { type, value: line } of fix?.add ?? []) zone.put('@', type as 'CAA', line)
    expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual([])
  })
})

test.each([
  ['0 issue "LetsEncrypt.org"', ['C08']],
  ['0 issue "letsencrypt.org; validation-methods=http-01"', ['C08']],
  ['1 tbs "x"', ['C08']],
  ['0 issue "letsencrypt.org; validationmethods=http-01"', []],
])("%s, as Let's Encrypt reads it", async (value, codes) => {
  const zone = doctor.buy()
  caa(value)(zone)
  const platform = { authorities: [{ domain: 'letsencrypt.org', methods: ['http-01'] }] }
  const check = () => doctor.check(`docs.${zone.name}`, { platform })
  const { codes: said, judged } = await check()
  expect(said).toEqual(codes)
  const [line] = judged.diagnostics.flatMap(({ fix }) => fix?.add ?? [])
  if (line) zone.put('@', 'CAA', line.value)
  expect((await check()).codes).toEqual(line ? [] : codes)
})

describe('ownership', () => {
  /** A claim of ten minutes ago, with other facts. */
  const claimed = (host: string, claim: Given['claim'] = {}): Given => ({
    claim: { addedAt: noon - 600_000, ...claim },
    platform: { verification: { name: `_animal-store.${host}`, value: token } },
  })

  test('by a pointer that appears after the domain was added', async () => {
    const zone = pointed(doctor.buy())
    const { text } = await doctor.check(`docs.${zone.name}`, claimed(`docs.${zone.name}`))
    expect(text).toBe(`docs.${zone.name} points to us

   ✓ CNAME docs.animal-store.test at 4 name servers
   ✓ A request to 127.0.0.1 reaches us
`)
  })

  test('with a wildcard, then proven by TXT', async () => {
    const zone = doctor.buy().put('*', 'CNAME', target)
    const host = `docs.${zone.name}`
    expect((await doctor.check(host, claimed(host))).summary).toBe(
      'ok D23: Wildcard *.ZONE points to us',
    )
    zone.put('_animal-store.docs', 'TXT', token)
    const unreached = await doctor.check(host, claimed(host))
    expect(unreached.codes).toEqual(['D07'])
    expect(unreached.text).toContain(`The wildcard of ${zone.name} does not reach it`)
    pointed(zone)
    expect((await doctor.check(host, claimed(host))).codes).toEqual([])
  })

  test('through another name, then proven by TXT', async () => {
    const zone = doctor.buy().put('way', 'CNAME', target)
    const host = `docs.${zone.put('docs', 'CNAME', `way.${zone.name}`).name}`
    expect((await doctor.check(host)).summary).toBe(
      'ok D13: docs.ZONE points to us through way.ZONE; delete CNAME way.ZONE',
    )
    zone.put('_animal-store.docs', 'TXT', token)
    const { judged } = await doctor.check(host, claimed(host))
    expect(judged.diagnostics).toMatchObject([{ code: 'D13', severity: 'warns' }])
  })

  test.each<[Given['claim'], string]>([
    [{ heldByOther: 'holds' }, 'Another account holds HOST'],
    [{ heldByOther: 'held' }, 'Another account held HOST within the last 90 days'],
    [{ pointedWhenAdded: true }, 'HOST pointed here before it was added'],
  ])('needs the TXT record: %o', async (claim, title) => {
    const zone = pointed(doctor.buy())
    const host = `docs.${zone.name}`
    const seen = await doctor.check(host, claimed(host, claim))
    expect(seen.judged.diagnostics).toMatchObject([
      { code: 'D24', severity: 'blocks', title: title.replace('HOST', host) },
    ])
    expect(seen.text).toContain(`\n     _animal-store.docs.${zone.name}. 3600 IN TXT "${token}"\n`)
    zone.put('_animal-store.docs', 'TXT', token)
    expect((await doctor.check(host, claimed(host, claim))).codes).toEqual([])
  })

  const at = '_animal-store.docs'
  const differs = `D25 The TXT record at ${at}.ZONE is not the one that proves`
  test.each([
    ['another value', 'as-proof-Zm9vYmFx', 'It has another value.'],
    ['quotes', `"${token}"`, 'The quotes became part of the value: enter it without them.'],
    [
      'another letter case',
      token.toUpperCase(),
      'Upper and lower case differ; the value is case-sensitive.',
    ],
    ['its name', `${at} TXT ${token}`, 'The name was entered as part of the value.'],
  ])('is not proven by a TXT record with %s', async (_, value, said) => {
    expect(await readProof((zone) => zone.put(at, 'TXT', value))).toBe(`${differs}: ${said}`)
  })

  test('is proven by a TXT record that was quoted, where the provider adds no quotes', async () => {
    expect(await readProof((zone) => zone.put(at, 'TXT', `"${token}"`), 'burrow')).toBe('')
  })

  const elsewhere: Record<string, [put: (zone: BoughtZone) => unknown, said: string]> = {
    'an alias': [
      (zone) => zone.put(at, 'CNAME', `proofs.${zone.name}.`),
      'D25 _animal-store.docs.ZONE is an alias: The name has a CNAME. A TXT record of its own is needed there.',
    ],
    'a TXT record at the host itself': [
      (zone) => zone.put('docs', 'TXT', token),
      'D25 The TXT record is at docs.ZONE, not at _animal-store.docs.ZONE: The value is right, the name is not.',
    ],
    'a TXT record without the subdomain': [
      (zone) => zone.put('_animal-store', 'TXT', token),
      'D25 The TXT record is at _animal-store.ZONE, not at _animal-store.docs.ZONE: The value is right; the name lacks the subdomain.',
    ],
    'a TXT record with the zone appended': [
      (zone) => zone.put(`${at}.${zone.name}`, 'TXT', token),
      'D25 The TXT record is at _animal-store.docs.ZONE.ZONE, not at _animal-store.docs.ZONE: The provider added the zone to the name once more.',
    ],
  }
  test.each(Object.entries(elsewhere))('is not proven by %s', async (_, [put, said]) => {
    expect(await readProof(put)).toBe(said)
  })

  /** What is said of the TXT record of a claim to a host that another account held. */
  async function readProof(put: (zone: BoughtZone) => unknown, provider = pigeon.provider) {
    const zone = pointed(doctor.buy(provider))
    put(zone)
    const host = `docs.${zone.name}`
    const { text } = await doctor.check(host, claimed(host, { heldByOther: 'held' }))
    const [, ...finding] = /(D25 .*)\n +(.*)/.exec(text.replaceAll(zone.name, 'ZONE')) ?? []
    return finding.join(': ')
  }
})

describe('at our address', () => {
  const unserved = doctorInLab({ hasServer: false })
  type Answer = (asked: IncomingMessage, response: ServerResponse) => void
  const answers: Record<string, [Answer | undefined, said: string]> = {
    'the port is closed': [
      undefined,
      'T01 Port 80 of 127.0.0.1 does not answer: A request failed: the connection was refused. The certificate authority uses this port.',
    ],
    'the connection opens without a response': [
      () => {},
      'T01 Port 80 of 127.0.0.1 does not answer: A request failed: no response within 2.5 s. The certificate authority uses this port.',
    ],
    'the connection is cut': [
      (asked) => asked.socket.destroy(),
      'T01 Port 80 of 127.0.0.1 does not answer: A request failed: the connection was closed. The certificate authority uses this port.',
    ],
    'a redirect loop': [
      ({ headers, url }, response) =>
        response.writeHead(301, { location: `http://${headers.host}${url}` }).end(),
      'T02 docs.ZONE redirects in a loop: 127.0.0.1 sends the request back to http://docs.ZONE/.well-known/animal-store/…. A proxy that talks plain HTTP to us ("flexible" TLS) does that, or your own redirect rule.',
    ],
    'a 404 of another server': [
      (_, response) => response.writeHead(404, { server: 'nginx/1.22.1' }).end('Not Found'),
      'T03 Another server answers for docs.ZONE: 127.0.0.1 answered 404 instead of our file. It identifies itself as "nginx/1.22.1".',
    ],
    'a redirect to another host': [
      (_, response) => response.writeHead(302, { location: 'https://parking.example/' }).end(),
      'T03 Another server answers for docs.ZONE: 127.0.0.1 answered 302 (a redirect to https://parking.example/) instead of our file. It does not identify itself.',
    ],
  }
  test.each(Object.entries(answers))('%s', async (_, [answer, said]) => {
    const { topology } = unserved.lab
    if (answer) {
      const server = await listen(topology.server, topology.ports.http, answer)
      onTestFinished(() => server.close())
    }
    const zone = pointed(unserved.buy())
    const { text } = await unserved.check(`docs.${zone.name}`)
    const [, , finding = '', detail = ''] = text.replaceAll(zone.name, 'ZONE').split('\n')
    expect(`${finding.slice(2)}: ${detail.trim()}`).toBe(said)
  })
})

describe('a front before us', () => {
  type Answer = (asked: IncomingMessage, response: ServerResponse) => void
  const pass: Answer = (asked, response) => {
    const { ports, server } = doctor.lab.topology
    forward(asked, response, { address: server, port: ports.http, path: asked.url ?? '' })
  }
  const answer =
    (status: number, headers: Record<string, string> = {}): Answer =>
    (_, response) =>
      response.writeHead(status, { server: 'cloudflare', ...headers }).end()
  const redirect =
    (to: (host: string, path: string) => string): Answer =>
    ({ headers: { host = '' }, url = '' }, response) =>
      answer(301, { location: to(host, url) })({} as IncomingMessage, response)
  const toHttps = redirect((host, path) => `https://${host}${path}`)
  /** So many redirects, by turns to HTTPS and back. */
  const redirects =
    (count: number, scheme: string): Answer =>
    (asked, response) => {
      const hop = Number(/hop=(\d+)/.exec(asked.url ?? '')?.[1] ?? 0)
      const next = `${asked.url?.split('?')[0]}?hop=${hop + 1}`
      if (hop >= count) pass(Object.assign(asked, { url: asked.url?.split('?')[0] }), response)
      else redirect((host) => `${scheme}://${host}${next}`)(asked, response)
    }
  const fronts: Record<string, [http: Answer, https: Answer | undefined, said: string]> = {
    'redirects to HTTPS and passes requests there': [toHttps, pass, 'ok D20'],
    'redirects to HTTPS, which is closed': [
      toHttps,
      undefined,
      'wrong_target D21 It answers 301 (a redirect to https://docs.ZONE/.well-known/animal-store/…: the connection was refused).',
    ],
    'redirects to HTTPS and back': [
      toHttps,
      redirect((host, path) => `http://${host}${path}`),
      'wrong_target D21 A request through it ends in a redirect loop, at http://docs.ZONE/.well-known/animal-store/….',
    ],
    'redirects to another port': [
      redirect((host, path) => `https://${host}:8444${path}`),
      pass,
      'wrong_target D21 it answers 301 (a redirect to https://docs.ZONE:8444/.well-known/animal-store/…).',
    ],
    'asks for a certificate that is not there yet': [
      toHttps,
      answer(526),
      'wrong_target D21 it answers 526. The TLS mode at Cloudflare asks for a certificate here that is not issued yet: it is not valid. Until the certificate is there, turn off "Always Use HTTPS" at Cloudflare and set the TLS mode to "Full"',
    ],
    'does not find the server of its record': [
      answer(530),
      undefined,
      'wrong_target D21 it answers 530. Cloudflare cannot find the server of its record. Set the value of the record at Cloudflare to docs.animal-store.test.',
    ],
    'redirects ten times': [redirects(10, 'https'), redirects(10, 'http'), 'ok D20'],
    'redirects eleven times': [redirects(11, 'https'), redirects(11, 'http'), 'wrong_target D21'],
  }
  test.each(Object.entries(fronts))('%s', async (_, [http, https, said]) => {
    const { ports, secondNode } = doctor.lab.topology
    const plain = await listen(secondNode, ports.http, http)
    onTestFinished(() => plain.close())
    if (https) {
      const secure = await listenHttps(secondNode, ports.https, await certificate, https)
      onTestFinished(() => secure.close())
    }
    const zone = doctor.buy().put('docs', 'A', secondNode)
    const { codes, judged } = await doctor.check(`docs.${zone.name}`)
    const [first] = judged.diagnostics
    const text = `${judged.result} ${codes[0]} ${first?.detail} ${first?.fix?.text}`
    for (const part of said.split(/(?<=D2\d) |(?<=\.) (?=Until|Set)/))
      expect(text.replaceAll(zone.name, 'ZONE')).toContain(part.replace(/^It/, 'it'))
  })
})

/** Adds a record to our own zone, for one test. */
function changePlatformZone(record: ZoneRecord): void {
  for (const server of ['ns1.animal-store.test', 'ns2.animal-store.test'])
    onTestFinished(addRecords(doctor.lab, server, 'animal-store.test', [record]))
}

/** A zone at a provider with a real name, which the lab's registrar does not offer. */
function delegate(zone: string, provider: string): void {
  const { lab } = doctor
  const [address = ''] = lab.topology.providerServers.pigeon
  const [ttlSeconds, target] = [300, provider]
  addRecords(lab, 'a.root.test', '', [{ name: provider, ttlSeconds, type: 'A', address }])
  addRecords(lab, 'a.registry.test', 'example', [{ name: zone, ttlSeconds, type: 'NS', target }])
  addRecords(lab, 'coo.pigeon.test', zone, zoneHead(zone, 1, [provider]))
}
