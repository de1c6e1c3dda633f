// What a check of a host has found, as plain data: the judgement (judge.ts) needs nothing else, so a bundle
// that was stored can be judged again. Times are milliseconds since the epoch. Names are lower-case ASCII
// without the dot at the end.

import type { CaaStep } from '../../dns/caa/find-caa.ts'
import type { DnsRecord, Exchange, ServerAddress } from '../../dns/messages/exchange.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { ChainLink } from '../../dns/resolution/resolution.ts'

export const evidenceFormat = 1

export interface Evidence {
  format: typeof evidenceFormat
  at: number
  durationMs: number
  /** Questions that were asked, and whether the budget (40, 5 s) ran out before the end. */
  queries: number
  isCutShort: boolean
  subject: Subject
  platform: PlatformFacts
  claim: ClaimFacts
  zone: ZoneFacts
  /** Each address of each authoritative server of the zone that holds the host. */
  servers: ServerView[]
  resolver: ResolverView | undefined
  /** From the host up, as RFC 8659 climbs; the last one with records decides. */
  caa: CaaStep[]
  /** What follows the host's CNAME, link by link, as the recursive resolver or the walk found it. */
  chain: ChainLink[]
  probes: Probe[]
  /** What is known of the host's certificate; absent until one is asked for. */
  certificate?: CertificateFacts
  /** Records that are planned and were laid over what was found; empty for a real check. */
  planned: DnsRecord[]
  /** Everything that was asked and answered, in order, for whoever wants to see it. */
  exchanges: Exchange[]
}

export interface Subject {
  host: string
  /** The same for people: Unicode where that is safe. */
  unicodeHost: string
  /** By the public suffix list. */
  registrableDomain: string
  /** The host's label or labels below the zone; `@` for the zone itself. */
  label: string
  isApex: boolean
}

/** What belongs to this program. */
export interface PlatformFacts {
  /** The platform host, which CNAMEs have to name. */
  host: string
  /** Addresses that the platform host has, or had lately (a check finds stale ones). */
  addresses: string[]
  staleAddresses: string[]
  /** Hosts that cannot be custom domains. */
  ownHosts: string[]
  /** Who issues: the names that CAA has to allow, our account, and the methods that we use. */
  authorities: { domain: string; accountUri?: string; methods: string[] }[]
  /** TXT that proves ownership: at `_animal-store.<host>`. Undefined for a check without a claim. */
  verification: { name: string; value: string } | undefined
}

/** What our own records say of the host. */
export interface ClaimFacts {
  /** Undefined when the host is checked without being added. */
  addedAt: number | undefined
  /** It was proven at an earlier check, and stays so: a pointer suffices. */
  isProven: boolean
  /** Whether it already pointed here when it was added. */
  pointedWhenAdded: boolean
  /**
   * Another account holds it and has its TXT record there, holds it, has added it as well and wanted it
   * lately, or held it within 90 days.
   */
  heldByOther: 'no' | 'proves' | 'holds' | 'claims' | 'held'
  /** This account held it before. */
  heldBefore: boolean
  /** When the pointer was first seen missing or wrong in this state, if it is. */
  failingSince: number | undefined
  /** When some but not all servers were first seen to have the record, if that lasts. */
  partialSince: number | undefined
}

export interface ZoneFacts {
  /** Whether the registered domain is delegated by its parent. */
  delegation: 'there' | 'not there' | 'unknown'
  /** The apex of the zone that really holds the host: a zone cut may lie between. */
  apex: string | undefined
  nameServers: string[]
  /** Known by its name servers, such as `Cloudflare`. */
  provider: { name: string; hasAlias: boolean; page?: string } | undefined
  /** SERVFAIL with checking, an answer without (D04). */
  dnssec: 'fine' | 'unsigned' | 'broken' | 'unknown'
}

export interface ServerView {
  server: ServerAddress
  /** `lame`: it answers, and not with authority. */
  state: 'ok' | 'lame' | 'refused' | 'timeout' | 'error'
  host: NameFacts
  /** At `<host>.<zone>` (D05). */
  doubled: NameFacts | undefined
  /** At a random label beside the host (D23). */
  sibling: NameFacts | undefined
  /** At the name of the proof. */
  verification: NameFacts | undefined
  /** At the name of the proof with the zone appended (D25); asked where the proof is not at its own name. */
  doubledVerification?: NameFacts
  ms: number
}

export interface ResolverView {
  server: ServerAddress
  host: NameFacts
  /** Whole seconds until it asks again. */
  ttlSeconds: number | undefined
}

/** A request for `http://<host>/.well-known/animal-store/<nonce>` at one address. */
export interface Probe {
  address: string
  outcome: /** `server`: the field of that name, by which a proxy in front of us shows itself. */
    | { kind: 'platform'; server?: string }
    | {
        kind: 'other'
        status: number
        server: string | undefined
        platform: string | undefined
        /** Where a redirect leads. */
        location?: string
      }
    | { kind: 'redirect loop'; location: string; server?: string }
    | { kind: 'no answer'; reason: string }
    /** Not a public address: it was not asked. */
    | { kind: 'not asked'; reason: string }
}

/** What the authority and TLS have said of the host (T04 to T09). */
export interface CertificateFacts {
  /** The last answer by which the authority did not issue (RFC 8555, section 6.7). */
  problem:
    | {
        /** The authority's CAA name, such as `letsencrypt.org`. */
        authority: string
        /** Without `urn:ietf:params:acme:error:`, such as `rateLimited`. */
        type: string
        status: number
        detail: string
        at: number
        /** Where it was asked, and when it wants to be asked again, if it said. */
        directory?: string
        retryAt?: number
      }
    | undefined
  /** When it is tried again. */
  retryAt: number | undefined
  /** Of the certificate that is in use. */
  expiresAt: number | undefined
  /** SHA-256 of the certificate in use, and of what each address shows, in lower-case hexadecimal. */
  fingerprint: string | undefined
  seen: { address: string; fingerprint: string; issuer: string }[]
}
