// D05 and D07 to D09 in the lab: at the wrong name, missing, at some servers only, not yet in caches.
import { expect, test } from 'vitest'
import { doctorInLab, target } from './doctor-in-lab.ts'

const doctor = doctorInLab()

test('D05: the full name was entered as the name', async () => {
  const zone = doctor.buy('pigeon')
  zone.put(`docs.${zone.name}`, 'CNAME', `${target}.`)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy1.example does not point to us yet

    ✗ D05 The record was created at docs.mossy1.example.mossy1.example
       The provider added mossy1.example to the name that was entered, which ended with it already. docs.mossy1.example has no record.
       found     docs.mossy1.example.mossy1.example
                                    ^^^^^^^^^^^^^^^
       expected  docs.mossy1.example
       → Delete the record at docs.mossy1.example.mossy1.example. Add a CNAME record: name docs, value docs.animal-store.test. Enter nothing after docs.
         docs.mossy1.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  expect(seen.removed('D05')).toEqual([
    'docs.mossy1.example.mossy1.example. 300 IN CNAME docs.animal-store.test.',
  ])
})

test('D07: no record, for a subdomain and for an apex', async () => {
  const zone = doctor.buy()
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy2.example does not point to us yet

    ✗ D07 docs.mossy2.example has no record yet
       4 name servers of mossy2.example answered: there is no CNAME and no address. Resolvers may cache this answer for a while.
       cached until 12:01
       → Add a CNAME record: name docs, value docs.animal-store.test.
         docs.mossy2.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  const apex = await doctor.check(zone.name)
  expect(apex.text).toMatchInlineSnapshot(`
    "mossy2.example does not point to us yet

    ✗ D07 mossy2.example has no record yet
       4 name servers of mossy2.example answered: there is no address. Resolvers may cache this answer for a while.
       cached until 12:01
       → Add an ALIAS or ANAME record: name @, value docs.animal-store.test. If your provider has neither, redirect mossy2.example to www there.
         mossy2.example. 3600 IN ALIAS docs.animal-store.test.
    "
  `)
})

test('D07: other records at the name have to be deleted', async () => {
  const zone = doctor.buy().put('docs', 'TXT', 'hello').put('docs', 'MX', '10 mail.mossy.example.')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy3.example does not point to us yet

    ✗ D07 docs.mossy3.example has no record yet
       4 name servers of mossy3.example answered: there is no CNAME and no address. It has MX mail.mossy.example and TXT hello: a CNAME has to stand alone, so this must move to another name. Resolvers may cache this answer for a while.
       cached until 12:01
       → Add a CNAME record: name docs, value docs.animal-store.test.
         docs.mossy3.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('D08: server by server, until all have it', async () => {
  const zone = doctor.buy()
  zone.server(1, { delay: 0 }).server(2, { delay: 60 })
  zone.server(3, { delay: 120 }).server(4, { delay: 'held' })
  await doctor.check(`docs.${zone.name}`)
  zone.put('docs', 'CNAME', target)
  const host = `docs.${zone.name}`
  const first = await doctor.check(host)
  expect(first.judged.result).toBe('partial')
  expect(first.text).toMatchInlineSnapshot(`
    "docs.mossy4.example points to us at some name servers

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
    updated: 1,
    responding: 4,
    cachedUntil: '2026-11-21T12:01:00.000Z',
    servers: [
      { name: 'ns1.burrow.test', answer: 'correct', cachedUntil: '2026-11-21T12:05:00.000Z' },
      { name: 'ns2.burrow.test', answer: 'missing', records: [] },
      {},
      {},
    ],
    resolver: { answer: 'missing' },
  })
  doctor.clock.now += 60_000
  expect((await doctor.check(host)).text).toMatchInlineSnapshot(`
    "docs.mossy4.example points to us at some name servers

    … D08 2 of 4 name servers have the record
       ns3.burrow.test and ns4.burrow.test do not have it yet. This usually takes minutes.

       Name servers: 2 of 4 point to us; the rest is cached until 12:02.
       ✓ ns1.burrow.test (127.0.53.11)  CNAME docs.animal-store.test  cached until 12:06
       ✓ ns2.burrow.test (127.0.53.12)  CNAME docs.animal-store.test  cached until 12:06
       … ns3.burrow.test (127.0.53.13)  nothing                       cached until 12:02
       … ns4.burrow.test (127.0.53.14)  nothing                       cached until 12:02
       ✓ resolver 127.0.53.53           CNAME docs.animal-store.test  cached until 12:02
    "
  `)
  doctor.clock.now += 60_000
  const since = { partialSince: doctor.clock.now - 3_600_000 }
  expect((await doctor.check(host, { claim: since })).text).toMatchInlineSnapshot(`
    "docs.mossy4.example points to us at some name servers

    ✗ D08 mossy4.example does not synchronise
       3 of 4 name servers have had the record for more than an hour; ns4.burrow.test does not have it yet.
       → Ask the DNS provider why ns4.burrow.test did not receive the change.

       Name servers: 3 of 4 point to us; the rest is cached until 12:03.
       ✓ ns1.burrow.test (127.0.53.11)  CNAME docs.animal-store.test  cached until 12:07
       ✓ ns2.burrow.test (127.0.53.12)  CNAME docs.animal-store.test  cached until 12:07
       ✓ ns3.burrow.test (127.0.53.13)  CNAME docs.animal-store.test  cached until 12:07
       … ns4.burrow.test (127.0.53.14)  nothing                       cached until 12:03
       ✓ resolver 127.0.53.53           CNAME docs.animal-store.test  cached until 12:03
    "
  `)
  zone.server(4, { delay: 0 })
  expect((await doctor.check(host)).codes).toEqual([])
})

test('D08: an old record at one server', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'A', '192.0.2.7', 600)
  zone.server(2, { delay: 'held' }).clear('docs').put('docs', 'CNAME', `${target}.`)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy5.example points to us at some name servers

    … D08 1 of 2 name servers have the record
       roo.pigeon.test does not have it yet. This usually takes minutes.

       Name servers: 1 of 2 point to us; the rest is cached until 12:10.
       ✓ coo.pigeon.test (127.0.53.21)  CNAME docs.animal-store.test  cached until 12:05
       ! roo.pigeon.test (127.0.53.22)  A 192.0.2.7                   cached until 12:10
       ✓ resolver 127.0.53.53           CNAME docs.animal-store.test  cached until 12:01
    "
  `)
})

test('D09: caches have the old record until it expires', async () => {
  const zone = doctor.buy().put('docs', 'A', doctor.lab.topology.otherPlatform, 300)
  const host = `docs.${zone.name}`
  await doctor.check(host)
  doctor.clock.now += 100_000
  zone.clear('docs').put('docs', 'CNAME', target)
  const seen = await doctor.check(host)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy6.example points to us

    … D09 The record is correct; caches still have the old one
       127.0.53.53 has the old record cached, as other resolvers may. They query again when it expires. You don't need to do anything.

       Name servers: 4 of 4 point to us; the rest is cached until 12:05.
       ✓ ns1.burrow.test (127.0.53.11)  CNAME docs.animal-store.test  cached until 12:06
       ✓ ns2.burrow.test (127.0.53.12)  CNAME docs.animal-store.test  cached until 12:06
       ✓ ns3.burrow.test (127.0.53.13)  CNAME docs.animal-store.test  cached until 12:06
       ✓ ns4.burrow.test (127.0.53.14)  CNAME docs.animal-store.test  cached until 12:06
       ! resolver 127.0.53.53           A 127.0.53.80                 cached until 12:05
    "
  `)
  doctor.clock.now += 200_000
  expect((await doctor.check(host)).codes).toEqual([])
})

test('D05: not where a wildcard answers for the doubled name', async () => {
  const zone = doctor.buy().put('*', 'A', '192.0.2.7').put('docs', 'MX', '10 mail')
  const codesOf = async (host: string) =>
    (await doctor.check(host)).judged.diagnostics.map(({ code }) => code)
  expect(await codesOf(zone.name)).toContain('D07')
  expect(await codesOf(zone.name)).not.toContain('D05')
  expect(await codesOf(`docs.${zone.name}`)).not.toContain('D05')
})

const parked: ['A' | 'CNAME', string][] = [
  ['A', '192.0.2.7'],
  ['CNAME', 'parking.test.'],
]
test.each(parked)('D07: where a wildcard %s answers, nothing is deleted', async (type, value) => {
  const zone = doctor.buy().put('*', type, value)
  const host = `docs.${zone.name}`
  const seen = await doctor.check(host)
  expect(seen.judged.result).toBe('missing')
  expect(seen.text).toContain(`${host} has no record of its own; the wildcard answers`)
  const fixes = seen.judged.diagnostics.flatMap(({ fix }) => fix ?? [])
  expect(fixes.map(({ remove }) => remove)).toEqual([[]])
  expect(seen.text).not.toContain('elete')
  zone.put('docs', 'CNAME', target)
  doctor.lab.dns.resolver.clear()
  expect((await doctor.check(host)).codes).toEqual([])
})

test('D10: a record of its own beside another wildcard is deleted', async () => {
  const zone = doctor.buy().put('*', 'A', '192.0.2.7').put('docs', 'A', '192.0.2.8')
  const { judged } = await doctor.check(`docs.${zone.name}`)
  expect(judged.diagnostics[0]?.fix?.remove).toMatchObject([{ value: '192.0.2.8' }])
})
