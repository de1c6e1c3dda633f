// What every name server answers for the names whose records were to be deleted after a domain was removed, and where
// CNAMEs of the host lead now. At most 40 queries for each name, and 5 s.
import type { Clock } from '../../../platform/clock.ts'
import { recordsOfType, type ServerAddress } from '../../dns/messages/exchange.ts'
import { askFactsAtServers } from '../../dns/name-servers/facts-at-servers.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { DnsNetwork } from '../../dns/queries/dns-network.ts'
import { type Inquiry, startInquiry } from '../../dns/queries/inquiry.ts'
import { findHostAddresses } from '../../dns/resolution/find-host-addresses.ts'
import { resolveFromZone } from '../../dns/resolution/look-up.ts'
import { delegationOf, walk } from '../../dns/walk/walk.ts'
import type { Subject } from './evidence.ts'

/** The host, and one for each kind of TXT record. */
const maxNames = 6
const maxTargets = 4
const queriesOfName = 40
/** Of these, for the zone's name servers and the targets of CNAMEs. */
const reserve = 12

export interface LeftRecordsContext {
  network: DnsNetwork
  clock: Clock
  /** The account that it is for. */
  owner: string
  signal?: AbortSignal
}

interface LeftRecordsQuery {
  subject: Pick<Subject, 'host' | 'registrableDomain'>
  /** `isPointer`: the host itself, whose CNAME and addresses are looked up; otherwise TXT records. */
  names: readonly { name: string; isPointer: boolean }[]
  platform: { host: string; addresses: string[] | undefined }
}

export interface LeftRecordsFacts {
  at: number
  names: {
    name: string
    isPointer: boolean
    /** The registrable domain is not registered any more. */
    isUnregistered: boolean
    /** Each address of each name server of the zone. */
    servers: { server: ServerAddress; facts: NameFacts }[]
  }[]
  /** Targets of CNAMEs of the host. */
  targets: { target: string; leadsTo: 'us' | 'elsewhere' | 'unknown' }[]
  /** Of the platform host. */
  addresses: string[]
}

/** Never throws because of network failures. Concurrent calls queue; the time limit starts after the queue. */
export async function gatherLeftRecords(
  { clock, network, owner, signal }: LeftRecordsContext,
  { names: given, platform, subject }: LeftRecordsQuery,
): Promise<LeftRecordsFacts> {
  const release = await network.checks.acquire(owner, { signal }).catch(() => undefined)
  try {
    const asked = given.slice(0, maxNames)
    const inquiry = startInquiry({
      ...{ network, clock, owner },
      freshFrom: subject.registrableDomain,
      maxQueries: queriesOfName * asked.length,
      ...(signal && { signal }),
    })
    const at = clock()
    const hasPointer = asked.some(({ isPointer }) => isPointer)
    const [names, addresses] = await Promise.all([
      Promise.all(asked.map((name) => askName(inquiry, subject.registrableDomain, name))),
      platform.addresses ?? (hasPointer ? findHostAddresses(inquiry, platform.host) : []),
    ])
    const cnames = names.flatMap(({ isPointer, servers }) =>
      isPointer
        ? servers.flatMap(({ facts }) => (facts.kind === 'records' ? facts.cname : []))
        : [],
    )
    const found = new Set(recordsOfType(cnames, 'CNAME').map(({ target }) => target))
    const targets = await Promise.all(
      [...found].slice(0, maxTargets).map(async (target) => ({
        target,
        leadsTo: await destinationOf(inquiry, target, platform.host),
      })),
    )
    return { at, names, targets, addresses }
  } finally {
    release?.()
  }
}

async function askName(
  inquiry: Inquiry,
  registrableDomain: string,
  { isPointer, name }: LeftRecordsQuery['names'][number],
): Promise<LeftRecordsFacts['names'][number]> {
  const found = await walk(inquiry, name)
  const isUnregistered = delegationOf(found, registrableDomain) === 'not there'
  const servers = isUnregistered
    ? []
    : await askFactsAtServers(inquiry, found.servers, name, {
        types: isPointer ? ['A', 'AAAA'] : ['TXT'],
        reserve,
      })
  return {
    ...{ name, isPointer, isUnregistered },
    servers: servers.map(({ facts, server }) => ({ facts, server })),
  }
}

async function destinationOf(
  inquiry: Inquiry,
  target: string,
  platformHost: string,
): Promise<LeftRecordsFacts['targets'][number]['leadsTo']> {
  if (target === platformHost) return 'us'
  const { chain, fault, outcome } = await resolveFromZone(inquiry, { name: target, type: 'A' })
  if (chain.some(({ to }) => to === platformHost)) return 'us'
  return outcome === 'failure' && fault === undefined ? 'unknown' : 'elsewhere'
}
