import { describe, expect, it } from 'vitest'
import type { CaaStep } from '#dns/caa/find-caa.ts'
import { type Candidate, chooseAuthority } from './authorities.ts'

const first: Candidate = { directory: 'one', identities: ['one.test'], accountUri: 'https://one/1' }
const second: Candidate = { directory: 'two', identities: ['two.test'], accountUri: undefined }
const both = ['http-01', 'tls-alpn-01'] as const

function caa(...values: string[]): CaaStep[] {
  const name = 'example.com'
  const records = values.map((value) => ({
    type: 'CAA' as const,
    name,
    ttlSeconds: 60,
    flags: 0,
    tag: 'issue',
    value,
  }))
  return [{ name, isOurTarget: false, rcode: 'NOERROR', records }]
}

const none: CaaStep[] = [{ name: 'com', isOurTarget: false, rcode: 'NOERROR', records: [] }]

it('chooses none while CAA is not known', () => {
  const cut: CaaStep = { name: 'example.com', isOurTarget: false, rcode: 'not-asked', records: [] }
  for (const steps of [[], [cut], [...none, cut]]) {
    expect(chooseAuthority([first, second], both, steps, 0)).toBeUndefined()
  }
})

const directoryOf = (candidates: Candidate[], set: CaaStep[], failures: number) =>
  chooseAuthority(candidates, both, set, failures)?.directory

describe('without CAA', () => {
  it.each([
    [0, 'one'],
    [1, 'one'],
    [2, 'two'],
    [3, 'one'],
    [4, 'two'],
  ])('after %s failures it is %s', (failures, directory) => {
    expect(directoryOf([first, second], none, failures)).toBe(directory)
    expect(directoryOf([first], none, failures)).toBe('one')
  })
})

describe('with CAA', () => {
  it('uses only the authorities that it allows', () => {
    expect(directoryOf([first, second], caa('two.test'), 0)).toBe('two')
    expect(directoryOf([first, second], caa('one.test'), 2)).toBe('one')
    expect(directoryOf([first, second], caa('one.test', 'two.test'), 2)).toBe('two')
    expect(directoryOf([first, second], caa('three.test'), 0)).toBeUndefined()
    expect(directoryOf([first, second], caa(';'), 0)).toBeUndefined()
  })

  it('uses only the methods and accounts that it lists', () => {
    const bound = caa('one.test; validationmethods=tls-alpn-01')
    expect(chooseAuthority([first], both, bound, 0)?.methods).toEqual(['tls-alpn-01'])
    expect(chooseAuthority([first], ['http-01'], bound, 0)).toBeUndefined()
    const to = (account: string) => caa(`one.test; accounturi=${account}`)
    expect(directoryOf([first], to('https://one/1'), 0)).toBe('one')
    expect(directoryOf([first], to('https://one/2'), 0)).toBeUndefined()
  })

  it('does not check CAA for an authority with unknown CAA names', () => {
    expect(directoryOf([{ ...first, identities: undefined }], caa('other.test'), 0)).toBe('one')
  })
})
