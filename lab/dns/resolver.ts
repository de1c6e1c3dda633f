// A recursive resolver with a cache. It does not verify signatures, but a zone whose parent has a DS record is bogus
// without a DNSKEY (RFC 4035, section 5). It asks over TCP alone: on one machine that costs nothing, and no answer is
// truncated.

import { randomInt } from 'node:crypto'
import { isWithin, parentOf } from '#dns/messages/dns-name.ts'
import {
  type DnsRecord,
  type DnsResponse,
  type Question,
  type RecordType,
  recordsOfType,
  type ServerAddress,
} from '#dns/messages/exchange.ts'
import { withId, writeQuery } from '#dns/messages/read-message.ts'
import { negativeTtlSeconds } from '#dns/name-servers/name-facts.ts'
import { askTcp } from '#dns/queries/ask.ts'
import { isAnswerIn } from '#dns/queries/dns-network.ts'
import { createExpiringMap } from '#kit/expiring-map.ts'
import { listenDns } from './listen-dns.ts'

interface Resolved {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL'
  answers: DnsRecord[]
  /** The SOA of a negative answer. */
  authorities: DnsRecord[]
  /** A zone above has a DS record but no DNSKEY: SERVFAIL unless checking is disabled. */
  isBogus: boolean
}

interface Delegation {
  zone: string
  servers: string[]
  /** The addresses of servers that the parent has. */
  glue: Map<string, string[]>
  /** The parent has a DS record for it. */
  isSigned: boolean
}

export type Resolver = ReturnType<typeof createResolver>

interface ResolverOptions {
  roots: ServerAddress[]
  now(): number
  /** The order in which servers are tried; random by default. */
  shuffle?<T>(list: T[]): T[]
  /** Answers, negative answers and delegations are cached for at most this long; no limit by default. */
  maxTtlSeconds?: number
  /** A server that has not responded after this time is silent. */
  timeoutMs?: number
}

const maxCached = 10_000
const maxHops = 9
const maxReferrals = 20
const maxDepth = 5
const failureSeconds = 5
const dnssecBogus = { code: 9, text: 'DNSKEY missing' }

export function createResolver(options: ResolverOptions) {
  const { roots, now, shuffle = shuffled, timeoutMs = 1000 } = options
  const [{ port } = { port: 53 }] = roots
  const cache = createResolverCache(now, options.maxTtlSeconds)
  const bogus = new Set<string>()

  async function resolve(name: string, type: RecordType, depth = 0): Promise<Resolved> {
    const chain: DnsRecord[] = []
    let isBogus = false
    let at = name
    for (let hop = 0; hop < maxHops; hop++) {
      const step = cache.findAnswer(at, type) ?? (await iterate(at, type, depth))
      isBogus ||= step.isBogus || bogus.has(`${at} ${type}`)
      chain.push(...step.answers)
      const [last] = step.answers
      if (step.rcode !== 'NOERROR' || last?.type !== 'CNAME' || type === 'CNAME')
        return { ...step, answers: chain, isBogus }
      at = last.target
    }
    return failure
  }

  /** Follows referrals until a zone's server answers for this name, and caches the answer. */
  async function iterate(name: string, type: RecordType, depth: number): Promise<Resolved> {
    let delegation = cache.findDelegation(name, type)
    for (let step = 0; step < maxReferrals; step++) {
      const reply = await askZone(delegation, name, type, depth)
      if (!reply) break
      const next = referralOf(reply, delegation?.zone ?? '', name)
      if (next) {
        delegation = next.delegation
        cache.cacheDelegation(next.delegation, next.ttlSeconds)
        continue
      }
      const isBogus = await lacksKey(delegation, name, type, depth)
      return cacheAnswer(name, type, reply, isBogus)
    }
    cache.cacheAnswer(name, type, failure, failureSeconds)
    return failure
  }

  /** The first usable answer; undefined when no server gives one. */
  async function askZone(
    delegation: Delegation | undefined,
    name: string,
    type: RecordType,
    depth: number,
  ): Promise<DnsResponse | undefined> {
    for await (const server of serversOf(delegation, depth)) {
      const response = await queryServer(server, { name, type }, timeoutMs)
      if (!response) continue
      const zone = delegation?.zone ?? ''
      const isUsable =
        isAnswerIn(zone, { name, type })(response) || referralOf(response, zone, name) !== undefined
      if (isUsable) return response
    }
    return undefined
  }

  async function* serversOf(
    delegation: Delegation | undefined,
    depth: number,
  ): AsyncGenerator<ServerAddress> {
    if (!delegation) {
      yield* shuffle(roots)
      return
    }
    for (const server of shuffle(delegation.servers)) {
      let addresses = delegation.glue.get(server)
      if (!addresses && depth < maxDepth) {
        const { answers } = await resolve(server, 'A', depth + 1)
        addresses = recordsOfType(answers, 'A').map(({ address }) => address)
      }
      for (const address of addresses ?? []) yield { address, port }
    }
  }

  async function lacksKey(
    delegation: Delegation | undefined,
    name: string,
    type: RecordType,
    depth: number,
  ): Promise<boolean> {
    if (!delegation?.isSigned || depth >= maxDepth) return false
    if (name === delegation.zone && type === 'DNSKEY') return true
    const keys =
      cache.findAnswer(delegation.zone, 'DNSKEY') ??
      (await iterate(delegation.zone, 'DNSKEY', depth + 1))
    return keys.rcode === 'NOERROR' && keys.answers.length === 0
  }

  /** Caches the records of the name itself; the rest of an alias chain is resolved separately. */
  function cacheAnswer(
    name: string,
    type: RecordType,
    found: DnsResponse,
    isBogus: boolean,
  ): Resolved {
    const own = found.answers.filter(
      (record) => record.name === name && [type, 'CNAME'].includes(record.type),
    )
    const authorities = own.length > 0 ? [] : recordsOfType(found.authorities, 'SOA')
    const isAlias = own[0]?.type === 'CNAME'
    const rcode = found.rcode === 'NXDOMAIN' && !isAlias ? 'NXDOMAIN' : 'NOERROR'
    const resolved: Resolved = { rcode, answers: own, authorities, isBogus }
    const ttl = own.length > 0 ? minTtl(own) : (negativeTtlSeconds(found) ?? 0)
    cache.cacheAnswer(name, type, resolved, ttl)
    return resolved
  }

  return {
    /** Never throws: a failure is SERVFAIL. Follows aliases; the answers contain the whole chain. */
    resolve: (name: string, type: RecordType) => resolve(name, type),
    listen: (address: string, listenPort: number) =>
      listenDns(address, listenPort, async (query) => {
        if (!query.wantsRecursion) return { rcode: 'REFUSED', offersRecursion: true }
        const resolution = await resolve(query.name, query.type)
        if (resolution.isBogus && !query.isCheckingDisabled)
          return { rcode: 'SERVFAIL', offersRecursion: true, extendedError: dnssecBogus }
        const { answers, authorities, rcode } = resolution
        return { rcode, offersRecursion: true, answers, authorities }
      }),
    /** Record sets whose signature is missing, as `name type`: SERVFAIL unless checking is disabled. */
    bogus,
    /** Empties the cache. */
    clear: () => cache.clear(),
  }
}

/** A cache of answers, negative answers (RFC 2308) and delegations. */
function createResolverCache(now: () => number, maxTtlSeconds = Number.POSITIVE_INFINITY) {
  const empty = () => ({
    answers: createExpiringMap<{ resolved: Resolved; cachedAt: number }>(now, maxCached),
    delegations: createExpiringMap<Delegation>(now, maxCached),
  })
  let { answers, delegations } = empty()
  const lifeMs = (ttlSeconds: number): number => Math.min(ttlSeconds, maxTtlSeconds) * 1000

  return {
    /** Its TTLs are the remaining ones. */
    findAnswer(name: string, type: string): Resolved | undefined {
      const entry = answers.find(`${name} ${type}`)
      if (!entry) return undefined
      const age = Math.floor((now() - entry.cachedAt) / 1000)
      const aged = (record: DnsRecord): DnsRecord => {
        return { ...record, ttlSeconds: Math.max(0, record.ttlSeconds - age) }
      }
      const { resolved } = entry
      return {
        ...resolved,
        answers: resolved.answers.map(aged),
        authorities: resolved.authorities.map(aged),
      }
    },
    cacheAnswer(name: string, type: string, resolved: Resolved, ttlSeconds: number): void {
      answers.keep(`${name} ${type}`, { resolved, cachedAt: now() }, lifeMs(ttlSeconds))
    },
    /** The deepest delegation that encloses the name; for DS, one above it. */
    findDelegation(name: string, type: string): Delegation | undefined {
      let zone = type === 'DS' ? parentOf(name) : name
      while (zone !== undefined && !delegations.find(zone)) zone = parentOf(zone)
      return zone === undefined ? undefined : delegations.find(zone)
    },
    cacheDelegation(delegation: Delegation, ttlSeconds: number): void {
      delegations.keep(delegation.zone, delegation, lifeMs(ttlSeconds))
    },
    clear(): void {
      ;({ answers, delegations } = empty())
    },
  }
}

const failure: Resolved = { rcode: 'SERVFAIL', answers: [], authorities: [], isBogus: false }

/** The delegation in an answer, if it is of a deeper zone that encloses the name. */
function referralOf(
  { additionals, answers, authorities, isAuthoritative }: DnsResponse,
  zone: string,
  name: string,
): { delegation: Delegation; ttlSeconds: number } | undefined {
  const servers = recordsOfType(authorities, 'NS')
  const [first] = servers
  if (isAuthoritative || answers.length > 0 || !first) return undefined
  const { name: child } = first
  if (!isWithin(name, child) || !isWithin(child, zone) || child === zone) return undefined
  const glue = new Map<string, string[]>()
  for (const { address, name: owner } of recordsOfType(additionals, 'A')) {
    // The parent is trusted only for addresses below itself.
    if (isWithin(owner, zone)) glue.set(owner, [...(glue.get(owner) ?? []), address])
  }
  const isSigned = authorities.some((record) => record.type === 'DS' && record.name === child)
  const delegation = { zone: child, servers: servers.map(({ target }) => target), glue, isSigned }
  return { delegation, ttlSeconds: minTtl(servers) }
}

function minTtl(records: DnsRecord[]): number {
  return Math.min(...records.map(({ ttlSeconds }) => ttlSeconds))
}

function shuffled<T>(list: T[]): T[] {
  const order = new Map(list.map((item) => [item, Math.random()]))
  return list.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
}

const { signal } = new AbortController()

/** Undefined without a valid answer in time. */
async function queryServer(
  server: ServerAddress,
  question: Question,
  timeoutMs: number,
): Promise<DnsResponse | undefined> {
  const query = writeQuery(question, { wantsRecursion: false, isCheckingDisabled: false })
  if (!query) return undefined
  // The DO bit (RFC 3225): only with it referrals have DS records.
  query[query.length - 4] = 0x80
  const sent = withId(query, randomInt(65_536), true)
  const reply = await askTcp(server, sent, { timeoutMs, signal })
  return 'response' in reply ? reply.response : undefined
}
