// C01 to C07 in the lab: CAA at the name, above it, and at the target of its alias.
import { expect, test } from 'vitest'
import { createZone } from '../../lab/dns/zone.ts'
import { doctorInLab, target } from './doctor-in-lab.ts'

const doctor = doctorInLab()
const account = 'https://authority.test/acct/1'

/** A correct CNAME at docs, and CAA at the apex. */
function bought(...caa: string[]) {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  for (const value of caa) zone.put('@', 'CAA', value)
  return zone
}

test('CAA that allows our authority has no finding', async () => {
  const zone = bought('0 issue "other.test"', '0 issue "authority.test"')
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual([])
})

test('C01: another authority, found by climbing', async () => {
  const zone = bought('0 issue "other.test"', '0 issuewild ";"')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy2.example points to us, but has problems to fix

    ✗ C01 CAA at mossy2.example allows only other.test
       authority.test cannot issue this certificate.
       → Add a CAA record: name @, value 0 issue "authority.test". Keep what is there: 0 issue "other.test" and 0 issuewild ";"
         mossy2.example. 3600 IN CAA 0 issue "authority.test"
    "
  `)
})

test('C01: the closest set counts, not the one above it', async () => {
  const zone = doctor.buy().put('@', 'CAA', '0 issue "other.test"')
  zone.put('animals', 'CAA', '0 issue "authority.test"').put('docs.animals', 'CNAME', target)
  expect((await doctor.check(`docs.animals.${zone.name}`)).codes).toEqual([])
})

test('C01: at the target of an alias, whose parents do not count', async () => {
  const other = doctor.buy().put('@', 'CAA', '0 issue "above.test"').put('way', 'CNAME', target)
  const zone = doctor.buy().put('docs', 'CNAME', `way.${other.name}`)
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual(['D13'])
  const place = doctor.buy().put('page', 'A', '127.0.0.1').put('page', 'CAA', '0 issue "its.test"')
  zone.clear('docs').put('docs', 'CNAME', `page.${place.name}`)
  doctor.lab.dns.resolver.clear()
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.codes).toContain('C01')
  expect(seen.text).toContain(`CAA at page.${place.name} allows only its.test`)
})

test('C02: every authority is forbidden', async () => {
  const zone = bought('0 issue ";"')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy7.example points to us, but has problems to fix

    ✗ C02 CAA at mossy7.example forbids every authority
       It has 0 issue ";", which names no authority.
       → Add a CAA record: name @, value 0 issue "authority.test". Keep what is there: 0 issue ";"
         mossy7.example. 3600 IN CAA 0 issue "authority.test"
    "
  `)
})

test('C03: our own target forbids it', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  const servers = ['ns1.animal-store.test', 'ns2.animal-store.test']
  const hosted = servers.map((name) => doctor.lab.dns.servers.get(name)?.zones)
  const before = hosted.map((zones) => zones?.get('animal-store.test'))
  const own = before[0]?.read().records ?? []
  const edited = createZone('animal-store.test', [
    ...own,
    { name: target, ttlSeconds: 300, type: 'CAA', flags: 0, tag: 'issue', value: 'other.test' },
  ])
  for (const zones of hosted) zones?.set('animal-store.test', { read: () => edited, fault: 'none' })
  const seen = await doctor.check(`docs.${zone.name}`)
  for (const [i, zones] of hosted.entries()) {
    const was = before[i]
    if (was) zones?.set('animal-store.test', was)
  }
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy8.example points to us, but has problems to fix

    ✗ C03 CAA at docs.animal-store.test blocks the certificate, and the operator must fix it
       docs.mossy8.example points there, and the platform's own CAA record does not allow authority.test. You don't need to do anything; the operator is notified.
    "
  `)
})

test('C04: another account', async () => {
  const zone = bought(`0 issue "authority.test; accounturi=https://authority.test/acct/2"`)
  const authorities = [
    { domain: 'authority.test', accountUri: account, methods: ['http-01', 'tls-alpn-01'] },
  ]
  expect(
    (await doctor.check(`docs.${zone.name}`, { platform: { authorities } })).text,
  ).toMatchInlineSnapshot(`
    "docs.mossy9.example points to us, but has problems to fix

    ✗ C04 CAA at mossy9.example binds authority.test to another account
       Only the account named there may request certificates; ours is https://authority.test/acct/1.
       found     0 issue "authority.test; accounturi=https://authority.test/acct/2"
                                                                                 ^
       expected  0 issue "authority.test; accounturi=https://authority.test/acct/1; validationmethods=http-01,tls-alpn-01"
                                                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       → Add a CAA record: name @, value 0 issue "authority.test; accounturi=https://authority.test/acct/1; validationmethods=http-01,tls-alpn-01". Keep what is there: 0 issue "authority.test; accounturi=https://authority.test/acct/2"
         mossy9.example. 3600 IN CAA 0 issue "authority.test; accounturi=https://authority.test/acct/1; validationmethods=http-01,tls-alpn-01"
    "
  `)
})

test('C04: another method', async () => {
  const zone = bought('0 issue "authority.test; validationmethods=dns-01"')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy10.example points to us, but has problems to fix

    ✗ C04 CAA at mossy10.example binds authority.test to other methods of validation
       Only the methods named there may be used; ours are http-01 and tls-alpn-01.
       found     0 issue "authority.test; validationmethods=dns-01"
                                                            ^^
       expected  0 issue "authority.test; validationmethods=http-01,tls-alpn-01"
                                                            ^^^^^^^^^^  ^^^^^
       → Add a CAA record: name @, value 0 issue "authority.test; validationmethods=http-01,tls-alpn-01". Keep what is there: 0 issue "authority.test; validationmethods=dns-01"
         mossy10.example. 3600 IN CAA 0 issue "authority.test; validationmethods=http-01,tls-alpn-01"
    "
  `)
})

test('C05: an unknown critical tag', async () => {
  const zone = bought('128 tbs "unknown"', '0 issue "authority.test"')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy11.example points to us, but has problems to fix

    ✗ C05 CAA at mossy11.example has a critical tag that no authority knows
       The tag "tbs" is marked as critical: an authority that does not know it must refuse.
       → Set the flags of the CAA record 128 tbs "unknown" at mossy11.example to 0. Ask who added it before you delete it.
    "
  `)
})

test('C06: the name servers fail CAA queries', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'A', '127.0.0.1')
  zone.server(1, { fault: 'failing_caa' }).server(2, { fault: 'failing_caa' })
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy12.example points to us, but has problems to fix

    ✗ C06 The name servers fail when asked for CAA at docs.mossy12.example
       They answer other questions, and answer SERVFAIL to this one. An authority must then refuse.
       → Ask the DNS provider to answer CAA queries, or move the DNS to one that does.

    ! D16 docs.mossy12.example points to us by its addresses
       127.0.0.1: those of docs.animal-store.test. If they were copied, they will not follow when ours change.
       → Delete the A record 127.0.0.1. Then add a CNAME record: name docs, value docs.animal-store.test.
         docs.mossy12.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('C06: one name server that fails them is no reason', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', `${target}.`)
  zone.server(1, { fault: 'failing_caa' })
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual([])
})

test('C07: only wildcards', async () => {
  const zone = bought('0 issuewild "other.test"')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy14.example points to us

    ✓ C07 CAA at mossy14.example restricts only wildcards
       It has only "issuewild", so a certificate can be issued for docs.mossy14.example.
    "
  `)
})

test.each(['docs', 'a.b.c.d.e.f.g.h', 'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p'])(
  'CAA above %s is known, whatever else there is to ask',
  async (label) => {
    const zone = doctor.buy('burrow').put(label, 'CNAME', target)
    zone.put('@', 'CAA', '0 issue "other.test"')
    const seen = await doctor.check(`${label}.${zone.name}`)
    expect(seen.evidence.caa.map(({ rcode }) => rcode)).not.toContain('not-asked')
    expect(seen.codes).toContain('C01')
  },
)

const foreign = [
  '0 issue ";"',
  '0 issue "other.test"',
  '0 issue "authority.test; accounturi=https://authority.test/acct/2"',
  '0 issue "authority.test; validationmethods=dns-01"',
  '128 tbs "unknown"',
]
test.each(foreign)('no fix takes away %s, which somebody may need', async (value) => {
  const zone = bought(value, '0 iodef "mailto:a@b.test"')
  const { judged } = await doctor.check(`docs.${zone.name}`)
  const [fix] = judged.diagnostics.flatMap((each) => each.fix ?? [])
  expect(fix?.remove).toEqual([])
  expect(fix?.text).toContain(value)
  expect(fix?.text).not.toContain('Delete')
  if (fix?.add.length === 0) return
  expect(fix?.text).toContain('0 iodef "mailto:a@b.test"')
  for (const { type, value: line } of fix?.add ?? []) zone.put('@', type as 'CAA', line)
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual([])
})
