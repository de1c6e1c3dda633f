// What a question comes to when the aliases on its way are followed (RFC 1034, section 4.3.2), by a recursive
// resolver or by ourselves.
import type { DnsAnswer, DnsRecord, Rcode } from '../messages/exchange.ts'
import { recordsOf } from '../messages/records-of.ts'

/** One more is a chain that nobody needs, and that resolvers begin to give up on. */
export const maxAliases = 8

export interface ChainLink {
  from: string
  to: string
}

export interface Resolution {
  /** `nothing`: the last name does not exist, or has no record of the type. */
  outcome: 'records' | 'nothing' | 'failure'
  /**
   * `failure`: no server answered, or what they said was none. `not-asked`: the budget of the check was
   * spent before it could be known, which says nothing of the servers.
   */
  rcode: Rcode | 'failure' | 'not-asked'
  records: DnsRecord[]
  chain: ChainLink[]
  /** The last name of the chain. */
  end: string
  /** Why the chain was not followed to its end. */
  fault: 'loop' | 'too long' | undefined
  /** Whole seconds for which caches keep it, records or nothing. */
  ttlSeconds: number | undefined
}

/** The aliases of an answer, from `name` on; each name once. */
export function aliasesIn(answer: DnsAnswer, name: string): (ChainLink & { ttlSeconds: number })[] {
  const aliases = recordsOf(answer.answers, 'CNAME')
  const links: (ChainLink & { ttlSeconds: number })[] = []
  for (let from = name; links.length <= maxAliases; ) {
    const alias = aliases.find((record) => record.name === from)
    if (!alias) break
    links.push({ from, to: alias.target, ttlSeconds: alias.ttlSeconds })
    if (alias.target === name || links.some((link) => link.from === alias.target)) break
    from = alias.target
  }
  return links
}

/** What is wrong with a chain so far. */
export function faultOf(chain: ChainLink[]): Resolution['fault'] {
  const last = chain.at(-1)
  if (last && chain.some(({ from }) => from === last.to)) return 'loop'
  return chain.length > maxAliases ? 'too long' : undefined
}
