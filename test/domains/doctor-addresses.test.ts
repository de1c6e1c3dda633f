// D10 and D16 to D22 in the lab: a host with address records, ours, a proxy's or another platform's.
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { zoneHead } from '../../lab/dns/dns-world.ts'
import { createZone, type ZoneRecord } from '../../lab/dns/zone.ts'
import { doctorInLab, target } from './doctor-in-lab.ts'

const doctor = doctorInLab()

beforeEach(() => {
  Object.assign(doctor.lab.proxy, { mode: 'pass_through', serverHeader: 'otter-edge' })
})

test('D10: an old A record of another platform, which D22 names', async () => {
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.otherPlatform)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy1.example has conflicting records

    ✗ D10 The A record 127.0.53.80 conflicts
       docs.mossy1.example has A 127.0.53.80, and a CNAME cannot coexist with other records.
       found     127.0.53.80
       expected  docs.animal-store.test
       → Delete the A record 127.0.53.80. Then add a CNAME record: name docs, value docs.animal-store.test.
         docs.mossy1.example. 3600 IN CNAME docs.animal-store.test.

    ! D22 Dovecote answers for docs.mossy1.example
       127.0.53.80 answers as Dovecote. It may keep the name after DNS has changed.
       → Once DNS points to us, remove docs.mossy1.example from the project at Dovecote that has it.
    "
  `)
})

test('D10: several addresses, at the apex', async () => {
  const zone = doctor.buy().put('@', 'A', '192.0.2.7').put('@', 'AAAA', '2001:db8::7')
  const seen = await doctor.check(zone.name)
  expect(seen.text).toMatchInlineSnapshot(`
    "mossy2.example has conflicting records

    ✗ D10 2 address records of mossy2.example conflict
       mossy2.example has A 192.0.2.7 and AAAA 2001:db8::7, so visitors do not come to docs.animal-store.test.
       found     192.0.2.7, 2001:db8::7
       expected  docs.animal-store.test
       → Delete the A record 192.0.2.7 and the AAAA record 2001:db8::7. Then add an ALIAS or ANAME record: name @, value docs.animal-store.test. If your provider has neither, redirect mossy2.example to www there.
         mossy2.example. 3600 IN ALIAS docs.animal-store.test.
    "
  `)
  expect(seen.removed('D10')).toEqual([
    'mossy2.example. 300 IN A 192.0.2.7',
    'mossy2.example. 300 IN AAAA 2001:db8::7',
  ])
})

test('D16: an ALIAS at the apex', async () => {
  const zone = doctor.buy().put('@', 'ALIAS', target)
  expect((await doctor.check(zone.name)).text).toMatchInlineSnapshot(`
    "mossy3.example points to us

    ✓ D16 mossy3.example points to us by its addresses
       127.0.0.1: those of docs.animal-store.test. With ALIAS or ANAME they follow when ours change.
    "
  `)
})

test('D16: an address that was ours', async () => {
  const zone = doctor.buy().put('@', 'A', '192.0.2.99')
  expect(
    (await doctor.check(zone.name, { platform: { staleAddresses: ['192.0.2.99'] } })).text,
  ).toMatchInlineSnapshot(`
    "mossy4.example has conflicting records

    ✗ D16 mossy4.example has an address that docs.animal-store.test no longer has
       A 192.0.2.99 pointed to us before. A copied address does not follow when ours change.
       → Delete the A record 192.0.2.99. Then add an ALIAS or ANAME record: name @, value docs.animal-store.test. If your provider has neither, redirect mossy4.example to www there.
         mossy4.example. 3600 IN ALIAS docs.animal-store.test.
    "
  `)
})

test('D16: our address, copied for a subdomain', async () => {
  const zone = doctor.buy().put('docs', 'A', '127.0.0.1')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy5.example points to us

    ! D16 docs.mossy5.example points to us by its addresses
       127.0.0.1: those of docs.animal-store.test. If they were copied, they will not follow when ours change.
       → Delete the A record 127.0.0.1. Then add a CNAME record: name docs, value docs.animal-store.test.
         docs.mossy5.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('D17: a provider without ALIAS', async () => {
  const name = 'ledger.example'
  delegate(name, 'ns01.domaincontrol.com')
  expect((await doctor.check(name)).text).toMatchInlineSnapshot(`
    "ledger.example does not point to us yet

    ✗ D07 ledger.example has no record yet
       1 name server of ledger.example answered: there is no address. Resolvers may cache this answer for a while.
       cached until 12:01
       → GoDaddy has no ALIAS record for ledger.example itself. Add www.ledger.example as a domain with a CNAME record (name www, value docs.animal-store.test), and redirect ledger.example to it at your DNS provider; or move the DNS to a provider that has ALIAS.
         www.ledger.example. 3600 IN CNAME docs.animal-store.test.

    ! D17 GoDaddy has no ALIAS record
       The name servers of ledger.example are GoDaddy's, where the top of a zone cannot follow another name.
    "
  `)
})

test('D18: one address of two is not ours', async () => {
  const { otherPlatform } = doctor.lab.topology
  const zone = doctor.buy().put('docs', 'A', '127.0.0.1').put('docs', 'A', otherPlatform)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy6.example has conflicting records

    ✗ D18 1 of 2 addresses of docs.mossy6.example point elsewhere
       A 127.0.53.80: not on this platform. Some visitors go there, and the certificate authority may.
       → Delete A 127.0.53.80.

    ! D22 Dovecote answers for docs.mossy6.example
       127.0.53.80 answers as Dovecote. It may keep the name after DNS has changed.
       → Once DNS points to us, remove docs.mossy6.example from the project at Dovecote that has it.
    "
  `)
})

test('D19: IPv6 goes elsewhere', async () => {
  const zone = doctor.buy().put('@', 'A', '127.0.0.1').put('@', 'AAAA', '2001:db8::7')
  const seen = await doctor.check(zone.name)
  expect(seen.text).toMatchInlineSnapshot(`
    "mossy7.example has conflicting records

    ✗ D19 IPv6 of mossy7.example points elsewhere
       AAAA 2001:db8::7 is not ours, while IPv4 points to us. The certificate authority may try IPv6 first.
       → Delete AAAA 2001:db8::7.
    "
  `)
  expect(seen.removed('D19')).toEqual(['mossy7.example. 300 IN AAAA 2001:db8::7'])
})

test('D20: through a proxy that passes requests', async () => {
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.proxy)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy8.example points to us

    ✓ D20 docs.mossy8.example points to us through a proxy
       127.0.53.90 is not ours, but a request to it reaches us.
       → Set the TLS mode of the proxy to "Full (strict)", once the certificate is there.
    "
  `)
  doctor.lab.proxy.serverHeader = 'cloudflare'
  expect((await doctor.check(`docs.${zone.name}`)).text).toContain(
    'points to us through Cloudflare',
  )
})

test('D21: a known proxy that blocks, or redirects in a loop', async () => {
  Object.assign(doctor.lab.proxy, { mode: 'block_challenges', serverHeader: 'cloudflare' })
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.proxy)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy9.example points elsewhere

    ✗ D21 Cloudflare stands in front of docs.mossy9.example and blocks validation
       127.0.53.90 belongs to Cloudflare. A request through it does not reach us.
       found     127.0.53.90
       expected  docs.animal-store.test
       → Switch the record of docs to "DNS only" at Cloudflare, with a CNAME to docs.animal-store.test; or let Cloudflare pass /.well-known/acme-challenge/* on unchanged.
    "
  `)
  doctor.lab.proxy.mode = 'redirect_loop'
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy9.example points elsewhere

    ✗ D21 Cloudflare stands in front of docs.mossy9.example and blocks validation
       127.0.53.90 belongs to Cloudflare. A request through it ends in a redirect loop.
       found     127.0.53.90
       expected  docs.animal-store.test
       → Set the TLS mode at Cloudflare to "Full (strict)". If that is not enough: Switch the record of docs to "DNS only" at Cloudflare, with a CNAME to docs.animal-store.test; or let Cloudflare pass /.well-known/acme-challenge/* on unchanged.
    "
  `)
})

test('an unknown proxy that fails is reported like any address', async () => {
  doctor.lab.proxy.mode = 'origin_error'
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.proxy)
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual(['D10'])
})

test('D22: DNS points to us, and another platform answers', async () => {
  const { otherPlatform } = doctor.lab.topology
  const zone = doctor.buy().put('@', 'A', otherPlatform)
  expect(
    (await doctor.check(zone.name, { platform: { addresses: [otherPlatform] } })).text,
  ).toMatchInlineSnapshot(`
    "mossy11.example points to us, but has problems to fix

    ✗ D22 Dovecote answers for mossy11.example
       DNS points to us, and 127.0.53.80 answers as Dovecote: it still holds the name.
       → Remove mossy11.example from the project at Dovecote that has it.

    ✓ D16 mossy11.example points to us by its addresses
       127.0.53.80: those of docs.animal-store.test. With ALIAS or ANAME they follow when ours change.
    "
  `)
})

test('D08: while some servers have the old address, the old platform keeps the name', async () => {
  const { otherPlatform } = doctor.lab.topology
  const zone = doctor.buy().put('docs', 'A', otherPlatform)
  for (const index of [3, 4]) zone.server(index, { delay: 'held' })
  zone.clear('docs').put('docs', 'CNAME', target)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.judged.result).toBe('partial')
  expect(seen.evidence.probes.map(({ address }) => address)).toContain(otherPlatform)
  expect(seen.codes).toEqual(['D08'])
})

test('IPv6 of ours, on a machine without IPv6, says nothing against an ALIAS', async () => {
  const ours = '2a00:1450::10'
  for (const server of ['ns1.animal-store.test', 'ns2.animal-store.test']) {
    const { zones } = doctor.lab.dns.servers.get(server) ?? {}
    const before = zones?.get('animal-store.test')
    const own = before?.read().records ?? []
    const more = { name: target, ttlSeconds: 300, type: 'AAAA', address: ours } as const
    const read = () => createZone('animal-store.test', [...own, more])
    zones?.set('animal-store.test', { read, fault: 'none' })
    onTestFinished(() => void (before && zones?.set('animal-store.test', before)))
  }
  const zone = doctor.buy().put('@', 'A', '127.0.0.1').put('@', 'AAAA', ours)
  const seen = await doctor.check(zone.name, { hasIpv6: false })
  expect(seen.evidence.probes).toContainEqual({
    address: ours,
    outcome: { kind: 'not asked', reason: 'this server has no IPv6' },
  })
  expect([seen.judged.result, ...seen.codes]).toEqual(['ok', 'D16'])
})

test('IPv6 of a proxy, on a machine without IPv6, is judged by its IPv4', async () => {
  doctor.lab.proxy.serverHeader = 'cloudflare'
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.proxy)
  zone.put('docs', 'AAAA', '2606:4700::10')
  const seen = await doctor.check(`docs.${zone.name}`, { hasIpv6: false })
  expect([seen.judged.result, ...seen.codes]).toEqual(['ok', 'D20'])
})

/** A zone at a provider with a real name, which the lab's registrar does not offer. */
function delegate(zone: string, provider: string): void {
  const { topology, dns } = doctor.lab
  const [address = ''] = topology.providerServers.pigeon
  const edit = (server: string, name: string, records: ZoneRecord[]) => {
    const { zones } = dns.servers.get(server) ?? {}
    const before = zones?.get(name)
    const read = () => createZone(name, [...(before?.read().records ?? []), ...records])
    zones?.set(name, { read, fault: 'none' })
  }
  edit('a.root.test', '', [{ name: provider, ttlSeconds: 300, type: 'A', address }])
  edit('a.registry.test', 'example', [
    { name: zone, ttlSeconds: 300, type: 'NS', target: provider },
  ])
  edit('coo.pigeon.test', zone, zoneHead(zone, 1, [provider]))
}
