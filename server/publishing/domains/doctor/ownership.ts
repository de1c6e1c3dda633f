// Who owns a host, from what we know of the claim and what DNS says. A shared target proves where traffic
// goes, not whose the name is: whatever could be somebody else's leftover asks for TXT. In doubt, it asks.
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { isHeard, readVerification, type VerificationCheck } from './read-verification.ts'
import { followChain, readEvidence } from './reading.ts'

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

export interface Ownership {
  /** By what this check proves it; undefined when it does not. */
  provenBy: 'pointer' | 'txt' | undefined
  /** Why the pointer alone is not enough; empty when it is, or the host was proven before. */
  reasons: TxtReason[]
  /** Another account holds the host now. */
  isDisputed: boolean
  verification: VerificationCheck
}

export function judgeOwnership(evidence: Evidence): Ownership {
  const verification = readVerification(evidence)
  const doubts = reasonsForTxt(evidence)
  const isAdded = evidence.claim.addedAt !== undefined
  const { heldByOther } = evidence.claim
  // Of two who have their record there, the one who held the host keeps it.
  const byTxt =
    isAdded && verification.kind === 'proven' && heldByOther !== 'proves' ? 'txt' : undefined
  return {
    provenBy: byTxt ?? (doubts.length === 0 ? 'pointer' : undefined),
    reasons: evidence.claim.isProven ? [] : doubts,
    isDisputed: heldByOther === 'holds' || heldByOther === 'proves',
    verification,
  }
}

/**
 * Between the account that holds a host and one that claims it, both checked now. A pointer, whoever it
 * serves at present, decides nothing: only TXT does, and the holder's comes first.
 */
export function settleDispute(holder: Ownership, challenger: Ownership): 'holder' | 'challenger' {
  const isProven = ({ verification }: Ownership) => verification.kind === 'proven'
  const isUnknown = holder.verification.kind === 'unknown' || holder.verification.kind === 'partial'
  return isProven(challenger) && !isProven(holder) && !isUnknown ? 'challenger' : 'holder'
}

/** Whether a random name beside the host points to us, too: then the host may never have been meant. */
export function hasWildcard(evidence: Evidence): 'yes' | 'no' | 'unknown' {
  const reading = readEvidence(evidence)
  // A wildcard never answers for the name that it hangs on (RFC 4592, section 2.2.1).
  if (reading.isApex) return 'no'
  const heard = reading.heard.flatMap(({ view }) => (isHeard(view.sibling) ? [view.sibling] : []))
  if (heard.some((facts) => doesSiblingPointToUs(facts, evidence))) return 'yes'
  return heard.length > 0 ? 'no' : 'unknown'
}

function reasonsForTxt(evidence: Evidence): TxtReason[] {
  const { claim, servers } = evidence
  const reading = readEvidence(evidence)
  const leads = reading.pointers.map((pointer) =>
    pointer.kind === 'cname'
      ? pointer.leads
      : pointer.kind === 'addresses'
        ? pointer.lead.kind
        : '',
  )
  const wildcard = hasWildcard(evidence)
  const isUnheard = reading.from !== 'servers' && servers.length > 0
  const when: [boolean, TxtReason][] = [
    [claim.addedAt === undefined, 'not added'],
    [reading.state !== 'right', 'no pointer'],
    [isUnheard || wildcard === 'unknown', 'unsure'],
    [claim.heldByOther === 'proves', 'proven by another'],
    [claim.heldByOther === 'holds', 'held by another'],
    [claim.heldByOther === 'claims', 'claimed by another'],
    [claim.heldByOther === 'held', 'held lately'],
    [claim.pointedWhenAdded && !claim.heldBefore, 'pointed before'],
    [leads.includes('chain'), 'chain'],
    [leads.includes('relayed'), 'proxy'],
    [wildcard === 'yes', 'wildcard'],
  ]
  return when.flatMap(([holds, reason]) => (holds ? [reason] : []))
}

function doesSiblingPointToUs(facts: NameFacts, { platform, chain }: Evidence): boolean {
  if (facts.kind !== 'records') return false
  const addresses = facts.addresses.flatMap((r) => ('address' in r ? [r.address] : []))
  if (addresses.some((address) => platform.addresses.includes(address))) return true
  return facts.cname.some((record) => {
    if (record.type !== 'CNAME') return false
    return followChain(chain, record.name, record.target).includes(platform.host)
  })
}
