// The record of dns-persist-01: the draft's vectors and its syntax.
import { describe, expect, it } from 'vitest'
import { createKey, publicJwk, readKey, thumbprint } from '../x509/keys.ts'
import {
  accountUriOf,
  formatPersistentRecord,
  hashAccount,
  isSameRecord,
  parsePersistentRecord,
} from './persistent-record.ts'

const account = 'https://ca.example/acct/123'
const until = Date.parse('2027-01-15T08:00:00Z')
const value = `ca.example; accounturi=${account}; persistUntil=1800000000`

describe('the hash of an account', () => {
  const keyThumbprint = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'

  it.each([
    ['example.com', '5SQm7n6tPh2-PlLbCKGnViTXX5z19SCN4cPGQHSk-kw'],
    ['*', 'NpDnSwUthQK8zCgFdefYxAdAVPnygMLbs9US6oO-5ug'],
  ])('of %s is that of draft 02', (domain, hash) => {
    expect(hashAccount(domain, keyThumbprint, account)).toBe(hash)
  })

  it('is used where the directory has a prefix, and otherwise the URL', async () => {
    const privateKey = await createKey()
    const own = { privateKey, url: account }
    expect(accountUriOf({ hashPrefix: undefined }, own, 'example.com')).toBe(account)
    const hash = hashAccount('example.com', thumbprint(publicJwk(readKey(privateKey))), account)
    const hashPrefix = 'https://ca.example/acct-hash/'
    expect(accountUriOf({ hashPrefix }, own, 'example.com')).toBe(`${hashPrefix}sha-256/${hash}`)
  })
})

describe('the value', () => {
  it('is written without a policy, and read again', () => {
    const record = { issuer: 'ca.example', accountUri: account, persistUntil: until + 999 }
    expect(formatPersistentRecord(record)).toBe(value)
    const read = { ...record, persistUntil: until, isWildcard: false }
    expect(parsePersistentRecord(value)).toEqual(read)
  })

  it.each([
    ['an account with a semicolon', { accountUri: 'https://ca.example/;policy=wildcard' }],
    ['an account with a space', { accountUri: 'https://ca.example/ policy' }],
    ['no account', { accountUri: '' }],
    ['an authority that is no name', { issuer: 'ca.example; policy=wildcard' }],
  ])('is not written with %s', (_, wrong) => {
    const record = { issuer: 'ca.example', accountUri: account, persistUntil: until, ...wrong }
    expect(() => formatPersistentRecord(record)).toThrow(RangeError)
  })

  it.each([
    ['a semicolon at the end', `${value};`],
    ['a semicolon and a space at the end', `${value}; `],
    ['the account twice', `${value}; accounturi=${account}`],
    ['the end twice, in another letter case', `${value}; PERSISTUNTIL=1`],
    ['no account', 'ca.example; persistUntil=1800000000'],
    ['an end that is no number', `ca.example; accounturi=${account}; persistUntil=2027-01-15`],
    ['a negative end', `ca.example; accounturi=${account}; persistUntil=-1`],
    ['no authority', `; accounturi=${account}`],
    ['quotes', `"${value}"`],
    ['another syntax', 'v=spf1 -all'],
    ['nothing', ''],
  ])('is not read with %s', (_, text) => {
    expect(parsePersistentRecord(text)).toBeUndefined()
  })

  it.each([
    ['other white space', value.replaceAll('; ', ' ;\t'), true],
    ['the authority in capitals', value.replace('ca.example', 'CA.Example'), true],
    [
      'another order of parameters',
      `ca.example;persistUntil=1800000000;accounturi=${account}`,
      true,
    ],
    ['an unknown parameter', `${value}; x=y`, true],
    ['another end', value.replace('1800000000', '1800000001'), false],
    ['no end', `ca.example; accounturi=${account}`, false],
    ['all names below', `${value}; policy=wildcard`, false],
    ['another account', `${value.replace('/123', '/124')}`, false],
    ['the account in capitals', value.replace('/acct', '/ACCT'), false],
    ['another authority', value.replace('ca.example', 'ca2.example'), false],
  ])('with %s is the same: %s', (_, text, isSame) => {
    expect(isSameRecord(text, value)).toBe(isSame)
  })
})
