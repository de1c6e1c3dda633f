// D23 to D25 in the lab: what requires a TXT record, and what is wrong with the record.
import { describe, expect, test } from 'vitest'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { doctorInLab, type Given, noon, target, token } from './doctor-in-lab.ts'

const doctor = doctorInLab()

const verificationRecordOf = (host: string) => ({ name: `_animal-store.${host}`, value: token })

/** A claim of ten minutes ago, with other facts. */
const claimed = (host: string, claim: Given['claim'] = {}): Given => ({
  claim: { addedAt: noon - 600_000, ...claim },
  platform: { verification: verificationRecordOf(host) },
})

test('a pointer that appears after the domain was added proves ownership', async () => {
  const zone = doctor.buy().put('docs', 'CNAME', target)
  const host = `docs.${zone.name}`
  expect((await doctor.check(host, claimed(host))).text).toMatchInlineSnapshot(`
    "docs.mossy1.example points to us

       ✓ CNAME docs.animal-store.test at 4 name servers
       ✓ A request to 127.0.0.1 reaches us
    "
  `)
})

test('D23: a wildcard, then proven by TXT', async () => {
  const zone = doctor.buy().put('*', 'CNAME', target)
  const host = `docs.${zone.name}`
  const seen = await doctor.check(host, claimed(host))
  expect(seen.text).toMatchInlineSnapshot(`
    "docs.mossy2.example points to us, but has problems to fix

    ✗ D23 Wildcard *.mossy2.example points to us
       Any name beside docs.mossy2.example points to us as well, so the CNAME does not prove who owns it.
       → Add a CNAME record: name docs, value docs.animal-store.test. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
         docs.mossy2.example. 3600 IN CNAME docs.animal-store.test.
         _animal-store.docs.mossy2.example. 3600 IN TXT "as-proof-Zm9vYmFy"
    "
  `)
  zone.put('_animal-store.docs', 'TXT', token)
  const unreached = await doctor.check(host, claimed(host))
  expect(unreached.codes).toEqual(['D07'])
  expect(unreached.text).toContain(`The wildcard of ${zone.name} does not reach it`)
  zone.put('docs', 'CNAME', target)
  expect((await doctor.check(host, claimed(host))).codes).toEqual([])
})

test('D23: without a claim', async () => {
  const zone = doctor.buy().put('*', 'CNAME', target)
  expect((await doctor.check(`docs.${zone.name}`)).text).toMatchInlineSnapshot(`
    "docs.mossy3.example points to us, but has problems to fix

    ✗ D23 Wildcard *.mossy3.example points to us
       Any name beside docs.mossy3.example points to us as well, so the CNAME does not prove who owns it.
       → Add docs.mossy3.example to a project; the TXT record is then shown.
    "
  `)
})

describe('D24', () => {
  const reasons: [string, Given['claim'], string][] = [
    ['holds', { heldByOther: 'holds' }, 'Another account holds HOST'],
    ['held', { heldByOther: 'held' }, 'Another account held HOST within the last 90 days'],
    ['pointed', { pointedWhenAdded: true }, 'HOST pointed here before it was added'],
  ]
  test.each(reasons)('%s', async (_, claim, title) => {
    const zone = doctor.buy().put('docs', 'CNAME', target)
    const host = `docs.${zone.name}`
    const seen = await doctor.check(host, claimed(host, claim))
    expect(seen.judged.diagnostics).toMatchObject([
      { code: 'D24', severity: 'blocks', title: title.replace('HOST', host) },
    ])
    expect(seen.text).toContain(`\n     _animal-store.docs.${zone.name}. 3600 IN TXT "${token}"\n`)
    zone.put('_animal-store.docs', 'TXT', token)
    expect((await doctor.check(host, claimed(host, claim))).codes).toEqual([])
  })

  test('the text', async () => {
    const zone = doctor.buy().put('docs', 'CNAME', target)
    const host = `docs.${zone.name}`
    const seen = await doctor.check(host, claimed(host, { heldByOther: 'holds' }))
    expect(seen.text).toMatchInlineSnapshot(`
      "docs.mossy7.example points to us, but has problems to fix

      ✗ D24 Another account holds docs.mossy7.example
         It goes to the account that proves ownership with a TXT record.
         → Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy7.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
})

describe('D25', () => {
  const look = async (
    put: (zone: BoughtZone) => void,
    provider: 'burrow' | 'pigeon' = 'pigeon',
  ) => {
    const zone = doctor.buy(provider).put('docs', 'CNAME', `${target}.`)
    put(zone)
    const host = `docs.${zone.name}`
    const { text } = await doctor.check(host, claimed(host, { heldByOther: 'held' }))
    return text.slice(text.indexOf('✗ D25'))
  }

  test('another value', async () => {
    expect(
      await look((zone) => zone.put('_animal-store.docs', 'TXT', 'as-proof-Zm9vYmFx')),
    ).toMatchInlineSnapshot(`
      "✗ D25 The TXT record at _animal-store.docs.mossy8.example is not the one that proves
         It has another value.
         found     as-proof-Zm9vYmFx
                                   ^
         expected  as-proof-Zm9vYmFy
                                   ^
         → Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy8.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
  test('quoted twice, where the provider adds quotes automatically', async () => {
    expect(
      await look((zone) => zone.put('_animal-store.docs', 'TXT', `"${token}"`)),
    ).toMatchInlineSnapshot(`
      "✗ D25 The TXT record at _animal-store.docs.mossy9.example is not the one that proves
         The quotes became part of the value: enter it without them.
         found     "as-proof-Zm9vYmFy"
                   ^                 ^
         expected  as-proof-Zm9vYmFy
         There are quotes that are part of the value.
         → Delete the TXT record at _animal-store.docs.mossy9.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy9.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
    const isRight = await look(
      (zone) => zone.put('_animal-store.docs', 'TXT', `"${token}"`),
      'burrow',
    )
    expect(isRight).not.toContain('D25')
  })
  test('in another letter case', async () => {
    expect(
      await look((zone) => zone.put('_animal-store.docs', 'TXT', token.toUpperCase())),
    ).toMatchInlineSnapshot(`
      "✗ D25 The TXT record at _animal-store.docs.mossy11.example is not the one that proves
         Upper and lower case differ; the value is case-sensitive.
         found     AS-PROOF-ZM9VYMFY
         expected  as-proof-Zm9vYmFy
         Only upper and lower case differ.
         → Delete the TXT record at _animal-store.docs.mossy11.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy11.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
  test('with its name', async () => {
    expect(
      await look((zone) =>
        zone.put('_animal-store.docs', 'TXT', `_animal-store.docs TXT ${token}`),
      ),
    ).toMatchInlineSnapshot(`
      "✗ D25 The TXT record at _animal-store.docs.mossy12.example is not the one that proves
         The name was entered as part of the value.
         found     _animal-store.docs TXT as-proof-Zm9vYmFy
                   ^ ^^^^^^ ^^^^^^^^^^^^^^^^
         expected  as-proof-Zm9vYmFy
         There is a space in it.
         → Delete the TXT record at _animal-store.docs.mossy12.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy12.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
  test('an alias', async () => {
    expect(
      await look((zone) => zone.put('_animal-store.docs', 'CNAME', `proofs.${zone.name}.`)),
    ).toMatchInlineSnapshot(`
      "✗ D25 _animal-store.docs.mossy13.example is an alias
         The name has a CNAME. A TXT record of its own is needed there.
         found     proofs.mossy13.example
         expected  as-proof-Zm9vYmFy
         → Delete the CNAME record at _animal-store.docs.mossy13.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy13.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
  test('at the host itself', async () => {
    expect(await look((zone) => zone.put('docs', 'TXT', token))).toMatchInlineSnapshot(`
      "✗ D25 The TXT record is at docs.mossy14.example, not at _animal-store.docs.mossy14.example
         The value is right, the name is not.
         found     docs.mossy14.example
         expected  _animal-store.docs.mossy14.example
                   ^^^^^^^^^^^^^^
         → Delete the TXT record at docs.mossy14.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy14.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
  test('with the zone appended to the name', async () => {
    expect(
      await look((zone) => zone.put(`_animal-store.docs.${zone.name}`, 'TXT', token)),
    ).toMatchInlineSnapshot(`
      "✗ D25 The TXT record is at _animal-store.docs.mossy15.example.mossy15.example, not at _animal-store.docs.mossy15.example
         The provider added the zone to the name once more.
         found     _animal-store.docs.mossy15.example.mossy15.example
                                                     ^^^^^^^^^^^^^^^^
         expected  _animal-store.docs.mossy15.example
         → Delete the TXT record at _animal-store.docs.mossy15.example.mossy15.example. Add a TXT record: name _animal-store.docs, value as-proof-Zm9vYmFy.
           _animal-store.docs.mossy15.example. 3600 IN TXT "as-proof-Zm9vYmFy"
      "
    `)
  })
})
