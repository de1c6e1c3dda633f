// The records of a name at many servers, within the limit of queries: each name server is queried at one address before
// any is queried at a second one. What exceeds the limit is omitted (isCutShort).
import type { ServerAddress } from '../messages/exchange.ts'
import type { Inquiry } from '../queries/inquiry.ts'
import {
  askFirst,
  askTypes,
  type FactsOptions,
  furtherTypes,
  mergeFacts,
  type NameFacts,
} from './name-facts.ts'

/** Representatives of servers with the same first answer; one if no queries are left. */
const maxRepresentatives = 2

interface ServersOptions extends FactsOptions {
  /** Number of queries left for other purposes. Each name server gets one in any case. */
  reserve?: number
}

/**
 * In the order of the servers; `not-asked` for addresses beyond the limit of queries. If the limit does not allow
 * querying each server for all types, one or two servers represent all that gave the same first answer.
 */
export function askFactsAtServers(
  inquiry: Inquiry,
  servers: ServerAddress[],
  name: string,
  options: ServersOptions = {},
) {
  const room = inquiry.maxQueries - inquiry.queries - (options.reserve ?? 0)
  const chosen = choose(inquiry, servers, room)
  let left = room - chosen.size
  const representatives = new Map<string, Promise<NameFacts[]>[]>()

  const factsAt = async (server: ServerAddress): Promise<NameFacts> => {
    if (!chosen.has(server)) return { kind: 'failure', reason: 'not-asked' }
    const first = await askFirst(inquiry, server, name, options)
    const types = furtherTypes(first, options)
    if (types.length === 0) return first
    const key = answerKey(first)
    const same = representatives.get(key) ?? []
    const enough = left > 0 ? maxRepresentatives : 1
    if (same.length >= enough && left < types.length) {
      const answered = await Promise.all(same)
      const complete = answered.find((facts) => facts.every(({ kind }) => kind !== 'failure'))
      return mergeFacts(first, complete ?? [])
    }
    left -= types.length
    const further = askTypes(inquiry, server, name, types)
    representatives.set(key, [...same, further])
    return mergeFacts(first, await further)
  }

  return Promise.all(
    servers.map(async (server) => {
      const start = performance.now()
      const facts = await factsAt(server)
      // From the first query to the last answer.
      return { server, facts, ms: Math.round(performance.now() - start) }
    }),
  )
}

/** One address of each name server, and more up to the limit. */
function choose(inquiry: Inquiry, servers: ServerAddress[], room: number): Set<ServerAddress> {
  const chosen = new Map<string, ServerAddress>()
  for (const server of servers) {
    const name = server.name ?? server.address
    if (!chosen.has(name)) chosen.set(name, server)
  }
  const firsts = new Set(chosen.values())
  const others = servers.filter((server) => !firsts.has(server))
  const more = others.slice(0, Math.max(0, room - firsts.size))
  if (more.length < others.length) inquiry.isCutShort = true
  return new Set([...firsts, ...more])
}

/** Equal for equal answers, regardless of their order and the remaining TTL. */
function answerKey(facts: NameFacts): string {
  const text = (value: unknown) =>
    JSON.stringify(value, (key, part) => (key.endsWith('Seconds') ? undefined : part))
  if (facts.kind !== 'records') return text(facts)
  return [...facts.cname, ...facts.addresses, ...facts.others].map(text).sort().join()
}
