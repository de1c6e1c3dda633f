// Resolves a query at the zone's own servers, alias by alias, bypassing all caches.
import type { Question } from '../messages/exchange.ts'
import { askAny } from '../queries/ask-any.ts'
import { type Inquiry, isExhausted } from '../queries/inquiry.ts'
import { isAuthoritative } from '../queries/zone-cut.ts'
import { descend, findKnownZone, serversOf } from '../walk/descend.ts'
import { walk } from '../walk/walk.ts'
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
  if (inquiry.network.forwarders.length > 0) return (await walk(inquiry, name)).servers
  const { cuts, outcome } = await descend(inquiry, name)
  return outcome === 'found' ? serversOf(inquiry, cuts.at(-1) ?? cuts[0]) : []
}
