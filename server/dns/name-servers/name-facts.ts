// The records of one name at one authoritative server, in as few queries as possible: an alias or a missing name is
// known after the first.

import {
  type DnsAnswer,
  type DnsRecord,
  type Exchange,
  type Rcode,
  type RecordType,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'
import { ask } from '../queries/ask.ts'
import type { Inquiry } from '../queries/inquiry.ts'

export type NameFacts =
  | {
      kind: 'records'
      cname: DnsRecord[]
      /** A and AAAA. */
      addresses: DnsRecord[]
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

export interface FactsOptions {
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
  const first = await askFirst(inquiry, server, name, options)
  const further = await askTypes(inquiry, server, name, furtherTypes(first, options))
  return mergeFacts(first, further)
}

/** From the first query. */
export async function askFirst(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  { types = defaultTypes }: FactsOptions,
): Promise<NameFacts> {
  return factsIn(await ask(inquiry, server, { name, type: types[0] }), name)
}

/** The types to query after the first answer. */
export function furtherTypes(
  first: NameFacts,
  { types = defaultTypes, besideAlias = [] }: FactsOptions,
): RecordType[] {
  const [firstType, ...others] = types
  if (first.kind === 'failure') return []
  if (first.kind === 'nothing' && first.rcode === 'NXDOMAIN') return []
  const isAlias = first.kind === 'records' && first.cname.length > 0
  return (isAlias ? besideAlias : others).filter((type) => type !== firstType)
}

/** One query for each type, in parallel. */
export function askTypes(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  types: RecordType[],
): Promise<NameFacts[]> {
  return Promise.all(
    types.map(async (type) => factsIn(await ask(inquiry, server, { name, type }), name)),
  )
}

export function mergeFacts(first: NameFacts, further: NameFacts[]): NameFacts {
  return further.reduce(mergeTwoFacts, first)
}

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
export function negativeTtlSeconds(answer: DnsAnswer): number | undefined {
  const [soa] = recordsOfType(answer.authorities, 'SOA')
  return soa && Math.min(soa.ttlSeconds, soa.minimumSeconds)
}

function factsIn({ answer, failure, question }: Exchange, name: string): NameFacts {
  if (!answer) return { kind: 'failure', reason: reasonOf(failure) }
  const { rcode } = answer
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { kind: 'failure', reason: rcode }
  if (!answer.isAuthoritative) return { kind: 'failure', reason: 'lame' }
  const own = answer.answers.filter((record) => record.name === name)
  const cname = own.filter((record) => record.type === 'CNAME')
  const asked = own.filter((record) => record.type === question.type && record.type !== 'CNAME')
  // NXDOMAIN with an alias refers to its target (RFC 6604, section 2.1).
  if (cname.length === 0 && asked.length === 0) {
    return { kind: 'nothing', rcode, negativeTtlSeconds: negativeTtlSeconds(answer) }
  }
  const isAddress = question.type === 'A' || question.type === 'AAAA'
  return {
    kind: 'records',
    cname,
    addresses: isAddress ? asked : [],
    others: isAddress ? [] : asked,
  }
}

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
