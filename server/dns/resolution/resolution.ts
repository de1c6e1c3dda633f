// Follows the aliases of a query (RFC 1034, section 4.3.2) to records, nothing, a failure or a loop.
import {
  type DnsAnswer,
  type DnsRecord,
  type Question,
  type Rcode,
  recordsOfType,
} from '../messages/exchange.ts'
import { negativeTtlSeconds } from '../name-servers/name-facts.ts'

/** Resolvers give up on longer chains. */
const maxAliases = 8

export interface ChainLink {
  from: string
  to: string
}

export interface Resolution {
  /** `nothing`: the last name does not exist, or has no record of the type. */
  outcome: 'records' | 'nothing' | 'failure'
  /** `failure`: no server gave a usable answer. `not-asked`: the limit of queries was reached before. */
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

/** The aliases of an answer, starting at `name`; each name once. */
function aliasesIn(answer: DnsAnswer, name: string): (ChainLink & { ttlSeconds: number })[] {
  const aliases = recordsOfType(answer.answers, 'CNAME')
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

function faultOf(chain: ChainLink[]): Resolution['fault'] {
  const last = chain.at(-1)
  if (last && chain.some(({ from }) => from === last.to)) return 'loop'
  return chain.length > maxAliases ? 'too long' : undefined
}

/** `failure`: there is no answer. `not-asked`: the limit of queries was reached. */
type AskName = (question: Question) => Promise<DnsAnswer | 'failure' | 'not-asked'>

export async function follow(question: Question, askName: AskName): Promise<Resolution> {
  const found: Resolution = {
    outcome: 'failure',
    rcode: 'failure',
    records: [],
    chain: [],
    end: question.name,
    fault: undefined,
    ttlSeconds: undefined,
  }
  while (true) {
    const answer = await askName({ name: found.end, type: question.type })
    if (typeof answer === 'string') return { ...found, rcode: answer }
    found.rcode = answer.rcode
    const links = aliasesIn(answer, found.end)
    for (const { from, to, ttlSeconds } of links) {
      found.chain.push({ from, to })
      found.end = to
      found.ttlSeconds = minimum(found.ttlSeconds, ttlSeconds)
      found.fault = faultOf(found.chain)
      if (found.fault) return found
    }
    if (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN') return found
    const records = answer.answers.filter(
      (record) => record.name === found.end && record.type === question.type,
    )
    if (records.length > 0) {
      const least = Math.min(...records.map((record) => record.ttlSeconds))
      const ttlSeconds = minimum(found.ttlSeconds, least)
      return { ...found, outcome: 'records', records, ttlSeconds }
    }
    const negativeTtl = negativeTtlSeconds(answer)
    // An alias without a negative answer: its target must be queried.
    if (links.length > 0 && negativeTtl === undefined && answer.rcode === 'NOERROR') continue
    if (links.length > 0 && answer.isAuthoritative && !answer.offersRecursion) continue
    return { ...found, outcome: 'nothing', ttlSeconds: minimum(found.ttlSeconds, negativeTtl) }
  }
}

function minimum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}
