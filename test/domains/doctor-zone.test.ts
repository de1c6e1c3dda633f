// D01 to D04 in the lab.
import { expect, test } from 'vitest'
import { doctorInLab, target } from './doctor-in-lab.ts'

const doctor = doctorInLab()

test('D01: the platform host cannot be a custom domain', async () => {
  expect((await doctor.check(target)).text).toMatchInlineSnapshot(`
    "docs.animal-store.test cannot be used here

    ✗ D01 docs.animal-store.test cannot be a custom domain
       docs.animal-store.test belongs to this platform already. Enter a domain of your own.
    "
  `)
})

test('D02: an unregistered domain', async () => {
  const seen = await doctor.check('docs.unsold.example')
  expect(seen.codes[0]).toBe('D02')
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.unsold.example is in a domain that does not exist

    ✗ D02 unsold.example is not registered, or has expired
       The parent zone has no unsold.example, so no record below it can be found.
       → Register unsold.example, or renew it at its registrar. Check the spelling, too.
    "
  `)
})

test('D03: a lame server, one that refuses, one that fails', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  zone
    .server(1, { fault: 'lame' })
    .server(2, { fault: 'refusing' })
    .server(3, { fault: 'servfail' })
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy1.example points to us

    ! D03 3 of 4 name servers of mossy1.example cannot be used
       ns1.burrow.test (127.0.53.11) does not hold the zone, ns2.burrow.test (127.0.53.12) refuses to answer and ns3.burrow.test (127.0.53.13) answers with an error. Visitors and the certificate authority may ask these, and fail.
       → Ask the DNS provider, or take the name server out of the delegation at the registrar.

       Name servers: 1 of 4 point to us.
       ✗ ns1.burrow.test (127.0.53.11)  does not hold the zone
       ✗ ns2.burrow.test (127.0.53.12)  refuses to answer
       ✗ ns3.burrow.test (127.0.53.13)  an error
       ✓ ns4.burrow.test (127.0.53.14)  CNAME docs.animal-store.test  cached until 12:05
       ✓ resolver 127.0.53.53           CNAME docs.animal-store.test  cached until 12:01
    "
  `)
})

test('D03: a silent server', async () => {
  const zone = doctor
    .buy('pigeon')
    .put('docs', 'CNAME', `${target}.`)
    .server(1, { fault: 'silent' })
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy2.example points to us

    ! D03 1 of 2 name servers of mossy2.example cannot be used
       coo.pigeon.test (127.0.53.21) does not answer. Visitors and the certificate authority may ask it, and fail.
       → Ask the DNS provider, or take the name server out of the delegation at the registrar.

       Name servers: 1 of 2 point to us.
       ✗ coo.pigeon.test (127.0.53.21)  no answer
       ✓ roo.pigeon.test (127.0.53.22)  CNAME docs.animal-store.test  cached until 12:05
       ✓ resolver 127.0.53.53           CNAME docs.animal-store.test  cached until 12:01
    "
  `)
})

test('D03: no server responds', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', `${target}.`)
  zone.server(1, { fault: 'refusing' }).server(2, { fault: 'lame' })
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy3.example could not be looked up

    ✗ D03 No name server of mossy3.example answers
       coo.pigeon.test (127.0.53.21) refuses to answer and roo.pigeon.test (127.0.53.22) does not hold the zone. The records of the zone are unknown; we will check again.
       → Ask the DNS provider, or take the name server out of the delegation at the registrar.
    "
  `)
})

test('D04: a DS record without signatures, then fixed', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  doctor.lab.domains.breakDnssec(zone.name, true)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy4.example cannot be seen by resolvers that validate DNSSEC

    ✗ D04 DNSSEC of mossy4.example is broken
       Resolvers that check signatures answer SERVFAIL, and without checking they find the name. The certificate authority checks them.
       → Sign mossy4.example again at its DNS provider, or remove its DS record at the registrar. After a change of DNS provider an old DS record is the usual cause.
    "
  `)
  doctor.lab.domains.breakDnssec(zone.name, false)
  doctor.lab.dns.resolver.clear()
  expect((await doctor.check(`docs.${zone.name}`)).codes).toEqual([])
})
