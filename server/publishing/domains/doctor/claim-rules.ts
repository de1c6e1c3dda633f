// D23 to D25: what has to be proven by TXT, and what is there instead of the proof.
import type { Evidence } from '../evidence.ts'
import type { Fix, PlainRecord } from '../finding.ts'
import { judgeOwnership } from './ownership.ts'
import type { ProofFault } from './read-proof.ts'
import { leadsHere, readEvidence } from './reading.ts'
import type { Rule } from './rule.ts'
import { mend, recordTtlSeconds, say } from './wording.ts'

function proofFix({ ours, subject }: Evidence, before = '', remove: PlainRecord[] = []): Fix {
  const { proof } = ours
  if (proof === undefined) {
    return mend(`Add ${subject.host} to a project; the TXT record is then shown.`)
  }
  const { name, value } = proof
  const record: PlainRecord = { name, type: 'TXT', value, ttlSeconds: recordTtlSeconds }
  return mend(`${before}Add a TXT record at ${name} with the value ${value}.`, remove, [record])
}

const wildcard: Rule = {
  code: 'D23',
  judge(evidence) {
    const { reasons, provenBy } = judgeOwnership(evidence)
    if (!reasons.includes('wildcard') || provenBy === 'txt') return undefined
    const reading = readEvidence(evidence)
    if (!reading.pointers.some(leadsHere)) return undefined
    return say(
      'D23',
      'blocks',
      `A wildcard of ${reading.zone} leads here`,
      `Any name beside ${evidence.subject.host} leads here as well, so that this one does says nothing ` +
        'of who owns it.',
      { fix: proofFix(evidence) },
    )
  },
}

const heldElsewhere: Rule = {
  code: 'D24',
  judge(evidence) {
    const { reasons, provenBy } = judgeOwnership(evidence)
    if (provenBy === 'txt') return undefined
    const { host } = evidence.subject
    const [title, detail] = reasons.includes('held by another')
      ? [
          `Another account holds ${host}`,
          'It goes to whoever proves with a TXT record that the domain is theirs.',
        ]
      : reasons.includes('held lately')
        ? [
            `Another account held ${host} within the last 90 days`,
            'A pointer that was left over says nothing of who owns the name now.',
          ]
        : reasons.includes('pointed before') && reasons.every((reason) => reason !== 'not added')
          ? [
              `${host} pointed here before it was added`,
              'A pointer that was there already says nothing of who owns the name now.',
            ]
          : []
    if (title === undefined || detail === undefined) return undefined
    return say('D24', 'blocks', title, detail, { fix: proofFix(evidence) })
  },
}

const how: Record<ProofFault, string> = {
  'other value': 'It has another value.',
  'quoted twice': 'The quotes became part of the value: enter it without them.',
  space: 'There is a space at its beginning or end.',
  'letter case': 'Upper and lower case differ; here they count.',
  'with its name': 'The name was entered as part of the value.',
  alias: 'The name has a CNAME. A TXT record of its own is needed there.',
  'at the host': 'The value is right, the name is not.',
  'zone appended': 'The provider added the zone to the name once more.',
}

const wrongProof: Rule = {
  code: 'D25',
  judge(evidence) {
    const { proof, provenBy } = judgeOwnership(evidence)
    const wanted = evidence.ours.proof
    if (proof.kind !== 'wrong' || wanted === undefined || provenBy === 'pointer') return undefined
    const isMisplaced = proof.at !== wanted.name
    const isAlias = proof.how === 'alias'
    const title = isMisplaced
      ? `The TXT record is at ${proof.at}, not at ${wanted.name}`
      : isAlias
        ? `${wanted.name} is an alias`
        : `The TXT record at ${wanted.name} is not the one that proves`
    const [value = ''] = proof.found
    const found: PlainRecord = {
      name: proof.at,
      type: isAlias ? 'CNAME' : 'TXT',
      value,
      ttlSeconds: recordTtlSeconds,
    }
    // Another value may be another account's, or serve something else: it stays.
    const remove = proof.how === 'other value' ? [] : [found]
    const before = remove.length > 0 ? `Delete the ${found.type} record at ${proof.at}. ` : ''
    return say('D25', 'blocks', title, how[proof.how], {
      fix: proofFix(evidence, before, remove),
      found: isMisplaced ? [proof.at] : proof.found,
      expected: [isMisplaced ? wanted.name : wanted.value],
    })
  },
}

export const claimRules: readonly Rule[] = [wildcard, heldElsewhere, wrongProof]
