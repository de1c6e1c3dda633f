// D06 and D11 to D15 in the lab: a CNAME that is not exactly ours, not alone, or not allowed.
import { expect, test } from 'vitest'
import { doctorInLab, target, token } from './doctor-in-lab.ts'

const doctor = doctorInLab()

test('D06: the provider appended the zone to the value', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', target)
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy1.example points elsewhere

    ✗ D06 mossy1.example was added to the value
       The CNAME of docs.mossy1.example points to docs.animal-store.test.mossy1.example. The provider takes a value without a dot at its end as a name in the zone.
       found     docs.animal-store.test.mossy1.example
                                       ^^^^^^^^^^^^^^^
       expected  docs.animal-store.test
       → Enter the value with a dot at its end: docs.animal-store.test.
         docs.mossy1.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  expect(seen.removed('D06')).toEqual([
    'docs.mossy1.example. 3600 IN CNAME docs.animal-store.test.mossy1.example.',
  ])
})

test('D11: an A record next to the CNAME', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', `${target}.`).put('docs', 'A', '192.0.2.7')
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy2.example has conflicting records

    ✗ D11 docs.mossy2.example has other records beside its CNAME
       It has CNAME docs.animal-store.test and A 192.0.2.7. A CNAME must stand alone.
       → Keep the CNAME record with the value docs.animal-store.test, and delete A 192.0.2.7 at docs.mossy2.example. What has to stay needs another name.
    "
  `)
  expect(seen.removed('D11')).toEqual(['docs.mossy2.example. 300 IN A 192.0.2.7'])
})

test('D11: mail and text records next to the CNAME', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', `${target}.`)
  zone.put('docs', 'TXT', 'v=spf1 -all').put('docs', 'MX', '10 mail.mossy.example.')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy3.example has conflicting records

    ✗ D11 docs.mossy3.example has other records beside its CNAME
       It has CNAME docs.animal-store.test, MX mail.mossy.example and TXT v=spf1 -all. A CNAME must stand alone.
       → Keep the CNAME record with the value docs.animal-store.test, and delete MX mail.mossy.example and TXT v=spf1 -all at docs.mossy3.example. What has to stay needs another name.
    "
  `)
})

test('D11: two CNAME records', async () => {
  const zone = doctor.buy('pigeon').put('docs', 'CNAME', `${target}.`)
  zone.put('docs', 'CNAME', 'old.mossy.example.')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy4.example has conflicting records

    ✗ D11 docs.mossy4.example has 2 CNAME records
       It has CNAME docs.animal-store.test and CNAME old.mossy.example. A CNAME must stand alone.
       → Keep the CNAME record with the value docs.animal-store.test, and delete CNAME old.mossy.example at docs.mossy4.example. What has to stay needs another name.
    "
  `)
})

test('D12: one wrong letter', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', 'd0cs.animal-store.test')
  const seen = await doctor.check(`docs.${zone.name}`)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy5.example points elsewhere

    ✗ D12 docs.mossy5.example points to d0cs.animal-store.test, and must point to exactly docs.animal-store.test
       The two differ in few characters.
       found     d0cs.animal-store.test
                  ^
       expected  docs.animal-store.test
                  ^
       → Change the value of the CNAME record docs from d0cs.animal-store.test to docs.animal-store.test.
         docs.mossy5.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  expect(seen.removed('D12')).toEqual([
    'docs.mossy5.example. 3600 IN CNAME d0cs.animal-store.test.',
  ])
})

test('D12: the subdomain of one project, and an unrelated target', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', `zoo.${target}`)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy6.example points elsewhere

    ✗ D12 docs.mossy6.example points to zoo.docs.animal-store.test, and must point to exactly docs.animal-store.test
       zoo.docs.animal-store.test is the address of one project. The value is the platform's own name, for all of them.
       found     zoo.docs.animal-store.test
                 ^^^^
       expected  docs.animal-store.test
       → Change the value of the CNAME record docs from zoo.docs.animal-store.test to docs.animal-store.test.
         docs.mossy6.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  zone.clear('docs').put('docs', 'CNAME', 'pages.dovecote.test')
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy6.example points elsewhere

    ✗ D12 docs.mossy6.example points to pages.dovecote.test, and must point to exactly docs.animal-store.test
       The CNAME points to pages.dovecote.test, so visitors of docs.mossy6.example do not reach us.
       found     pages.dovecote.test
       expected  docs.animal-store.test
       → Change the value of the CNAME record docs from pages.dovecote.test to docs.animal-store.test.
         docs.mossy6.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('D13: through another name, then proven by TXT', async () => {
  const zone = doctor.buy()
  zone.put('docs', 'CNAME', `way.${zone.name}`).put('way', 'CNAME', target)
  const host = `docs.${zone.name}`
  const seen = await doctor.check(host)
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy7.example points to us, but has problems to fix

    ✗ D13 docs.mossy7.example points to us through way.mossy7.example
       The chain is docs.mossy7.example → way.mossy7.example → docs.animal-store.test: the owner of any name in it can send visitors elsewhere. To prevent the takeover of a forgotten name, a TXT record is required as well.
       found     way.mossy7.example
       expected  docs.animal-store.test
       → Change the value of the CNAME record docs from way.mossy7.example to docs.animal-store.test.
         docs.mossy7.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
  const verification = { name: `_animal-store.${host}`, value: token }
  zone.put('_animal-store.docs', 'TXT', token)
  const proven = await doctor.check(host, {
    claim: { addedAt: doctor.clock.now },
    platform: { verification },
  })
  expect(proven.judged.diagnostics).toMatchObject([{ code: 'D13', severity: 'warns' }])
})

test('D14: two names that point to each other', async () => {
  const zone = doctor.buy()
  zone.put('docs', 'CNAME', `pool.${zone.name}`).put('pool', 'CNAME', `docs.${zone.name}`)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy8.example points elsewhere

    ✗ D14 The CNAME of docs.mossy8.example is in a loop
       The chain is docs.mossy8.example → pool.mossy8.example → docs.mossy8.example. It never resolves.
       found     pool.mossy8.example
       expected  docs.animal-store.test
       → Change the value of the CNAME record docs from pool.mossy8.example to docs.animal-store.test.
         docs.mossy8.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('D14: nine names, although the last one is ours', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', `a1`)
  zone.clear('docs').put('docs', 'CNAME', `a1.${zone.name}`)
  for (let i = 1; i < 7; i++) zone.put(`a${i}`, 'CNAME', `a${i + 1}.${zone.name}`)
  zone.put('a7', 'CNAME', target)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy9.example points elsewhere

    ✗ D14 The CNAME chain of docs.mossy9.example has 9 names
       The chain is docs.mossy9.example → a1.mossy9.example → a2.mossy9.example → a3.mossy9.example → a4.mossy9.example → a5.mossy9.example → a6.mossy9.example → a7.mossy9.example → docs.animal-store.test. Resolvers may give up after 8.
       found     a1.mossy9.example
       expected  docs.animal-store.test
       → Change the value of the CNAME record docs from a1.mossy9.example to docs.animal-store.test.
         docs.mossy9.example. 3600 IN CNAME docs.animal-store.test.
    "
  `)
})

test('D15: a CNAME at the apex', async () => {
  const zone = doctor.buy('pigeon').put('@', 'CNAME', `${target}.`)
  const seen = await doctor.check(zone.name)
  expect(seen.text).toMatchInlineSnapshot(`
    "mossy10.example has conflicting records

    ✗ D15 mossy10.example has a CNAME, and is the top of its zone
       A CNAME (to docs.animal-store.test) hides the zone's own records there: mail for @mossy10.example and the zone itself may stop working.
       → Delete the CNAME record docs.animal-store.test. Then add an ALIAS or ANAME record: name @, value docs.animal-store.test. If your provider has neither, redirect mossy10.example to www there.
         mossy10.example. 3600 IN ALIAS docs.animal-store.test.
    "
  `)
  expect(seen.removed('D15')).toEqual(['mossy10.example. 3600 IN CNAME docs.animal-store.test.'])
})
