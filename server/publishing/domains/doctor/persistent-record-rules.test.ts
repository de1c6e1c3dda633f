// A certificate before the switch by a persistent record: what the name servers have, what is wrong about it, and CAA.
import { describe, expect, it } from 'vitest'
import type { CaaStep } from '../../dns/caa/find-caa.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { PreparationFacts } from '../evidence/evidence.ts'
import { at, caa, facts, nothing, txt } from './evidence-in-test.ts'
import { findPreparationBlocker, judge } from './judge.ts'
import { host, preparing } from './preparation-situations-in-test.ts'
import { isChallengeComplete, readChallenge } from './read-challenge.ts'

const name = `_validation-persist.${host}`
const account = 'https://authority.example/acct/2'
const until = 1_800_000_000
const value = `authority.example; accounturi=${account}; persistUntil=${until}`
const former = `authority.example; accounturi=${account}; persistUntil=1600000000`
const challenge = { name, method: 'dns-persist-01', value, until: until * 1000 } as const

const given = (views: NameFacts[], more: Partial<PreparationFacts> = {}) =>
  preparing(views, { challenge, ...more })
const said = (views: NameFacts[], more?: Partial<PreparationFacts>) =>
  judge(given(views, more).evidence).diagnostics.map(({ code, detail, fix, title }) => {
    return { code, text: `${title} ${detail} ${fix?.text}` }
  })
const at1 = (...values: string[]) => {
  const records = values.map((each) => txt(name, each))
  return facts(...records)
}

it('is there to the letter, in any white space, beside records of others', () => {
  const others = ['other.example; accounturi=https://other.example/1', 'v=spf1 -all']
  const spaced = value.replaceAll('; ', ' ;  ').replace('authority', 'Authority')
  const { evidence } = given([at1(value), at1(...others, value), at1(spaced)])
  expect(judge(evidence).diagnostics).toEqual([])
  expect(isChallengeComplete(readChallenge(evidence))).toBe(true)
})

describe('what is wrong', () => {
  it.each([
    ['quotes', `"${value}"`, /quotes became part of the value/],
    ['a policy', `${value}; policy=wildcard`, /policy=wildcard, which would allow certificates/],
    ['an end that has passed', former, /an earlier persistUntil: it has expired/],
    ['another end', value.replace(`${until}`, `${until + 1}`), /another persistUntil, or none/],
    ['no end', value.replace(/; persistUntil.*/, ''), /another persistUntil, or none/],
    ['a semicolon at the end', `${value};`, /refuses it: it ends with a semicolon/],
    ['the account twice', `${value}; accounturi=${account}`, /has a parameter twice/],
    ['another account', value.replace('acct/2', 'acct/3'), /It has another value/],
  ])('is said of %s, and nothing is ordered', (_, text, words) => {
    const found = said([at1(text), at1(text)])
    expect(found.map(({ code }) => code)).toEqual(['M09'])
    expect(found[0]?.text).toMatch(words)
    expect(found[0]?.text).toContain(`name _validation-persist.docs, value ${value}`)
  })

  it('is not a record for another authority alone: that may stay', () => {
    const [first] = said([at1('other.example; accounturi=https://other.example/1')])
    expect(first).toMatchObject({ code: 'M03', text: expect.stringContaining('Waiting for') })
  })

  it('is a name server without it, or the zone appended once more', () => {
    expect(said([at1(value), nothing, at1(value)])).toMatchObject([
      { code: 'M03', text: expect.stringContaining('on 2 of 3 name servers') },
    ])
    const doubled = facts(txt(`${name}.example.com`, value))
    expect(said([nothing], { doubled })).toMatchObject([
      { code: 'M09', text: expect.stringContaining('added the zone to the name once more') },
    ])
  })

  it('is the record of before, with the reason why it is over', () => {
    const before = { value: former, because: 'expired', at, method: 'dns-persist-01' } as const
    const found = said([nothing], { challenge: { ...challenge, former: before } })
    expect(found.map(({ code }) => code)).toEqual(['M03', 'M04'])
    expect(found[1]?.text).toContain('Its persistUntil has passed')
    // The record lasts: it has no deadline.
    const { diagnostics } = judge(given([nothing]).evidence)
    expect(diagnostics[0]).not.toHaveProperty('until')
  })
})

describe('CAA', () => {
  const blockedBy = (issue: string, holderAccountUri?: string) => {
    const records = [caa('example.com', 'issue', issue)]
    const steps: CaaStep[] = [
      { name: 'example.com', isOurTarget: false, rcode: 'NOERROR', records },
    ]
    const { evidence } = given([at1(value)]).with({ caa: steps })
    const authorities = evidence.platform.authorities.map((authority) => ({
      ...authority,
      accountUri: 'https://authority.example/acct/1',
      ...(holderAccountUri && { holderAccountUri }),
    }))
    return findPreparationBlocker(
      judge({ ...evidence, platform: { ...evidence.platform, authorities } }),
    )
  }

  it('has to allow the account of the holder and this method', () => {
    const own = `authority.example; accounturi=${account}`
    expect(blockedBy(own, account)).toBeUndefined()
    expect(blockedBy(`${own}; validationmethods=dns-persist-01`, account)).toBeUndefined()
    expect(blockedBy(`${own}; validationmethods=dns-01`, account)).toBe('C04')
    expect(blockedBy(own)).toBe('C04')
    expect(
      blockedBy('authority.example; accounturi=https://authority.example/acct/1', account),
    ).toBe('C04')
  })
})
