// D23 to D25: when a TXT record must prove ownership, and what is wrong with the TXT record.
import type { Fix, PlainRecord, Rule } from './diagnostic.ts'
import { judgeOwnership } from './ownership.ts'
import type { VerificationFault } from './read-verification.ts'
import { pointsToUs, type Reading } from './reading.ts'
import { describeTxtReason } from './txt-reasons.ts'
import { blocks, createFix, createPointerFix, inForm, recordTtlSeconds } from './wording.ts'

/** A wildcard does not match a name that has a TXT record below it (RFC 4592, section 2.2.2). */
function ownRecordAndVerification(reading: Reading): Fix {
  const pointer = createPointerFix(reading)
  const verification = verificationFix(reading)
  if (reading.platform.verification === undefined) return verification
  return createFix(
    `${pointer.text} ${verification.text}`,
    [],
    [...pointer.add, ...verification.add],
  )
}

function verificationFix(reading: Reading, before = '', remove: PlainRecord[] = []): Fix {
  const { platform, subject } = reading
  const { verification } = platform
  if (verification === undefined) {
    return createFix(`Add ${subject.host} to a project; the TXT record is then shown.`)
  }
  const { name, value } = verification
  const record: PlainRecord = { name, type: 'TXT', value, ttlSeconds: recordTtlSeconds }
  return createFix(
    `${before}Add a TXT record: name ${inForm(name, reading.apex)}, value ${value}.`,
    remove,
    [record],
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
    { fix: ownRecordAndVerification(reading) },
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
      { fix: `Delete the other TXT records at ${reading.platform.verification?.name}.` },
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
  return blocks(doubt.title, doubt.detail, { fix: verificationFix(reading) })
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

export const wrongVerification: Rule = (reading) => {
  const { verification, provenBy } = judgeOwnership(reading)
  const wanted = reading.platform.verification
  if (verification.kind !== 'wrong' || wanted === undefined) return undefined
  if (provenBy === 'pointer' || reading.claim.isProven) return undefined
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
    fix: verificationFix(reading, before, remove),
    found: isMisplaced ? [verification.at] : verification.found,
    expected: [isMisplaced ? wanted.name : wanted.value],
  })
}
