import { describe, expect, it } from 'vitest'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import { badgeOf } from './badge.ts'
import { type DomainState, dnsStates, ownershipStates, stateWhenAdded } from './domain-state.ts'

type Dns = DomainState['dns']
type Ownership = DomainState['ownership']

const [minute, day] = [60_000, 86_400_000]
const now = 100 * day
const badge = (
  dns: Dns,
  ownership: Ownership,
  isVerificationRequired: boolean,
  more: Partial<DomainState> = {},
) => badgeOf({ ...stateWhenAdded(0), dns, ownership, ...more }, now, { isVerificationRequired })

/** Badges that depend only on DNS. */
const byDns: [Dns, Badge][] = [
  ['unchecked', 'add_dns_record'],
  ['missing', 'add_dns_record'],
  ['conflict', 'fix_dns'],
  ['wrong_target', 'fix_dns'],
  ['drifting', 'at_risk'],
  ['lost', 'at_risk'],
]

/** Other badges: dns, ownership, whether TXT is required. */
const byBoth: [Dns, Ownership, boolean, Badge][] = [
  ['ok', 'proven', false, 'issuing_certificate'],
  ['ok', 'unproven', true, 'prove_ownership'],
  // Neither required nor proven: a query failed, and the next check decides.
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
  it.each(byDns)('of %s is %s, for any ownership', (dns, expected) => {
    for (const ownership of ownershipStates) {
      expect([badge(dns, ownership, false), badge(dns, ownership, true)]).toEqual([
        expected,
        expected,
      ])
    }
  })

  it.each(byBoth)('of %s and %s, TXT required: %s, is %s', (dns, ownership, needed, expected) => {
    expect(badge(dns, ownership, needed)).toBe(expected)
  })

  /** Badges of proven domains that point to us depend on the certificate. */
  const byCertificate: [Partial<DomainState>, Badge][] = [
    [{ certificate: 'ordering', certificateSince: now - 30 * minute }, 'issuing_certificate'],
    [{ certificate: 'validating', certificateSince: now - 31 * minute }, 'needs_attention'],
    [{ certificate: 'blocked', blockedBy: 'C01', certificateSince: now }, 'needs_attention'],
    [{ certificate: 'retry_wait', certificateSince: now - minute }, 'retrying'],
    [{ certificate: 'retry_wait', certificateSince: now - day }, 'needs_attention'],
    [{ certificate: 'expired', certificateSince: now }, 'needs_attention'],
    [{ certificate: 'issued', expiresAt: now + 60 * day }, 'active'],
    [{ certificate: 'renewing', expiresAt: now + 6 * day }, 'active'],
    [{ certificate: 'issued', expiresAt: now + 8 * day, failures: 3 }, 'active'],
    [{ certificate: 'issued', expiresAt: now + 6 * day, failures: 1 }, 'at_risk'],
    [{ certificate: 'issued', expiresAt: now + 6 * day, blockedBy: 'D10' }, 'at_risk'],
    [{ certificate: 'issued', expiresAt: now + day, pausedAt: now }, 'paused'],
    [{ certificate: 'issued', expiresAt: now + day, serving: 'suspended' }, 'suspended'],
  ]
  it.each(byCertificate)('of %o is %s', (more, expected) => {
    expect(badge('ok', 'proven', false, more)).toBe(expected)
  })

  it('is active only for a proven domain that points to us', () => {
    const more = { certificate: 'issued', expiresAt: now + 60 * day } as const
    for (const dns of dnsStates) {
      for (const ownership of ownershipStates) {
        const isActive = badge(dns, ownership, ownership !== 'proven', more) === 'active'
        expect(isActive).toBe(dns === 'ok' && ownership === 'proven')
      }
    }
  })

  it('has a text for each value', () => {
    expect(Object.values(badges).every(({ title: word }) => /^[A-Z][a-zA-Z ]+$/.test(word))).toBe(
      true,
    )
  })
})
