import { describe, expect, it, test } from 'vitest'
import { readChallengeIssuers, readRecordForm } from './read-record-form.ts'

describe('what an authority says', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `ca${n}.example`)

  test('in its directory: names and the prefix of hashes', () => {
    expect(readRecordForm({})).toEqual({ issuers: undefined, hashPrefix: undefined })
    const meta = { issuerDomainNames: ['ca.example'], accountHashPrefix: 'https://ca.example/h/' }
    expect(readRecordForm(meta)).toEqual({
      issuers: ['ca.example'],
      hashPrefix: 'https://ca.example/h/',
    })
  })

  it.each([
    ['a prefix that is no URI', { accountHashPrefix: 'hash' }],
    ['a prefix with a semicolon', { accountHashPrefix: 'https://ca.example/;x=' }],
    ['a prefix that is too long', { accountHashPrefix: `https://ca.example/${'x'.repeat(300)}` }],
    ['an empty prefix', { accountHashPrefix: '' }],
    ['a prefix that is no text', { accountHashPrefix: 1 }],
    ['no names', { issuerDomainNames: [] }],
  ])('in its directory, is not used: %s', (_, meta) => {
    expect(readRecordForm(meta)).toBeUndefined()
  })

  it.each(['issuerDomainNames', 'issuer-domain-names'])('in a challenge, as %s', (name) => {
    expect(readChallengeIssuers({ [name]: names(10) })).toEqual(names(10))
    expect(readChallengeIssuers({ [name]: names(11) })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: [] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: ['CA.example'] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: ['ca.example.'] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: ['ca.example;x=y'] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: [`${'a'.repeat(64)}.example`] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: [`${'a.'.repeat(125)}example`] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: [1] })).toBeUndefined()
    expect(readChallengeIssuers({ [name]: 'ca.example' })).toBeUndefined()
  })

  test('in a challenge, in both spellings that differ, is not used', () => {
    const both = { issuerDomainNames: ['ca.example'], 'issuer-domain-names': ['ca.example'] }
    expect(readChallengeIssuers(both)).toEqual(['ca.example'])
    const other = { ...both, issuerDomainNames: ['ca2.example'] }
    expect(readChallengeIssuers(other)).toBeUndefined()
    expect(readChallengeIssuers({})).toBeUndefined()
  })
})
