// Evidence for tests: a healthy check of docs.example.com, and a few words to change what it found.
import { type DnsRecord, recordsOfType } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { type Evidence, evidenceFormat, type Probe, type ServerView } from './evidence.ts'
import { readHostname } from './hostname.ts'

export const target = 'docs.animals.example'
export const ourAddress = '198.51.100.10'
export const ourIpv6 = '2001:db8::10'
export const at = Date.UTC(2026, 10, 21, 12, 0, 0)
export const token = 'as-proof-Zm9vYmFy'

const ttlSeconds = 300

export const cname = (name: string, to: string): DnsRecord => {
  return { name, ttlSeconds, type: 'CNAME', target: to }
}
export const a = (name: string, address: string): DnsRecord => {
  return { name, ttlSeconds, type: address.includes(':') ? 'AAAA' : 'A', address }
}
export const txt = (name: string, ...strings: string[]): DnsRecord => {
  return { name, ttlSeconds, type: 'TXT', strings }
}
export const mx = (name: string): DnsRecord => {
  return { name, ttlSeconds, type: 'MX', preference: 10, target: 'mail.example.com' }
}
export const caa = (name: string, tag: string, value: string, flags = 0) => {
  return { name, ttlSeconds, type: 'CAA' as const, flags, tag, value }
}

export const nothing: NameFacts = { kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 900 }
export const failure: NameFacts = { kind: 'failure', reason: 'timeout' }

export function facts(...records: DnsRecord[]): NameFacts {
  return {
    kind: 'records',
    cname: recordsOfType(records, 'CNAME'),
    addresses: recordsOfType(records, 'A', 'AAAA'),
    others: records.filter(({ type }) => !['A', 'AAAA', 'CNAME'].includes(type)),
  }
}

export function server(index: number, view: Partial<ServerView> = {}): ServerView {
  return {
    server: { name: `ns${index}.example.net`, address: `203.0.113.${index}`, port: 53 },
    state: 'ok',
    host: nothing,
    doubled: nothing,
    sibling: nothing,
    verification: nothing,
    ms: 3,
    ...view,
  }
}

export const probe = (address: string, outcome: Probe['outcome']): Probe => ({ address, outcome })

export interface EvidenceBuilder {
  evidence: Evidence
  /** Changes parts of it. */
  with: (changes: Partial<Evidence>) => EvidenceBuilder
  /** What the host holds, at all servers or at each of them in turn. */
  holding: (...each: NameFacts[]) => EvidenceBuilder
  /** Changes every server's view. */
  views: (view: Partial<ServerView>) => EvidenceBuilder
  claim: (claim: Partial<Evidence['claim']>) => EvidenceBuilder
  zone: (zone: Partial<Evidence['zone']>) => EvidenceBuilder
  platform: (platform: Partial<Evidence['platform']>) => EvidenceBuilder
}

/** A host that was just added and points to us: nothing to say. For an apex, its addresses do. */
export function evidence({ host = 'docs.example.com' } = {}): EvidenceBuilder {
  const subject = readHostname(host, { hosts: [], platformHost: '' }).ok
  if (subject === undefined) throw new Error(`${host} is no host`)
  const right = subject.isApex ? facts(a(host, ourAddress)) : facts(cname(host, target))
  return builder({
    format: evidenceFormat,
    at,
    durationMs: 42,
    queries: 12,
    isCutShort: false,
    subject,
    platform: {
      host: target,
      addresses: [ourAddress, ourIpv6],
      ownHosts: ['shop.animals.example'],
      authorities: [
        {
          domain: 'authority.example',
          accountUri: 'https://authority.example/acct/1',
          methods: ['http-01', 'tls-alpn-01'],
        },
      ],
      verification: { name: `_animal-store.${host}`, value: token },
    },
    claim: {
      isProven: false,
      addedAt: at - 600_000,
      pointedWhenAdded: false,
      heldByOther: 'no',
      heldBefore: false,
      failingSince: undefined,
      partialSince: undefined,
    },
    zone: {
      delegation: 'there',
      apex: subject.registrableDomain,
      nameServers: ['ns1.example.net', 'ns2.example.net'],
      provider: undefined,
      dnssec: 'unsigned',
    },
    servers: [server(1, { host: right }), server(2, { host: right })],
    resolver: {
      server: { address: '192.0.2.53', port: 53 },
      host: right,
      ttlSeconds: 300,
    },
    caa: [{ name: 'top', isOurTarget: false, rcode: 'NOERROR', records: [] }],
    chain: [],
    probes: [probe(ourAddress, { kind: 'platform' })],
    exchanges: [],
  })
}

function builder(evidence: Evidence): EvidenceBuilder {
  const change = (changes: Partial<Evidence>) => builder({ ...evidence, ...changes })
  return {
    evidence,
    with: change,
    holding(...each) {
      const [first = nothing] = each
      const count = Math.max(each.length, evidence.servers.length)
      const servers = Array.from({ length: count }, (_, i) => ({
        ...(evidence.servers[i] ?? server(i + 1)),
        host: each.length === 1 ? first : (each[i] ?? first),
      }))
      const resolver = evidence.resolver && { ...evidence.resolver, host: first }
      return change({ servers, resolver })
    },
    views: (view) => change({ servers: evidence.servers.map((each) => ({ ...each, ...view })) }),
    claim: (claim) => change({ claim: { ...evidence.claim, ...claim } }),
    zone: (zone) => change({ zone: { ...evidence.zone, ...zone } }),
    platform: (platform) => change({ platform: { ...evidence.platform, ...platform } }),
  }
}
