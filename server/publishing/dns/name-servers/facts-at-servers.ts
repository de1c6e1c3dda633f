// What a name holds at each of many servers, planned so that the questions suffice: each name server is asked
// at one address before any is asked at a second, and what does not fit is left out and said (isCutShort).
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

/** Servers that are asked further where there is no room to ask all of them; one, where there is none at all. */
const maxWitnesses = 2

export interface FactsAtServer {
  server: ServerAddress
  /** `not-asked` where the questions did not suffice for this address. */
  facts: NameFacts
  /** From the first question to the last answer. */
  ms: number
}

export interface ServersOptions extends FactsOptions {
  /** Questions of the inquiry that are left for others. One for each name server is asked in any case. */
  reserve?: number
}

/**
 * In the order of the servers. Where the questions do not suffice to ask each for all types, one or two of those
 * that gave the same first answer are asked for the others, and the rest of them are taken to hold the same.
 */
export function askFactsAtServers(
  inquiry: Inquiry,
  servers: ServerAddress[],
  name: string,
  options: ServersOptions = {},
): Promise<FactsAtServer[]> {
  const room = inquiry.maxQueries - inquiry.queries - (options.reserve ?? 0)
  const chosen = choose(inquiry, servers, room)
  let left = room - chosen.size
  const witnesses = new Map<string, Promise<NameFacts[]>[]>()

  const factsAt = async (server: ServerAddress): Promise<NameFacts> => {
    if (!chosen.has(server)) return { kind: 'failure', reason: 'not-asked' }
    const first = await askFirst(inquiry, server, name, options)
    const types = furtherTypes(first, options)
    if (types.length === 0) return first
    const kin = witnesses.get(likenessOf(first)) ?? []
    const enough = left > 0 ? maxWitnesses : 1
    if (kin.length >= enough && left < types.length) {
      const told = await Promise.all(kin)
      const taken = told.find((facts) => facts.every(({ kind }) => kind !== 'failure'))
      return mergeFacts(first, taken ?? [])
    }
    left -= types.length
    const further = askTypes(inquiry, server, name, types)
    witnesses.set(likenessOf(first), [...kin, further])
    return mergeFacts(first, await further)
  }

  return Promise.all(
    servers.map(async (server) => {
      const start = performance.now()
      const facts = await factsAt(server)
      return { server, facts, ms: Math.round(performance.now() - start) }
    }),
  )
}

/** One address of each name server, and as many more as there is room for. */
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

/** The same for servers that gave the same answer, whatever its order and the time that is left on it. */
function likenessOf(facts: NameFacts): string {
  const text = (value: unknown) =>
    JSON.stringify(value, (key, part) => (key.endsWith('Seconds') ? undefined : part))
  if (facts.kind !== 'records') return text(facts)
  return [...facts.cname, ...facts.addresses, ...facts.others].map(text).sort().join()
}
