// The records of one name, at one authoritative server or at many, in as few queries as possible: an alias or a missing
// name is known after the first. Within the limit of queries, each name server is queried at one address before any is
// queried at a second one. What exceeds the limit is omitted (isCutShort).
import {
  type DnsRecord,
  type DnsResponse,
  type Exchange,
  type Rcode,
  type RecordType,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'
import { ask } from '../queries/ask.ts'
import { isAnswerIn } from '../queries/dns-network.ts'
import type { Inquiry } from '../queries/inquiry.ts'
import { startFor } from '../walk/walk.ts'

type OfType<Type> = DnsRecord & { type: Type }
export type AddressRecord = OfType<'A' | 'AAAA'>

export type NameFacts =
  | {
      kind: 'records'
      cname: OfType<'CNAME'>[]
      addresses: AddressRecord[]
      /** Other types that were asked for, such as MX, TXT. */
      others: DnsRecord[]
    }
  /** `negativeTtlSeconds`: how long caches keep it (RFC 2308, section 5). */
  | { kind: 'nothing'; rcode: 'NXDOMAIN' | 'NOERROR'; negativeTtlSeconds: number | undefined }
  /** `lame`: it answers without authority. `not-asked`: the limit of queries was reached. */
  | {
      kind: 'failure'
      reason: Rcode | 'timeout' | 'unreachable' | 'malformed' | 'lame' | 'not-asked'
    }

type ServerState = 'ok' | 'lame' | 'refused' | 'timeout' | 'error'

interface FactsOptions {
  /** The first is queried first, the others only if the name may have them. */
  types?: [RecordType, ...RecordType[]]
  /** Types to query even if the name is an alias, which must be the only record (RFC 1034, section 3.6.2). */
  besideAlias?: RecordType[]
}

const defaultTypes: [RecordType, ...RecordType[]] = ['A', 'AAAA']

export async function queryNameFacts(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  options: FactsOptions = {},
): Promise<NameFacts> {
  const { types = defaultTypes } = options
  const first = await queryType(inquiry, server, name, types[0])
  const further = furtherTypes(first, options).map((type) => queryType(inquiry, server, name, type))
  return mergeFacts(first, await Promise.all(further))
}

/** The types to query after the first answer. */
function furtherTypes(
  first: NameFacts,
  { types = defaultTypes, besideAlias = [] }: FactsOptions,
): RecordType[] {
  const [firstType, ...others] = types
  if (first.kind === 'failure') return []
  if (first.kind === 'nothing' && first.rcode === 'NXDOMAIN') return []
  const isAlias = first.kind === 'records' && first.cname.length > 0
  return (isAlias ? besideAlias : others).filter((type) => type !== firstType)
}

const mergeFacts = (first: NameFacts, further: NameFacts[]): NameFacts =>
  further.reduce(mergeTwoFacts, first)

/** Undefined if the server was not queried. */
export function stateOf(facts: NameFacts): ServerState | undefined {
  if (facts.kind !== 'failure') return 'ok'
  switch (facts.reason) {
    case 'not-asked':
      return undefined
    case 'lame':
      return 'lame'
    case 'REFUSED':
      return 'refused'
    case 'timeout':
    case 'unreachable':
      return 'timeout'
    default:
      return 'error'
  }
}

/** How long caches keep "nothing": the smaller of the SOA record's TTL and its last field (RFC 2308). */
export function negativeTtlSeconds(response: DnsResponse): number | undefined {
  const [soa] = recordsOfType(response.authorities, 'SOA')
  return soa && Math.min(soa.ttlSeconds, soa.minimumSeconds)
}

async function queryType(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  type: RecordType,
): Promise<NameFacts> {
  const { response, failure } = await ask(inquiry, server, { name, type })
  if (!response) return { kind: 'failure', reason: reasonOf(failure) }
  const { rcode } = response
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { kind: 'failure', reason: rcode }
  const isAnswer = isAnswerIn(startFor(inquiry, name).apex, { name, type })
  if (!isAnswer(response)) return { kind: 'failure', reason: 'lame' }
  const cname: OfType<'CNAME'>[] = []
  const records: DnsRecord[] = []
  for (const record of response.answers) {
    if (record.name !== name) continue
    if (record.type === 'CNAME') cname.push(withDname(record, response.answers))
    else if (record.type === type) records.push(record)
  }
  // NXDOMAIN with an alias refers to its target (RFC 6604, section 2.1).
  if (cname.length === 0 && records.length === 0) {
    return { kind: 'nothing', rcode, negativeTtlSeconds: negativeTtlSeconds(response) }
  }
  const addresses = recordsOfType(records, 'A', 'AAAA')
  return { kind: 'records', cname, addresses, others: addresses.length > 0 ? [] : records }
}

export function withDname(cname: OfType<'CNAME'>, answers: DnsRecord[]): OfType<'CNAME'> {
  const { name, target } = cname
  const above = recordsOfType(answers, 'DNAME').find(
    (each) => name.endsWith(`.${each.name}`) && target === renamed(name, each),
  )
  return above ? { ...cname, dname: { name: above.name, target: above.target } } : cname
}

/** What a DNAME record makes of a name below it. */
export const renamed = (name: string, dname: { name: string; target: string }): string =>
  name.slice(0, -dname.name.length) + dname.target

function reasonOf(failure: Exchange['failure']): (NameFacts & { kind: 'failure' })['reason'] {
  if (failure === 'refused-connection') return 'unreachable'
  if (failure === 'cancelled' || failure === undefined) return 'not-asked'
  return failure
}

/** Records override nothing, as does a failure of another type, because records may exist. */
function mergeTwoFacts(a: NameFacts, b: NameFacts): NameFacts {
  if (a.kind === 'records' && b.kind === 'records') {
    return {
      kind: 'records',
      cname: a.cname.length > 0 ? a.cname : b.cname,
      addresses: [...a.addresses, ...b.addresses],
      others: [...a.others, ...b.others],
    }
  }
  if (a.kind === 'records') return a
  return b.kind === 'nothing' ? a : b
}

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
    const first = await queryType(inquiry, server, name, (options.types ?? defaultTypes)[0])
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
    const query = (type: RecordType) => queryType(inquiry, server, name, type)
    const further = Promise.all(types.map(query))
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
