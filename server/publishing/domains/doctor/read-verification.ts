// Whether the TXT record that proves ownership is there, and if it is not quite, what is there instead.
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'

export type VerificationCheck =
  | { kind: 'proven' }
  /** There is nothing to prove: a check without a claim. */
  | { kind: 'not asked' }
  /** No server said anything of the name. */
  | { kind: 'unknown' }
  | { kind: 'absent' }
  | { kind: 'partial'; servers: number; of: number }
  | { kind: 'wrong'; how: VerificationFault; found: string[]; at: string }

export type VerificationFault =
  | 'other value'
  | 'quoted twice'
  | 'space'
  | 'letter case'
  | 'with its name'
  | 'alias'
  | 'at the host'
  | 'zone appended'

/** Proven is what every server that answers has, at the very name and not by way of an alias. */
export function readVerification(evidence: Evidence): VerificationCheck {
  const { verification } = evidence.platform
  if (verification === undefined) return { kind: 'not asked' }
  const views = evidence.servers.filter(
    ({ state, verification }) => state === 'ok' && isHeard(verification),
  )
  if (views.length === 0) return { kind: 'unknown' }
  const having = views.filter((view) =>
    textsAt(view.verification, verification.name).includes(verification.value),
  )
  if (having.length === views.length) return { kind: 'proven' }
  if (having.length > 0) return { kind: 'partial', servers: having.length, of: views.length }
  const faults = views.flatMap((view) => faultAt(view, evidence, verification) ?? [])
  return faults[0] ?? { kind: 'absent' }
}

/** Whether there is an answer at all. */
export function isHeard(facts: NameFacts | undefined): facts is NameFacts {
  return facts !== undefined && facts.kind !== 'failure'
}

/** Texts of the name itself. What an alias leads to is said by whoever has the alias's target. */
function textsAt(facts: NameFacts | undefined, name: string): string[] {
  if (facts?.kind !== 'records') return []
  if (facts.cname.some((record) => record.name === name)) return []
  return anyTextsAt(facts, name)
}

/** Also beside an alias, where none may be. */
function anyTextsAt(facts: NameFacts | undefined, name: string): string[] {
  if (facts?.kind !== 'records') return []
  return facts.others.flatMap((r) =>
    r.type === 'TXT' && r.name === name ? [r.strings.join('')] : [],
  )
}

function faultAt(
  view: ServerView,
  { servers, subject }: Evidence,
  verification: { name: string; value: string },
): (VerificationCheck & { kind: 'wrong' }) | undefined {
  const { name, value } = verification
  const cname = view.verification?.kind === 'records' ? view.verification.cname : []
  const targets = cname.flatMap((r) => (r.type === 'CNAME' && r.name === name ? [r.target] : []))
  // What a wildcard gives is not at the name. One server is asked for that, for all of them.
  const sibling = servers.flatMap((each) =>
    each.sibling?.kind === 'records' ? each.sibling.cname : [],
  )
  const isWild = sibling.some((r) => r.type === 'CNAME' && targets.includes(r.target))
  if (targets.length > 0 && !isWild)
    return { kind: 'wrong', how: 'alias', found: targets, at: name }
  const found = textsAt(view.verification, name)
  const [first] = found
  if (first !== undefined) {
    const near = found.find((text) => likeness(text, verification) !== 'other value') ?? first
    return { kind: 'wrong', how: likeness(near, verification), found: [near], at: name }
  }
  if (anyTextsAt(view.host, subject.host).some((text) => text.includes(value))) {
    return { kind: 'wrong', how: 'at the host', found: [value], at: subject.host }
  }
  const doubled =
    view.doubledVerification?.kind === 'records' ? view.doubledVerification.others : []
  const misplaced = doubled.find((r) => r.type === 'TXT' && r.strings.join('').includes(value))
  if (misplaced === undefined) return undefined
  return { kind: 'wrong', how: 'zone appended', found: [value], at: misplaced.name }
}

function likeness(
  text: string,
  { name, value }: { name: string; value: string },
): VerificationFault {
  if (text.replace(/^["'“”„\\]+|["'“”\\]+$/gu, '') === value) return 'quoted twice'
  if (text.trim() === value) return 'space'
  if (text.toLowerCase() === value.toLowerCase()) return 'letter case'
  if (text.includes(value) && text.includes(name.split('.')[0] ?? name)) return 'with its name'
  return 'other value'
}
