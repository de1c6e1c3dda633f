// The view of a public resolver, which may be older than the zone's, and whether the zone's signatures are valid, by
// queries with and without checking (CD; RFC 4035, section 3.2.2).

import type { DnsAnswer, Question, ServerAddress } from '../messages/exchange.ts'
import { ask } from '../queries/ask.ts'
import { type Inquiry, isExhausted } from '../queries/inquiry.ts'
import { follow, type Resolution } from './resolution.ts'

/** What the resolver says. Aliases that it does not follow itself are followed. */
export function resolve(
  inquiry: Inquiry,
  resolver: ServerAddress,
  question: Question,
  { isCheckingDisabled = false }: { isCheckingDisabled?: boolean } = {},
): Promise<Resolution> {
  return follow(question, async (each) => {
    const options = { wantsRecursion: true, isCheckingDisabled }
    const { answer, failure } = await ask(inquiry, resolver, each, options)
    return answer ?? (failure === 'not-asked' || isExhausted(inquiry) ? 'not-asked' : 'failure')
  })
}

interface DnssecFacts {
  state: 'fine' | 'unsigned' | 'broken' | 'unknown'
  /** What the resolver said of the failure (RFC 8914); 6 to 10 are about signatures. */
  extendedErrors: DnsAnswer['extendedErrors']
}

/**
 * `broken`: SERVFAIL, and an answer when checking is disabled (D04). `fine`: the resolver has validated it.
 * `unsigned` is also what a resolver says that does not validate.
 */
export async function findDnssec(
  inquiry: Inquiry,
  resolver: ServerAddress,
  question: Question,
): Promise<DnssecFacts> {
  const checked = (await ask(inquiry, resolver, question, { wantsRecursion: true })).answer
  if (!checked) return { state: 'unknown', extendedErrors: [] }
  const { extendedErrors } = checked
  if (isAnswer(checked)) {
    return { state: checked.isAuthenticated ? 'fine' : 'unsigned', extendedErrors }
  }
  if (checked.rcode !== 'SERVFAIL') return { state: 'unknown', extendedErrors }
  const options = { wantsRecursion: true, isCheckingDisabled: true }
  const unchecked = (await ask(inquiry, resolver, question, options)).answer
  return { state: unchecked && isAnswer(unchecked) ? 'broken' : 'unknown', extendedErrors }
}

function isAnswer({ rcode }: DnsAnswer): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}
