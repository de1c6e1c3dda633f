import { describe, expect, it } from 'vitest'
import { type Badge, badgeOf, badges } from './badge.ts'
import { type DomainState, dnsStates, ownershipStates, stateWhenAdded } from './next.ts'

type Dns = DomainState['dns']
type Ownership = DomainState['ownership']

const badge = (dns: Dns, ownership: Ownership, isProofNeeded: boolean) =>
  badgeOf({ ...stateWhenAdded, dns, ownership }, isProofNeeded)

/** What DNS alone decides, whoever owns it. */
const byDns: [Dns, Badge][] = [
  ['unchecked', 'add_dns_record'],
  ['missing', 'add_dns_record'],
  ['conflict', 'fix_dns'],
  ['wrong_target', 'fix_dns'],
  ['drifting', 'at_risk'],
  ['lost', 'at_risk'],
]

/** The rest: dns, ownership, whether TXT is asked for. */
const byBoth: [Dns, Ownership, boolean, Badge][] = [
  ['ok', 'proven', false, 'verified'],
  ['ok', 'unproven', true, 'prove_ownership'],
  // Neither asked for nor proven: something could not be seen, and the next check decides.
  ['ok', 'unproven', false, 'propagating'],
  ['ok', 'disputed', true, 'prove_ownership'],
  ['ok', 'disputed', false, 'prove_ownership'],
  ['ok', 'revoked', true, 'prove_ownership'],
  ['ok', 'revoked', false, 'prove_ownership'],
  ['partial', 'proven', false, 'propagating'],
  ['partial', 'unproven', false, 'propagating'],
  ['partial', 'unproven', true, 'prove_ownership'],
  ['partial', 'disputed', true, 'prove_ownership'],
]

describe('the badge', () => {
  it.each(byDns)('of %s is %s, whoever owns it', (dns, expected) => {
    for (const ownership of ownershipStates) {
      expect([badge(dns, ownership, false), badge(dns, ownership, true)]).toEqual([
        expected,
        expected,
      ])
    }
  })

  it.each(byBoth)('of %s and %s, TXT asked for: %s, is %s', (dns, ownership, needed, expected) => {
    expect(badge(dns, ownership, needed)).toBe(expected)
  })

  it('is verified only for what is proven and leads here', () => {
    for (const dns of dnsStates) {
      for (const ownership of ownershipStates) {
        const isVerified = badge(dns, ownership, ownership !== 'proven') === 'verified'
        expect(isVerified).toBe(dns === 'ok' && ownership === 'proven')
      }
    }
  })

  it('has a word for each', () => {
    expect(Object.values(badges).every((word) => /^[A-Z][a-zA-Z ]+$/.test(word))).toBe(true)
  })
})
