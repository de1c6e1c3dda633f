// Resolves a query in two ways. At the zone's own servers, alias by alias, bypassing all caches. And by a public
// resolver, whose view may be older than the zone's; queries with and without checking (CD; RFC 4035, section 3.2.2) show
// whether the signatures of the zone are valid. Both follow aliases (RFC 1034, section 4.3.2) to records, nothing, a failure
// or a loop.

import {
  type DnsRecord,
  type DnsResponse,
  type Exchange,
  type Question,
  type Rcode,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'
import { negativeTtlSeconds } from '../name-servers/name-facts.ts'
import { ask, askAny } from '../queries/ask.ts'
import { isAnswerIn } from '../queries/dns-network.ts'
import { type Inquiry, isExhausted } from '../queries/inquiry.ts'
import { addressTypes, descend, findKnownZone, serversOf, startFor } from '../walk/walk.ts'

/** resolveFromZone or resolve, for one inquiry. */
export type ResolveQuestion = (question: Question) => Promise<Resolution>

/** `failure` also if the best answer was SERVFAIL. */
export function resolveFromZone(inquiry: Inquiry, question: Question): Promise<Resolution> {
  return follow(question, async ({ name, type }) => {
    const servers = await serversFor(inquiry, name)
    const isAnswer = isAnswerIn(startFor(inquiry, name).apex, { name, type })
    const exchange = await askAny(inquiry, servers, { name, type }, isAnswer)
    if (exchange) return exchange.response
    // The last error response, if there is no good answer.
    const refusal = inquiry.exchanges.findLast(
      (exchange) =>
        exchange.question.name === name &&
        exchange.question.type === type &&
        servers.includes(exchange.server) &&
        exchange.response !== undefined &&
        exchange.response.rcode !== 'NOERROR' &&
        exchange.response.rcode !== 'NXDOMAIN',
    )
    return refusal?.response ?? (isExhausted(inquiry) ? 'not-asked' : 'failure')
  })
}

async function serversFor(inquiry: Inquiry, name: string) {
  const zone = findKnownZone(inquiry, name)
  if (zone) return serversOf(inquiry, zone)
  const { cuts, outcome } = await descend(inquiry, name)
  return outcome === 'found' ? serversOf(inquiry, cuts.at(-1) ?? cuts[0]) : []
}

/**
 * The addresses of a host at its zone's own servers, of the types that this machine can reach. Each once; empty where
 * there are none, or no answer.
 */
export async function findHostAddresses(inquiry: Inquiry, host: string): Promise<string[]> {
  const resolutions = await Promise.all(
    addressTypes(inquiry).map((type) => resolveFromZone(inquiry, { name: host, type })),
  )
  const addresses = resolutions.flatMap(({ records }) =>
    recordsOfType(records, 'A', 'AAAA').map(({ address }) => address),
  )
  return [...new Set(addresses)]
}

/** What the resolver says. Aliases that it does not follow itself are followed. */
export function resolve(
  inquiry: Inquiry,
  resolver: ServerAddress,
  question: Question,
): Promise<Resolution> {
  return follow(question, async (each) => {
    const exchange = await ask(inquiry, resolver, each, { wantsRecursion: true })
    return exchange.response ?? (isUnasked(exchange) ? 'not-asked' : 'failure')
  })
}

/**
 * `broken`: SERVFAIL, and an answer when checking is disabled (D04). `fine`: the resolver has validated it.
 * `unsigned` is also what a resolver says that does not validate. `not asked`: the limit was reached.
 */
export async function findDnssec(
  inquiry: Inquiry,
  resolver: ServerAddress,
  question: Question,
): Promise<'fine' | 'unsigned' | 'broken' | 'unknown' | 'not asked'> {
  const first = await ask(inquiry, resolver, question, { wantsRecursion: true })
  const checked = first.response
  if (checked && isResponse(checked)) return checked.isAuthenticated ? 'fine' : 'unsigned'
  if (checked?.rcode !== 'SERVFAIL') return isUnasked(first) ? 'not asked' : 'unknown'
  // The resolver itself says that it reached no name server (RFC 8914, section 4.23).
  if (checked.extendedErrors.some(({ code }) => code === 22 || code === 23)) return 'unknown'
  const options = { wantsRecursion: true, isCheckingDisabled: true }
  const unchecked = await ask(inquiry, resolver, question, options)
  if (isUnasked(unchecked)) return 'not asked'
  return unchecked.response && isResponse(unchecked.response) ? 'broken' : 'unknown'
}

/** The limit of queries or time was reached before there could be an answer. */
const isUnasked = ({ failure }: Exchange) => failure === 'not-asked' || failure === 'cancelled'

function isResponse({ rcode }: DnsResponse): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}

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
function aliasesIn(response: DnsResponse, name: string): (ChainLink & { ttlSeconds: number })[] {
  const aliases = recordsOfType(response.answers, 'CNAME')
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
type AskName = (question: Question) => Promise<DnsResponse | 'failure' | 'not-asked'>

export async function follow(question: Question, askName: AskName): Promise<Resolution> {
  const result: Resolution = {
    outcome: 'failure',
    rcode: 'failure',
    records: [],
    chain: [],
    end: question.name,
    fault: undefined,
    ttlSeconds: undefined,
  }
  while (true) {
    const response = await askName({ name: result.end, type: question.type })
    if (typeof response === 'string') return { ...result, rcode: response }
    result.rcode = response.rcode
    const links = aliasesIn(response, result.end)
    for (const { from, to, ttlSeconds } of links) {
      result.chain.push({ from, to })
      result.end = to
      result.ttlSeconds = minimum(result.ttlSeconds, ttlSeconds)
      result.fault = faultOf(result.chain)
      if (result.fault) return result
    }
    if (response.rcode !== 'NOERROR' && response.rcode !== 'NXDOMAIN') return result
    const records = response.answers.filter(
      (record) => record.name === result.end && record.type === question.type,
    )
    if (records.length > 0) {
      const least = Math.min(...records.map((record) => record.ttlSeconds))
      const ttlSeconds = minimum(result.ttlSeconds, least)
      return { ...result, outcome: 'records', records, ttlSeconds }
    }
    const negativeTtl = negativeTtlSeconds(response)
    // An alias without a negative answer: its target must be queried.
    if (links.length > 0 && negativeTtl === undefined && response.rcode === 'NOERROR') continue
    if (links.length > 0 && response.isAuthoritative && !response.offersRecursion) continue
    return { ...result, outcome: 'nothing', ttlSeconds: minimum(result.ttlSeconds, negativeTtl) }
  }
}

function minimum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}
