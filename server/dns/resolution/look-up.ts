// Resolves a query in two ways. At the zone's own servers, alias by alias, bypassing all caches. And by a public
// resolver, whose view may be older than the zone's; queries with and without checking (CD; RFC 4035, section 3.2.2) show
// whether the signatures of the zone are valid.
import {
  type DnsAnswer,
  type Question,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'
import { ask, askAny } from '../queries/ask.ts'
import { isAuthoritative } from '../queries/dns-network.ts'
import { type Inquiry, isExhausted } from '../queries/inquiry.ts'
import { addressTypes, descend, findKnownZone, serversOf } from '../walk/walk.ts'
import { follow, type Resolution } from './resolution.ts'

/** resolveFromZone or resolve, for one inquiry. */
export type ResolveQuestion = (question: Question) => Promise<Resolution>

/** `failure` also if the best answer was SERVFAIL. */
export function resolveFromZone(inquiry: Inquiry, question: Question): Promise<Resolution> {
  return follow(question, async ({ name, type }) => {
    const servers = await serversFor(inquiry, name)
    const found = await askAny(inquiry, servers, { name, type }, isAuthoritative)
    if (found) return found.answer
    // The last error response, if there is no good answer.
    const refusal = inquiry.exchanges.findLast(
      (exchange) =>
        exchange.question.name === name &&
        exchange.question.type === type &&
        servers.includes(exchange.server) &&
        exchange.answer !== undefined &&
        exchange.answer.rcode !== 'NOERROR' &&
        exchange.answer.rcode !== 'NXDOMAIN',
    )
    return refusal?.answer ?? (isExhausted(inquiry) ? 'not-asked' : 'failure')
  })
}

async function serversFor(inquiry: Inquiry, name: string) {
  const known = findKnownZone(inquiry, name)
  if (known) return serversOf(inquiry, known)
  const { cuts, outcome } = await descend(inquiry, name)
  return outcome === 'found' ? serversOf(inquiry, cuts.at(-1) ?? cuts[0]) : []
}

/**
 * The addresses of a host at its zone's own servers, of the types that this machine can reach. Each once; empty where
 * there are none, or no answer.
 */
export async function findHostAddresses(inquiry: Inquiry, host: string): Promise<string[]> {
  const found = await Promise.all(
    addressTypes(inquiry).map((type) => resolveFromZone(inquiry, { name: host, type })),
  )
  const addresses = found.flatMap(({ records }) =>
    recordsOfType(records, 'A', 'AAAA').map(({ address }) => address),
  )
  return [...new Set(addresses)]
}

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

/**
 * `broken`: SERVFAIL, and an answer when checking is disabled (D04). `fine`: the resolver has validated it.
 * `unsigned` is also what a resolver says that does not validate.
 */
export async function findDnssec(
  inquiry: Inquiry,
  resolver: ServerAddress,
  question: Question,
): Promise<'fine' | 'unsigned' | 'broken' | 'unknown'> {
  const checked = (await ask(inquiry, resolver, question, { wantsRecursion: true })).answer
  if (checked && isAnswer(checked)) return checked.isAuthenticated ? 'fine' : 'unsigned'
  if (checked?.rcode !== 'SERVFAIL') return 'unknown'
  const options = { wantsRecursion: true, isCheckingDisabled: true }
  const unchecked = (await ask(inquiry, resolver, question, options)).answer
  return unchecked && isAnswer(unchecked) ? 'broken' : 'unknown'
}

function isAnswer({ rcode }: DnsAnswer): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}
