// D23 to D25: when a TXT record must prove ownership, and what is wrong with the TXT record.
import type { Evidence } from '../evidence/evidence.ts'
import type { Fix, PlainRecord, Rule } from './diagnostic.ts'
import { judgeOwnership } from './ownership.ts'
import type { VerificationFault } from './read-verification.ts'
import { pointsToUs, readEvidence } from './reading.ts'
import { describeTxtReason } from './txt-reasons.ts'
import { blocks, createFix, createPointerFix, inForm, recordTtlSeconds } from './wording.ts'

/** A wildcard does not match a name that has a TXT record below it (RFC 4592, section 2.2.2). */
function ownRecordAndVerification(evidence: Evidence): Fix {
  const pointer = createPointerFix(evidence, readEvidence(evidence))
  const verification = verificationFix(evidence)
  if (evidence.platform.verification === undefined) return verification
  return createFix(
    `${pointer.text} ${verification.text}`,
    [],
    [...pointer.add, ...verification.add],
  )
}

function verificationFix(evidence: Evidence, before = '', remove: PlainRecord[] = []): Fix {
  const { platform, subject } = evidence
  const { verification } = platform
  if (verification === undefined) {
    return createFix(`Add ${subject.host} to a project; the TXT record is then shown.`)
  }
  const { name, value } = verification
  const record: PlainRecord = { name, type: 'TXT', value, ttlSeconds: recordTtlSeconds }
  return createFix(
    `${before}Add a TXT record: name ${inForm(name, readEvidence(evidence).zone)}, value ${value}.`,
    remove,
    [record],
  )
}

export const wildcard: Rule = (evidence) => {
  const { reasons, provenBy } = judgeOwnership(evidence)
  if (!reasons.includes('wildcard') || provenBy === 'txt') return undefined
  const reading = readEvidence(evidence)
  if (!reading.pointers.some(pointsToUs)) return undefined
  return blocks(
    `Wildcard *.${reading.zone} points to us`,
    `Any name beside ${evidence.subject.host} points to us as well, so the CNAME does not prove ` +
      'who owns it.',
    { fix: ownRecordAndVerification(evidence) },
  )
}

export const heldElsewhere: Rule = (evidence) => {
  const { verification, provenBy, reasons } = judgeOwnership(evidence)
  const isAdded = evidence.claim.addedAt !== undefined
  if (provenBy === 'txt' || !isAdded) return undefined
  const { host } = evidence.subject
  if (reasons.includes('proven by another') && verification.kind === 'proven') {
    return blocks(
      `Another account holds ${host}, and its TXT record is there`,
      'Yours is there as well. The other account was first, and keeps the host for as long as its record exists.',
      { fix: `Delete the other TXT records at ${evidence.platform.verification?.name}.` },
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
  return blocks(doubt.title, doubt.detail, { fix: verificationFix(evidence) })
}

/** What is wrong about a TXT record, for its owner. */
export const txtFaults: Record<VerificationFault, string> = {
  'other value': 'It has another value.',
  'quoted twice': 'The quotes became part of the value: enter it without them.',
  space: 'There is a space at its beginning or end.',
  'letter case': 'Upper and lower case differ; the value is case-sensitive.',
  'with its name': 'The name was entered as part of the value.',
  alias: 'The name has a CNAME. A TXT record of its own is needed there.',
  'at the host': 'The value is right, the name is not.',
  'zone appended': 'The provider added the zone to the name once more.',
}

export const wrongVerification: Rule = (evidence) => {
  const { verification, provenBy } = judgeOwnership(evidence)
  const wanted = evidence.platform.verification
  if (verification.kind !== 'wrong' || wanted === undefined) return undefined
  if (provenBy === 'pointer' || evidence.claim.isProven) return undefined
  const isMisplaced = verification.at !== wanted.name
  const isAlias = verification.how === 'alias'
  const title = isMisplaced
    ? `The TXT record is at ${verification.at}, not at ${wanted.name}`
    : isAlias
      ? `${wanted.name} is an alias`
      : `The TXT record at ${wanted.name} is not the one that proves`
  const [value = ''] = verification.found
  const found: PlainRecord = {
    name: verification.at,
    type: isAlias ? 'CNAME' : 'TXT',
    value,
    ttlSeconds: recordTtlSeconds,
  }
  // Another value may belong to another account or service: keep it.
  const remove = verification.how === 'other value' ? [] : [found]
  const before = remove.length > 0 ? `Delete the ${found.type} record at ${verification.at}. ` : ''
  return blocks(title, txtFaults[verification.how], {
    fix: verificationFix(evidence, before, remove),
    found: isMisplaced ? [verification.at] : verification.found,
    expected: [isMisplaced ? wanted.name : wanted.value],
  })
}
