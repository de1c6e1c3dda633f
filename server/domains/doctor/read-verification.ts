// Whether the TXT record that proves ownership exists, and if not, what was found instead.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'

export type VerificationCheck =
  | { kind: 'proven' }
  /** A check without a claim: no TXT record is expected. */
  | { kind: 'not asked' }
  /** No server answered for the name. */
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

/** Proven when every server that answers has the record at the name itself, not through an alias. */
export function readVerification(evidence: Evidence): VerificationCheck {
  const { verification } = evidence.platform
  if (verification === undefined) return { kind: 'not asked' }
  const views = evidence.servers.filter(
    ({ state, verification }) => state === 'ok' && hasAnswer(verification),
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

/** Whether the server answered. */
export function hasAnswer(facts: NameFacts | undefined): facts is NameFacts {
  return facts !== undefined && facts.kind !== 'failure'
}

/** TXT values at the name itself. Behind an alias, the owner of the alias's target controls them. */
export function textsAt(facts: NameFacts | undefined, name: string): string[] {
  if (facts?.kind !== 'records') return []
  if (facts.cname.some((record) => record.name === name)) return []
  return anyTextsAt(facts, name)
}

/** TXT values, also beside an alias, where DNS forbids them. */
export function anyTextsAt(facts: NameFacts | undefined, name: string): string[] {
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
  // A CNAME from a wildcard is not at the name itself. Only one server is queried for the sibling.
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

/** How a value differs from the wanted one. */
export function likeness(
  text: string,
  { name, value }: { name: string; value: string },
): VerificationFault {
  if (text.replace(/^["'“”„\\]+|["'“”\\]+$/gu, '') === value) return 'quoted twice'
  if (text.trim() === value) return 'space'
  if (text.toLowerCase() === value.toLowerCase()) return 'letter case'
  if (text.includes(value) && text.includes(name.split('.')[0] ?? name)) return 'with its name'
  return 'other value'
}
