// The status of a domain: the most urgent condition that its owner can act on. Also what blocks a certificate request, in
// a few words for event lists, the terminal and e-mails; the diagnostic with the same code says more while it is in the
// last check.
import type { Badge } from '../../../client/values/domain-badges.ts'
import {
  type DomainState,
  hasCertificate,
  isUnresolvable,
  shownCertificateState,
} from './domain-state.ts'

/** Without a certificate for this long, a domain needs attention. */
const attentionAfterMs = 30 * 60_000
const expiresSoonMs = 7 * 24 * 3_600_000

/**
 * `isVerificationRequired`: the pointer alone does not prove ownership. `isDnsBroken`: the last check found a problem
 * that adding the record does not solve, such as a zone that is not registered.
 */
export function badgeOf(
  state: DomainState,
  now: number,
  { isDnsBroken = false, isVerificationRequired = false } = {},
): Badge {
  const { dns, ownership, pausedAt, serving } = state
  if (pausedAt !== null) return 'paused'
  if (serving === 'suspended') return 'suspended'
  if (state.preparation === 'requested' && dns !== 'ok') return badgeOfPreparation(state, now)
  if (dns === 'drifting' || dns === 'lost') return 'at_risk'
  if (dns === 'missing' || dns === 'unchecked') return isDnsBroken ? 'fix_dns' : 'add_dns_record'
  if (dns === 'conflict' || dns === 'wrong_target') return 'fix_dns'
  if (ownership === 'disputed' || ownership === 'revoked') return 'prove_ownership'
  if (ownership !== 'proven') return isVerificationRequired ? 'prove_ownership' : 'propagating'
  if (dns === 'partial') return 'propagating'
  if (isUnresolvable(state)) return 'at_risk'
  return badgeOfCertificate(state, now)
}

/** Of a domain whose certificate is issued before DNS points to us. */
function badgeOfPreparation(state: DomainState, now: number): Badge {
  const { blockedBy, certificate, dns, expiresAt, ownership, provenAt, txtFoundAt } = state
  if (ownership === 'disputed' || ownership === 'revoked') return 'prove_ownership'
  // The TXT record was there, and is missing now.
  if (ownership === 'proven' && txtFoundAt === null && provenAt !== null) return 'prove_ownership'
  if (ownership !== 'proven') return 'prepare_certificate'
  if (hasCertificate(state, now)) {
    if (dns === 'partial') return 'switching'
    if (shownCertificateState(state) === 'awaiting_record') return 'prepare_certificate'
    const isSoon = expiresAt !== null && expiresAt - now < expiresSoonMs
    return blockedBy !== null && isSoon ? 'needs_attention' : 'ready_to_switch'
  }
  if (dns === 'partial' && certificate !== 'validating') return 'propagating'
  if (certificate === 'blocked') return 'needs_attention'
  if (certificate === 'retry_wait') return 'retrying'
  const isAnswered = certificate === 'validating' && state.recordUntil === null
  return isAnswered ? 'issuing_certificate' : 'prepare_certificate'
}

function badgeOfCertificate(state: DomainState, now: number): Badge {
  const { blockedBy, certificate, certificateSince, expiresAt, failures } = state
  // A reverse proxy in front of this server provides certificates.
  if (blockedBy === 'https_off') return 'active'
  if (hasCertificate(state, now)) {
    const isFailing = failures > 0 || blockedBy !== null
    const isSoon = expiresAt !== null && expiresAt - now < expiresSoonMs
    return isFailing && isSoon ? 'at_risk' : 'active'
  }
  const isLate = certificateSince !== null && now - certificateSince > attentionAfterMs
  if (certificate === 'blocked' || certificate === 'expired' || isLate) return 'needs_attention'
  return certificate === 'retry_wait' ? 'retrying' : 'issuing_certificate'
}

const blockers: Record<string, string> = {
  budget: 'the limits of the certificate authority are used up for now',
  expired: 'it has expired',
  https_off: 'the proxy in front of this server provides certificates',
  late: 'it takes longer than half an hour',
  C03: "the platform's own CAA records do not allow it, which the operator must fix",
  C06: 'CAA records could not be looked up',
  D03: 'its name servers could not be asked',
  D04: 'its DNSSEC is broken, or not known yet',
  M01: 'CAA records of the platform that it points to now do not allow it',
  M02: 'the name of its TXT record is a CNAME',
  M11: 'the certificate authority does not wait long enough for a TXT record',
  M12: 'the certificate authority does not offer this validation by DNS',
  M13: 'it exists only by a wildcard',
  T01: 'port 80 does not answer',
  T02: 'requests are redirected in a loop',
  T03: 'another server answers its requests',
  T05: 'the certificate authority limits requests for now',
  T10: 'only the operator of this server can solve what the certificate authority answers',
}

/** `code`: what the domain is blocked by, a diagnostic's code or one of our own. Without a full stop. */
export function describeBlocker(code: string): string {
  const blocker = blockers[code]
  if (blocker !== undefined) return blocker
  if (code.startsWith('C')) return `CAA records do not allow it (${code})`
  if (code.startsWith('D')) return `DNS must be fixed (${code})`
  return code
}
