// Looks whether a live domain can be switched: requests the host from our own addresses, asks whether the old one has
// HTTPS, and asks DNS what the last check does not say. One look at a time for each domain; its result is kept for some
// seconds, so that pages and commands may poll.

import { findCaa } from '#dns/caa/find-caa.ts'
import { parentOf } from '#dns/messages/dns-name.ts'
import { recordsOfType } from '#dns/messages/exchange.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { findHttps } from '#dns/resolution/find-https.ts'
import {
  findHostAddresses,
  type Resolution,
  type ResolveQuestion,
  resolveFromZone,
} from '#dns/resolution/look-up.ts'
import { readHostname } from '#doctor/hostname.ts'
import type { Clock } from '#kit/clock.ts'
import { createSharedLookups } from '#kit/expiring-map.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import type { PortByAddress } from '#kit/network/addresses.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { httpsPortsOf, requestAtAddress, requestAtPorts } from '../evidence/fetch-at-address.ts'
import type { SwitchFacts } from './judge-switch.ts'

interface SwitchContext {
  network: DnsNetwork
  clock: Clock
  secrets: Secrets
  probePorts: PortByAddress
  signal?: AbortSignal
  /** As in `AddressContext`. */
  httpsPorts: readonly number[]
  platformHost: string
  /** Of the platform host, where the operator has configured them. */
  platformAddresses: readonly string[] | undefined
}

type Look = Pick<SwitchFacts, 'seen' | 'later' | 'hasOldHttps'>

/** Requests of one look: three for each address, and some DNS queries. */
const limits = { maxPermits: 16, maxPermitsPerOwner: 4, maxWaiting: 256, maxWaitMs: 15_000 }
const keptMs = 5000
/** Other people's servers are asked less often. */
const oldSiteKeptMs = 60_000
const maxKept = 500
const maxAddresses = 8
/** What may be left at the host: records that lead browsers elsewhere, and what a CNAME cannot stand beside. */
const besideTypes = ['HTTPS', 'MX', 'TXT'] as const

export type SwitchRunner = ReturnType<typeof createSwitchRunner>

export function createSwitchRunner(context: SwitchContext) {
  const permits = createFairSemaphore(limits)
  const now = () => performance.now()
  const shareLook = createSharedLookups<Look>(now, maxKept, keptMs)
  const shareOldSite = createSharedLookups<boolean>(now, maxKept, oldSiteKeptMs)

  async function lookNow(
    { holder, host, id }: FoundDomain,
    oldAddress: string | undefined,
  ): Promise<Look> {
    const release = await permits.acquire(holder)
    try {
      const { clock, network, signal } = context
      const { registrableDomain = host } = readHostname(host).ok ?? {}
      const freshFrom = registrableDomain
      const inquiry = startInquiry({ network, clock, owner: holder, freshFrom, signal })
      const ask: ResolveQuestion = (question) => resolveFromZone(inquiry, question)
      const at = { ...context, ports: context.probePorts }
      const hasHttps = async (address: string): Promise<boolean> =>
        (await requestAtPorts(host, address, httpsPortsOf(address, at), 'https')) !== undefined
      const [addresses, later, hasOldHttps] = await Promise.all([
        context.platformAddresses ?? findHostAddresses(inquiry, context.platformHost),
        askDns(ask, host),
        oldAddress !== undefined && shareOldSite(`${id} ${oldAddress}`, () => hasHttps(oldAddress)),
      ])
      const seen = await Promise.all(
        addresses.slice(0, maxAddresses).map((address) => requestAtAddress(host, address, at)),
      )
      return { seen, later, hasOldHttps }
    } finally {
      release()
    }
  }

  return {
    /** By which visitors reach HTTPS; undefined where it is not served here. */
    httpsPort: context.httpsPorts[0],
    /**
     * Never older than some seconds; what concerns the old site, a minute. `oldAddress`: if it may be asked. Rejects only while
     * too many looks wait.
     */
    look(domain: FoundDomain, oldAddress: string | undefined): Promise<Look> {
      // A new state of the domain is looked at anew, such as one with a new certificate.
      return shareLook(`${domain.id} ${domain.version}`, () => lookNow(domain, oldAddress))
    },
  }
}

/** CAA as it will be once the host is a CNAME to us: ours has none, so it is that of the names above the host. */
async function askDns(ask: ResolveQuestion, host: string): Promise<Look['later']> {
  const parent = parentOf(host)
  const [own, https, above, ...others] = await Promise.all([
    ask({ name: host, type: 'CAA' }),
    findHttps(ask, host),
    parent === undefined ? [] : findCaa(ask, parent),
    ...besideTypes.map((type) => ask({ name: host, type })),
  ])
  const isOwn = ({ name }: { name: string }): boolean => name === host
  // Of an alias, the answer is about its target: only that the host has none of its own is known.
  const rcodeOf = ({ end, rcode }: Resolution) => (end === host ? rcode : 'NOERROR')
  const isKnown = (answer: Resolution) => ['NOERROR', 'NXDOMAIN'].includes(rcodeOf(answer))
  const records = recordsOfType(own.records, 'CAA').filter(isOwn)
  const found = others.flatMap((other) => recordsOfType(other.records, ...besideTypes))
  return {
    beside: others.every(isKnown) ? found.filter(isOwn) : undefined,
    https,
    caa: [
      { name: host, isOurTarget: false, rcode: rcodeOf(own), records },
      ...(isKnown(own) ? above : []),
    ],
  }
}
