// Whether the name servers have the TXT record of the challenge, and if not, what was found instead.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence, PreparationFacts } from '../evidence/evidence.ts'
import { anyTextsAt, likeness, textsAt, type VerificationFault } from './read-verification.ts'
import type { Reading } from './reading.ts'

export interface ChallengeProgress {
  /** Name servers that answered, those of them that have the value, and those that did not answer. */
  responding: number
  updated: number
  failing: number
  /** The first fault, at a server that does not have the value. */
  fault: { how: VerificationFault; found: string; at: string } | undefined
}

/** Whether the certificate is requested before DNS points to us, and it does not yet. */
export function isPreparing(
  reading: Reading,
): reading is Reading & { preparation: PreparationFacts } {
  return reading.preparation !== undefined && reading.state !== 'right'
}

/** Undefined until the value is known. */
export function readChallenge(evidence: Evidence): ChallengeProgress | undefined {
  const { preparation } = evidence
  const { name, value } = preparation?.challenge ?? {}
  if (!preparation || name === undefined || value === undefined) return undefined
  const answered = preparation.servers.filter(({ facts }) => facts.kind !== 'failure')
  const wanted = { name, value }
  const missing = answered.filter(({ facts }) => !textsAt(facts, name).includes(value))
  const faults = missing.flatMap(({ facts }) => faultIn(facts, preparation, wanted) ?? [])
  return {
    responding: answered.length,
    updated: answered.length - missing.length,
    failing: preparation.servers.length - answered.length,
    fault: faults[0],
  }
}

/** Whether every name server that answers has the value. */
export function isChallengeComplete(progress: ChallengeProgress | undefined): boolean {
  return progress !== undefined && progress.updated > 0 && progress.updated === progress.responding
}

/**
 * The targets of a CNAME at the name of the record. One that a wildcard answers is none: a TXT record of its own can
 * be added there.
 */
export function aliasesOfChallenge({ challenge, servers, wildcard }: PreparationFacts): string[] {
  const targetsIn = (facts: NameFacts | undefined, name?: string): string[] =>
    facts?.kind === 'records'
      ? facts.cname.flatMap((record) =>
          record.type === 'CNAME' && (name === undefined || record.name === name)
            ? [record.target]
            : [],
        )
      : []
  const wild = targetsIn(wildcard)
  const targets = servers.flatMap(({ facts }) => targetsIn(facts, challenge.name))
  return [...new Set(targets)].filter((target) => !wild.includes(target))
}

function faultIn(
  facts: NameFacts,
  { atHost, challenge, doubled }: PreparationFacts,
  wanted: { name: string; value: string },
): ChallengeProgress['fault'] {
  const { name, value } = wanted
  const found = textsAt(facts, name)
  const near = found.find((text) => likeness(text, wanted) !== 'other value')
  if (near !== undefined) return { how: likeness(near, wanted), found: near, at: name }
  if (doubled?.kind === 'records') {
    const misplaced = doubled.others.find(
      (record) => record.type === 'TXT' && record.strings.join('').includes(value),
    )
    if (misplaced) return { how: 'zone appended', found: value, at: misplaced.name }
  }
  if (atHost?.kind === 'records') {
    const { host } = { host: name.slice(name.indexOf('.') + 1) }
    if (anyTextsAt(atHost, host).some((text) => text.includes(value)))
      return { how: 'at the host', found: value, at: host }
  }
  // The value of before has words of its own.
  const other = found.find((text) => text !== challenge.former?.value)
  return other === undefined ? undefined : { how: 'other value', found: other, at: name }
}
