// The doctor with real name servers of other authors, results of our own lab must hold
// here, too, or both share a misunderstanding.
// In npm test: test/domains/doctor.test.ts.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { ClaimFacts } from '#doctor/evidence.ts'
import { shared } from '../shared.ts'
import { checkHost, type Given } from './check-host.ts'
import { startRealInternet, strictTarget, target, token } from './real-internet.ts'

const internet = shared(startRealInternet)

async function check(host: string, given?: Given) {
  const { evidence, judged } = await checkHost(internet.env, host, given)
  expect(evidence.isCutShort).toBe(false)
  const { diagnostics, result } = judged
  return {
    evidence,
    result,
    codes: diagnostics.map(({ code }) => code),
    title: diagnostics[0]?.title ?? '',
    detail: diagnostics[0]?.detail ?? '',
  }
}

describe('on NSD', () => {
  test.each([
    ['new.garden.test', 'missing', ['D07'], 'new.garden.test has no record yet'],
    ['docs.garden.test', 'ok', [], ''],
    ['old.garden.test', 'conflict', ['D10'], 'The A record 192.0.2.7 conflicts'],
    [
      'near.garden.test',
      'wrong_target',
      ['D12'],
      `near.garden.test points to edge.platfrom.test, and must point to exactly ${target}`,
    ],
    ['appended.garden.test', 'wrong_target', ['D06'], 'garden.test was added to the value'],
    [
      'doubled.garden.test',
      'missing',
      ['D05'],
      'The record was created at doubled.garden.test.garden.test',
    ],
    ['way.garden.test', 'ok', ['D13'], 'way.garden.test points to us through hop.garden.test'],
    ['round.garden.test', 'wrong_target', ['D14'], 'The CNAME of round.garden.test is in a loop'],
    ['unknown.test', 'missing', ['D02'], 'unknown.test is not registered, or has expired'],
  ] as const)('%s: %s', async (host, result, codes, title) => {
    const seen = await check(host)
    expect(seen).toMatchObject({ result, codes, title })
  })

  test('how long the absence is cached, and the alias', async () => {
    const { evidence: none } = await check('new.garden.test')
    expect(none.servers.map(({ host }) => host)).toEqual(
      Array(2).fill({ kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 300 }),
    )
    const { evidence: there } = await check('docs.garden.test')
    expect(there.resolver?.host).toMatchObject({ cname: [{ target }] })
    expect(there.probes).toMatchObject([
      { address: internet.address, outcome: { kind: 'platform' } },
    ])
    expect(there.queries).toBeLessThanOrEqual(28)
  })

  test('one of three servers is outdated', async () => {
    const seen = await check('docs.behind.test')
    expect(seen).toMatchObject({ result: 'partial', title: '2 of 3 name servers have the record' })
    expect(seen.codes[0]).toBe('D08')
    expect(seen.detail).toContain('third.hoster.test')
  })

  test('a server without the zone', async () => {
    const seen = await check('docs.lame.test')
    expect(seen).toMatchObject({ result: 'ok', codes: ['D03'] })
    expect(seen.detail).toContain(
      `third.hoster.test (${internet.addressOf('third')}) refuses to answer`,
    )
  })

  test('a server that has stopped', async () => {
    expect(await check('docs.part.test')).toMatchObject({ result: 'ok', codes: [] })
    await internet.stopLast()
    const seen = await check('docs.part.test')
    expect(seen).toMatchObject({ result: 'ok', codes: ['D03'] })
    expect(seen.detail).toContain(
      `last.hoster.test (${internet.addressOf('last')}) does not answer`,
    )
  })
})

describe('ownership', () => {
  const verificationRecordOf = (host: string) => ({
    verification: { name: `_animal-store.${host}`, value: token },
  })
  const already: Partial<ClaimFacts> = { addedAt: Date.now(), pointedWhenAdded: true }

  test('a wildcard requires a TXT record', async () => {
    const host = 'any.wild.garden.test'
    const seen = await check(host, {
      platform: verificationRecordOf(host),
      claim: { addedAt: Date.now() },
    })
    expect(seen.codes).toContain('D23')
  })

  test('a TXT record, and one that is almost right', async () => {
    const proven = await check('docs.garden.test', {
      platform: verificationRecordOf('docs.garden.test'),
      claim: { ...already, heldByOther: 'held' },
    })
    expect(proven.evidence.servers[0]?.verification).toMatchObject({
      others: [{ strings: [token] }],
    })
    expect(proven.codes).toEqual([])
    const wrong = await check('way.garden.test', {
      platform: verificationRecordOf('way.garden.test'),
      claim: already,
    })
    expect(wrong.codes).toEqual(expect.arrayContaining(['D13', 'D25']))
  })
})

describe('CAA', () => {
  test.each([
    ['docs.caa.test', ['C01'], 'CAA at caa.test allows only other.example'],
    ['below.shut.caa.test', ['C02'], 'CAA at shut.caa.test forbids every authority'],
    ['below.open.caa.test', [], ''],
  ] as const)('above %s', async (host, codes, title) => {
    expect(await check(host)).toMatchObject({ result: 'ok', codes, title })
  })

  test('at the target is for the operator to fix', async () => {
    const seen = await check('strict.garden.test', { platform: { host: strictTarget } })
    expect(seen).toMatchObject({ result: 'ok', codes: ['C03'] })
  })
})

describe('the apex of a zone', () => {
  test('ALIAS on PowerDNS', async () => {
    const seen = await check('apex.test')
    expect(seen).toMatchObject({ result: 'ok', codes: ['D16'] })
    expect(seen.title).toBe('apex.test points to us by its addresses')
    expect(seen.evidence.probes).toMatchObject([{ outcome: { kind: 'platform' } }])
  })

  test('a CNAME, which PowerDNS accepts', async () => {
    const seen = await check('bare.test')
    expect(seen).toMatchObject({ result: 'conflict' })
    expect(seen.codes[0]).toBe('D15')
  })
})

// Last, because it restarts the registry and the resolver.
describe('DNSSEC', () => {
  const valid = { codes: [], result: 'ok', evidence: { zone: { dnssec: 'fine' } } }

  test('signed by Knot, and valid', async () => {
    expect(await check('docs.signed.test')).toMatchObject(valid)
  })

  test('one name without a signature', async () => {
    const host = `unsigned-${internet.address.replaceAll('.', '-')}.signed.test`
    const { evidence, ...seen } = await check(host)
    const title = `DNSSEC of ${host} (A) is broken`
    expect(seen).toMatchObject({ result: 'unknown', codes: ['D04', 'D16'], title })
    const whose = { name: host, type: 'A', zone: 'signed.test', isWhole: false }
    expect(evidence.zone).toMatchObject({ dnssec: 'broken', bogus: whose })
  })

  test('broken, as in dig, then fixed', async () => {
    const dig = (...words: string[]) =>
      execFileSync('dig', [`@${internet.env.DNS_SERVERS}`, 'docs.broken.test', ...words], {
        encoding: 'utf8',
      })
    expect(dig()).toContain('status: SERVFAIL')
    expect(dig('+cd')).toContain('status: NOERROR')
    const broken = await check('docs.broken.test')
    expect(broken.codes[0]).toBe('D04')
    expect(broken).toMatchObject({ result: 'unknown', title: 'DNSSEC of broken.test is broken' })
    await internet.mendSignatures()
    expect(await check('docs.broken.test')).toMatchObject(valid)
  })
})
