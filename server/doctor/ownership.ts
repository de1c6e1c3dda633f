// Decides who owns a host, from the claim and from DNS. A record that points to the shared platform host shows where
// traffic goes, not who owns the name: one that may be another account's leftover requires a TXT record. In doubt, TXT is
// required. D23 to D25 tell the owner why, and what is wrong with the TXT record.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import {
  followChain,
  hasResponse,
  pointsToUs,
  type Reading,
  readVerification,
  txtFaults,
  type VerificationCheck,
} from './reading.ts'
import {
  blocks,
  createFix,
  createPointerFix,
  describeTxtFault,
  type Fix,
  inForm,
  inZone,
  type PlainRecord,
  plainRecord,
  type Rule,
} from './wording.ts'

type TxtReason =
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
  | 'wildcard unknown'
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
    hasResponse(view.sibling) ? [view.sibling] : [],
  )
  if (answers.some((facts) => doesSiblingPointToUs(facts, reading))) return 'yes'
  return answers.length > 0 ? 'no' : 'unknown'
}

function reasonsForTxt(reading: Reading): TxtReason[] {
  const { at, claim } = reading
  const destinations = reading.pointers.map((pointer) => {
    if (pointer.kind === 'cname') return pointer.pointsTo
    return pointer.kind === 'addresses' ? pointer.pointsTo.kind : ''
  })
  const wildcard = hasWildcard(reading)
  const isUnanswered = reading.from !== 'servers'
  const when: [boolean, TxtReason][] = [
    [claim.addedAt === undefined, 'not added'],
    [reading.state !== 'right', 'no pointer'],
    [isUnanswered, 'unsure'],
    [!isUnanswered && reading.state === 'right' && wildcard === 'unknown', 'wildcard unknown'],
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
  const reasons: TxtReason[] = []
  for (const [holds, reason] of when) if (holds) reasons.push(reason)
  return reasons
}

function doesSiblingPointToUs(facts: NameFacts, { platform, chain }: Reading): boolean {
  if (facts.kind !== 'records') return false
  if (facts.addresses.some(({ address }) => platform.addresses.includes(address))) return true
  return facts.cname.some(({ name, target }) =>
    followChain(chain, name, target).includes(platform.host),
  )
}

const leftOver = 'A leftover record does not prove who owns the name now.'
const txtDecides = 'It goes to the account that proves ownership with a TXT record.'

/** Most important first; `%` stands for the host. */
const texts: Partial<Record<TxtReason, [title: string, detail: string]>> = {
  'proven by another': ['Another account holds %', txtDecides],
  'held by another': ['Another account holds %', txtDecides],
  'claimed by another': [
    'Another account added % as well',
    'A CNAME does not say which account it was created for; a TXT record does.',
  ],
  'held lately': ['Another account held % within the last 90 days', leftOver],
  'pointed before': ['% pointed here before it was added', leftOver],
  proxy: [
    'A proxy stands in front of %',
    'The record behind the proxy cannot be seen from outside; a TXT record proves who owns it.',
  ],
  wildcard: ['A wildcard beside % points to us', 'It may not be meant for this name.'],
  'wildcard unknown': [
    'The record of % may be a wildcard',
    'Whether names beside it exist is not known yet: not every question was answered. We ask again; a TXT record decides it at once.',
  ],
  chain: ['% points to us through another name', 'The owner of that name may be somebody else.'],
  lapsed: [
    '% did not point here for 30 days',
    'It may have another owner now, so ownership must be proven again.',
  ],
  'too late': [
    '% was added more than 48 hours ago',
    'A record proves ownership only within 48 hours after the domain is added: a later one may be ' +
      'the record of another owner.',
  ],
}

/** The most important reason for a TXT record; undefined when none lasts. */
export function describeTxtReason(
  reasons: readonly TxtReason[],
  host: string,
): { title: string; detail: string } | undefined {
  for (const [reason, [title, detail]] of Object.entries(texts)) {
    if (reasons.includes(reason as TxtReason))
      return { title: title.replace('%', () => host), detail }
  }
  return undefined
}

/** A wildcard does not match a name that has a TXT record below it (RFC 4592, section 2.2.2). */
function ownRecordAndVerification(reading: Reading): Fix {
  const pointer = createPointerFix(reading)
  const verification = verificationFix(reading)
  if (reading.platform.verification === undefined || reading.hasOwn === 'yes') return verification
  return createFix(
    `${pointer.text} ${verification.text}`,
    [],
    [...pointer.add, ...verification.add],
  )
}

function verificationFix(reading: Reading, before = '', remove: PlainRecord[] = []): Fix {
  const { platform, subject } = reading
  const { verification } = platform
  if (verification === undefined)
    return createFix(`Add ${subject.host} to a project; the TXT record is then shown.`)
  const { name, value } = verification
  return createFix(
    `${before}Add a TXT record${inZone(reading)}: name ${inForm(name, reading.apex)}, value ${value}.`,
    remove,
    [plainRecord('TXT', name, value)],
  )
}

export const wildcard: Rule = (reading) => {
  const { reasons, provenBy } = judgeOwnership(reading)
  if (!reasons.includes('wildcard') || provenBy === 'txt') return undefined
  if (!reading.pointers.some(pointsToUs)) return undefined
  return blocks(
    `Wildcard *.${reading.apex} points to us`,
    `Any name beside ${reading.subject.host} points to us as well, so the CNAME does not prove ` +
      'who owns it.',
    ownRecordAndVerification(reading),
  )
}

export const heldElsewhere: Rule = (reading) => {
  const { verification, provenBy, reasons } = judgeOwnership(reading)
  const isAdded = reading.claim.addedAt !== undefined
  if (provenBy === 'txt' || !isAdded) return undefined
  const { host } = reading.subject
  if (reasons.includes('proven by another') && verification.kind === 'proven') {
    return blocks(
      `Another account holds ${host}, and its TXT record is there`,
      'Yours is there as well. The other account was first, and keeps the host for as long as its record exists.',
      `Delete the other TXT records at ${reading.platform.verification?.name}.`,
    )
  }
  // D13 and D23 show the TXT record for these.
  const others = reasons.filter((reason) => reason !== 'chain' && reason !== 'wildcard')
  const isSaid = others.length < reasons.length
  const doubt = describeTxtReason(
    isSaid ? others.filter((reason) => reason !== 'too late') : others,
    host,
  )
  if (doubt === undefined) return undefined
  const isUnknown = verification.kind === 'unknown' && reading.answers.length > 0
  const more = isUnknown ? ' The name servers do not say whether its TXT record is there.' : ''
  return blocks(doubt.title, doubt.detail + more, verificationFix(reading))
}

export const wrongVerification: Rule = (reading) => {
  const { verification, provenBy } = judgeOwnership(reading)
  const required = reading.platform.verification
  if (verification.kind !== 'wrong' || required === undefined) return undefined
  if (provenBy === 'pointer' || reading.claim.isProven) return undefined
  const { before, misplaced, remove, values } = describeTxtFault(verification, required)
  const title =
    verification.how === 'alias'
      ? `${required.name} is an alias`
      : `The TXT record at ${required.name} is not the one that proves`
  return blocks(
    misplaced ?? title,
    txtFaults[verification.how],
    verificationFix(reading, before, remove),
    { ...values },
  )
}
