// Decides who owns a host, from the claim and from DNS. A record that points to the shared platform host shows
// where traffic goes, not who owns the name: a record that may be another account's leftover requires a TXT
// record. In doubt, TXT is required.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { hasAnswer, readVerification, type VerificationCheck } from './read-verification.ts'
import { followChain, type Reading } from './reading.ts'

export type TxtReason =
  | 'not added'
  | 'no pointer'
  | 'unsure'
  | 'proven by another'
  | 'held by another'
  | 'claimed by another'
  | 'held lately'
  | 'pointed before'
  | 'chain'
  | 'proxy'
  | 'wildcard'
  | 'lapsed'
  | 'too late'

interface Ownership {
  /** How this check proves ownership; undefined when it does not. */
  provenBy: 'pointer' | 'txt' | undefined
  /** Why the pointer is not enough; empty when it is, or when the host was proven before. */
  reasons: TxtReason[]
  /** Another account holds the host now. */
  isDisputed: boolean
  verification: VerificationCheck
}

export function judgeOwnership(reading: Reading): Ownership {
  const verification = readVerification(reading)
  const doubts = reasonsForTxt(reading)
  const isAdded = reading.claim.addedAt !== undefined
  const { heldByOther } = reading.claim
  // When both accounts have their TXT record, the one that already holds the host keeps it.
  const byTxt =
    isAdded && verification.kind === 'proven' && heldByOther !== 'proves' ? 'txt' : undefined
  return {
    provenBy: byTxt ?? (doubts.length === 0 ? 'pointer' : undefined),
    reasons: reading.claim.isProven ? [] : doubts,
    isDisputed: heldByOther === 'holds' || heldByOther === 'proves',
    verification,
  }
}

/**
 * Decides between the account that holds a host and one that claims it, both just checked. Only a TXT record
 * counts, not a pointer, and the holder's TXT record takes precedence.
 */
export function settleDispute(holder: Ownership, challenger: Ownership): 'holder' | 'challenger' {
  const isProven = ({ verification }: Ownership) => verification.kind === 'proven'
  const isUnknown = holder.verification.kind === 'unknown' || holder.verification.kind === 'partial'
  return isProven(challenger) && !isProven(holder) && !isUnknown ? 'challenger' : 'holder'
}

/** Whether a random sibling name points to us, too: then the pointer of the host may be unintended. */
export function hasWildcard(reading: Reading): 'yes' | 'no' | 'unknown' {
  // A wildcard does not match its own parent name (RFC 4592, section 2.2.1).
  if (reading.isApex) return 'no'
  const answers = reading.answers.flatMap(({ view }) =>
    hasAnswer(view.sibling) ? [view.sibling] : [],
  )
  if (answers.some((facts) => doesSiblingPointToUs(facts, reading))) return 'yes'
  return answers.length > 0 ? 'no' : 'unknown'
}

function reasonsForTxt(reading: Reading): TxtReason[] {
  const { at, claim, servers } = reading
  const destinations = reading.pointers.map((pointer) => {
    if (pointer.kind === 'cname') return pointer.pointsTo
    return pointer.kind === 'addresses' ? pointer.pointsTo.kind : ''
  })
  const wildcard = hasWildcard(reading)
  const isUnanswered = reading.from !== 'servers' && servers.length > 0
  const when: [boolean, TxtReason][] = [
    [claim.addedAt === undefined, 'not added'],
    [reading.state !== 'right', 'no pointer'],
    [isUnanswered || wildcard === 'unknown', 'unsure'],
    [claim.heldByOther === 'proves', 'proven by another'],
    [claim.heldByOther === 'holds', 'held by another'],
    [claim.heldByOther === 'claims', 'claimed by another'],
    [claim.heldByOther === 'held', 'held lately'],
    [claim.pointedWhenAdded && !claim.heldBefore, 'pointed before'],
    [destinations.includes('chain'), 'chain'],
    [destinations.includes('relayed'), 'proxy'],
    [wildcard === 'yes', 'wildcard'],
    [claim.hasLapsed === true, 'lapsed'],
    [claim.pointerProvesUntil !== undefined && at >= claim.pointerProvesUntil, 'too late'],
  ]
  return when.flatMap(([holds, reason]) => (holds ? [reason] : []))
}

function doesSiblingPointToUs(facts: NameFacts, { platform, chain }: Reading): boolean {
  if (facts.kind !== 'records') return false
  const addresses = facts.addresses.flatMap((r) => ('address' in r ? [r.address] : []))
  if (addresses.some((address) => platform.addresses.includes(address))) return true
  return facts.cname.some((record) => {
    if (record.type !== 'CNAME') return false
    return followChain(chain, record.name, record.target).includes(platform.host)
  })
}
