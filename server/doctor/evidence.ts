// What a check of a host found, as plain data. judge.ts needs nothing else, so that stored evidence can be judged again.
// Times are milliseconds since the epoch; names are lower-case ASCII without a trailing dot.
import type { CaaStep } from '#dns/caa/find-caa.ts'
import type { Exchange, ServerAddress } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { HttpsRecord } from '#dns/resolution/find-https.ts'
import type { ChainLink } from '#dns/resolution/look-up.ts'
import type { UnusableServer } from '#dns/walk/walk.ts'

export const evidenceFormat = 1

export interface Evidence {
  format: typeof evidenceFormat
  at: number
  durationMs: number
  /** The number of queries, and whether the check hit its limit (40 queries, 5 s). */
  queries: number
  isCutShort: boolean
  subject: Subject
  platform: PlatformFacts
  claim: ClaimFacts
  zone: ZoneFacts
  /** Each address of each authoritative server of the zone that holds the host. */
  servers: ServerView[]
  resolver: ResolverView | undefined
  /** From the host up the tree (RFC 8659); the first one with records applies. */
  caa: CaaStep[]
  /** Where browsers are led by HTTPS records; absent in evidence of before. */
  https?: HttpsRecord[]
  /** What follows the host's CNAME, link by link, as the recursive resolver or the walk found it. */
  chain: ChainLink[]
  probes: Probe[]
  /** Present while a certificate is requested before DNS points to us. */
  preparation?: PreparationFacts
  /** Facts about the host's certificate; absent until one was requested. */
  certificate?: CertificateFacts
  /** All queries and answers, in order, for the support of a DNS provider. */
  exchanges: Exchange[]
}

export interface Subject {
  host: string
  /** For display: Unicode where that is safe. */
  unicodeHost: string
  /** By the public suffix list. */
  registrableDomain: string
  /** The host's label or labels below the zone; `@` for the zone itself. */
  label: string
  isApex: boolean
}

interface AuthorityFacts {
  domain: string
  accountUri?: string | undefined
  methods: string[]
}

/** Facts about this platform. */
export interface PlatformFacts {
  /** The platform host: the required target of CNAMEs. */
  host: string
  /** Of the platform host. */
  addresses: string[]
  /** Hosts that cannot be custom domains. */
  ownHosts: string[]
  /** Our certificate authorities: the names that CAA must allow, our account, and our validation methods. */
  authorities: AuthorityFacts[]
  /** TXT that proves ownership: at `_animal-store.<host>`. Undefined for a check without a claim. */
  verification: { name: string; value: string } | undefined
}

/** The claim on the host, from our database. */
export interface ClaimFacts {
  /** Undefined when the host is checked without being added. */
  addedAt: number | undefined
  /** Ownership was proven at an earlier check and stays so: a pointer suffices. */
  isProven: boolean
  /** Whether it already pointed here when it was added. */
  pointedWhenAdded: boolean
  /** Another account holds it and has its TXT record, holds it, has added it, or held it within 90 days. */
  heldByOther: 'no' | 'proves' | 'holds' | 'claims' | 'held'
  /** This account held it, and it pointed here, within 30 days. */
  heldBefore: boolean
  /** From then on a pointer no longer proves ownership. Absent without a claim. */
  pointerProvesUntil?: number
  /** This account proved ownership, and the host has not pointed here for 30 days since. */
  hasLapsed?: boolean
  /** When the pointer was first seen missing or wrong in this state, if it is. */
  failingSince: number | undefined
  /** When some but not all servers were first seen to have the record, if that lasts. */
  partialSince: number | undefined
}

/** A value of the challenge's TXT record that is no longer valid. */
export interface FormerChallenge {
  value: string
  /** `expired`: its order was open no longer. `refused`: the authority did not accept it. */
  because: 'expired' | 'refused' | 'renewal' | 'canceled'
  at: number
}

/** The TXT record of the challenge (RFC 8555, section 8.4). */
export interface WantedChallenge {
  name: string
  /** Absent until an authority has been asked. */
  value?: string
  /** Until when it has to be set. */
  until?: number
  former?: FormerChallenge
}

export interface PreparationFacts {
  challenge: WantedChallenge
  /** Each address of each name server of the zone that holds the record. */
  servers: { server: ServerAddress; facts: NameFacts }[]
  /** At a random label below the host, which only a wildcard answers. */
  wildcard: NameFacts | undefined
  /** At the name of the record with the zone appended, and at the host itself. */
  doubled: NameFacts | undefined
  atHost: NameFacts | undefined
  /** At the same label of the zone, without the subdomain. */
  atApex?: NameFacts | undefined
  /** Of the zone that holds the record. */
  apex?: string
  /** CAA as it will be once the host points to us. */
  caaAfter: CaaStep[]
}

export interface ZoneFacts {
  /** Whether the registered domain is delegated by its parent. */
  delegation: 'there' | 'not there' | 'unknown'
  /** The apex of the zone that contains the host, which may be below the registrable domain. */
  apex: string | undefined
  /** The same, also if none of its name servers answers. This and the names below are absent in evidence of the release before. */
  cut?: string | undefined
  nameServers: string[]
  /** By the delegation, and by the zone itself. */
  parentNames?: string[]
  ownNames?: string[]
  /** Name servers without an address that this machine can ask. */
  unusable?: UnusableServer[]
  /** Known by its name servers. */
  provider: Provider | undefined
  /**
   * `broken`: SERVFAIL with DNSSEC validation, an answer without it (D04): of the zone, or of what an authority asks.
   * `not asked`: the limit was reached before all of that was asked. `unknown`: no resolver, or it fails without it, too.
   */
  dnssec: 'fine' | 'unsigned' | 'broken' | 'unknown' | 'not asked'
  /** Where it is broken: the last name of the chain, what was asked there, its zone, and whether that is broken as a whole. */
  bogus?: { name: string; type: 'SOA' | 'A' | 'AAAA' | 'CAA'; zone: string; isWhole: boolean }
}

export interface ServerView {
  server: ServerAddress
  /** `lame`: it answers, but not authoritatively. */
  state: 'ok' | 'lame' | 'refused' | 'timeout' | 'error'
  host: NameFacts
  /** At `<host>.<zone>` (D05). */
  doubled: NameFacts | undefined
  /** At a random label in the zone, which only a wildcard answers; queried when `doubled` has records. */
  doubledSibling?: NameFacts
  /** At a random label beside the host (D23). */
  sibling: NameFacts | undefined
  /** At the name of the TXT record. */
  verification: NameFacts | undefined
  /** At the name of the TXT record with the zone appended (D25); queried when the record is missing. */
  doubledVerification?: NameFacts
  /** At the same label of the zone, without the subdomain; queried when the record is missing. */
  apexVerification?: NameFacts
  ms: number
}

interface ResolverView {
  server: ServerAddress
  host: NameFacts
  /** Whole seconds until the cached answer expires. */
  ttlSeconds: number | undefined
  /** The name servers that it asks, and for how long; asked for where its answer is not that of the zone's servers. */
  nameServers?: { names: string[]; ttlSeconds: number }
}

/** A request for `http://<host>/.well-known/animal-store/<nonce>` at one address. */
export interface Probe {
  address: string
  /** Only HTTPS records lead there, which authorities do not follow. */
  isOfHttps?: boolean
  /** `server`: the Server header, by which a proxy in front of us identifies itself. */
  outcome:
    | { kind: 'platform'; server?: string | undefined }
    | {
        kind: 'other'
        status: number
        server: string | undefined
        platform: string | undefined
        /** The target of a redirect. */
        location?: string | undefined
      }
    | { kind: 'redirect loop'; location: string; server?: string | undefined }
    | { kind: 'no answer'; reason: string }
    /** Not a public address: no request was sent. */
    | { kind: 'not asked'; reason: string }
}

/** What this machine cannot reach says nothing about the host. */
export const noIpv6 = 'this server has no IPv6'

/** Addresses at which the check reached this server. */
export function reachableAddresses({ probes }: Pick<Evidence, 'probes'>): string[] {
  return probes.flatMap(({ address, outcome }) => (outcome.kind === 'platform' ? [address] : []))
}

/** Answers of the authority, and certificates presented over TLS (T04 to T10). */
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
        /** The request that it answered, such as `new order`; undefined for a failed validation. */
        operation?: string
        /** The URL of the request, and the time from Retry-After, if any. */
        directory?: string
        retryAt?: number | undefined
      }
    | undefined
  /** When the next attempt starts. */
  retryAt: number | undefined
  /** Of the certificate that is in use. */
  expiresAt: number | undefined
  /** SHA-256 of the certificate in use, and of those that the addresses present, in lower-case hexadecimal. */
  fingerprint: string | undefined
  seen: { address: string; fingerprint: string; issuer: string }[]
}

/**
 * A DNS provider, recognised by the names of its name servers, and whether it has ALIAS records at the apex: public
 * knowledge that changes slowly. Unknown providers are not judged.
 */
interface Provider {
  name: string
  /** Whether an apex can be an alias of any name. Aliases only to the provider's own resources do not count. */
  hasAlias: boolean
}

const alias = (name: string): Provider => ({ name, hasAlias: true })
const none = (name: string): Provider => ({ name, hasAlias: false })

/** The end of a name server's name, whole labels; or a form where the names vary. */
const providers: readonly [RegExp, Provider][] = [
  [/\.ns\.cloudflare\.com$/, alias('Cloudflare')],
  [/(^|\.)dnsimple(-edge)?\.(com|net|org)$/, alias('DNSimple')],
  [/(^|\.)dnsmadeeasy\.com$/, alias('DNS Made Easy')],
  [/(^|\.)constellix\.(com|net)$/, alias('Constellix')],
  [/(^|\.)easydns\.(com|net|org|info)$/, alias('easyDNS')],
  [/(^|\.)nsone\.net$/, alias('NS1')],
  [/(^|\.)registrar-servers\.com$/, alias('Namecheap')],
  [/(^|\.)ns\.porkbun\.com$/, alias('Porkbun')],
  [/(^|\.)name\.com$/, alias('Name.com')],
  [/(^|\.)gandi\.net$/, alias('Gandi')],
  [/(^|\.)cloudns\.(net|uk|com)$/, alias('ClouDNS')],
  [/(^|\.)bunny\.net$/, alias('bunny.net')],
  [/(^|\.)vercel-dns\.com$/, alias('Vercel')],
  [/(^|\.)he\.net$/, alias('Hurricane Electric')],
  [/(^|\.)inwx\.(de|eu|net|com)$/, alias('INWX')],
  [/(^|\.)transip\.(net|nl|eu)$/, alias('TransIP')],
  [/(^|\.)luadns\.(net|com)$/, alias('LuaDNS')],
  [/(^|\.)exoscale\.(ch|com|io|net)$/, alias('Exoscale')],
  [/(^|\.)hosting\.de$/, alias('hosting.de')],
  [/(^|\.)awsdns-\d+\.(com|net|org|co\.uk)$/, none('Amazon Route 53')],
  [/(^|\.)azure-dns\.(com|net|org|info)$/, none('Azure DNS')],
  [/(^|\.)domaincontrol\.com$/, none('GoDaddy')],
  [/(^|\.)digitalocean\.com$/, none('DigitalOcean')],
  [/(^|\.)(ns\.hetzner\.(com|de)|first-ns\.de|second-ns\.(de|com))$/, none('Hetzner')],
  [/(^|\.)(ovh\.(net|ca)|anycast\.me)$/, none('OVHcloud')],
  [/(^|\.)linode\.com$/, none('Akamai Linode')],
  [/(^|\.)vultr\.com$/, none('Vultr')],
  [/(^|\.)ui-dns\.(com|de|org|biz|co\.uk)$/, none('IONOS')],
  [/(^|\.)wixdns\.net$/, none('Wix')],
  [/(^|\.)loopia\.se$/, none('Loopia')],
  [/(^|\.)(hichina|alidns)\.com$/, none('Alibaba Cloud')],
  [/(^|\.)desec\.(io|org)$/, none('deSEC')],
]

/** Known only if every name server is that provider's: a zone at two providers needs both to have ALIAS. */
export function findProvider(nameServers: readonly string[]): Provider | undefined {
  const names = nameServers.map((server) => server.toLowerCase().replace(/\.$/, ''))
  if (names.length === 0) return undefined
  return providers.find(([form]) => names.every((name) => form.test(name)))?.[1]
}
