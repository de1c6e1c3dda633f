// The one word for a domain: of all that is the case, what its owner can act on first.
import type { DomainState } from './next.ts'

export const badges = {
  add_dns_record: 'Add DNS record',
  fix_dns: 'Fix DNS',
  propagating: 'Propagating',
  prove_ownership: 'Prove ownership',
  at_risk: 'At risk',
  verified: 'Verified',
} as const
export type Badge = keyof typeof badges

/** `isProofNeeded`: the pointer alone does not prove ownership. */
export function badgeOf({ dns, ownership }: DomainState, isProofNeeded: boolean): Badge {
  if (dns === 'drifting' || dns === 'lost') return 'at_risk'
  if (dns === 'missing' || dns === 'unchecked') return 'add_dns_record'
  if (dns === 'conflict' || dns === 'wrong_target') return 'fix_dns'
  if (dns === 'partial' && !isProofNeeded) return 'propagating'
  if (ownership === 'proven') return dns === 'ok' ? 'verified' : 'propagating'
  // Neither asked for a proof nor proven: the next check decides.
  return isProofNeeded || ownership !== 'unproven' ? 'prove_ownership' : 'propagating'
}
