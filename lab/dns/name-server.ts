// One authoritative name server: its zones, each with a simulated fault.
import { setTimeout as wait } from 'node:timers/promises'
import { isWithin } from '#dns/messages/dns-name.ts'
import { answerQuestion, type ZoneResponse } from './answer-query.ts'
import { type Answerer, type Listening, listenDns } from './listen-dns.ts'
import type { Query, Reply } from './message.ts'
import type { Zone, ZoneRecord } from './zone.ts'

/** Faults of a server for one zone. */
export const faults = [
  'none',
  /** Does not know the zone, and refers to the root. */
  'lame',
  'refusing',
  'silent',
  'servfail',
  'slow',
  /** Answers over TCP only. */
  'tcp_only',
  /** Truncates every answer over UDP, and is silent over TCP. */
  'udp_only',
  /** Answers queries without EDNS only. */
  'drops_edns',
  /** Answers without the AA flag. */
  'no_authority',
  /** Answers SERVFAIL to CAA queries only. */
  'failing_caa',
  /** Answers everything but CAA queries. */
  'silent_caa',
] as const
export type Fault = (typeof faults)[number]

interface HostedZone {
  /** The version that this server has now. */
  read(): Zone
  fault: Fault
}

export interface NameServer extends Listening {
  name: string
  /** By the zone's name. */
  zones: Map<string, HostedZone>
}

/** The addresses of an ALIAS's target. */
export type AddressFinder = (
  target: string,
  type: 'A' | 'AAAA',
) => Promise<{ rcode: Reply['rcode']; addresses: string[]; ttlSeconds: number }>

const slowMs = 900

/** Starts it, without zones. */
export async function startNameServer(
  name: string,
  { address, port }: { address: string; port: number },
  findAddresses: AddressFinder,
): Promise<NameServer> {
  const zones = new Map<string, HostedZone>()
  const stopping = new AbortController()
  const response: Answerer = async (query) => {
    const hosted = closest(zones, query.name)
    const fault = hosted?.fault ?? 'none'
    const { edns, transport, type } = query
    if (fault === 'silent' || (fault === 'silent_caa' && type === 'CAA')) return 'silence'
    if (fault === 'drops_edns' && edns) return 'silence'
    if (fault === 'udp_only') return transport === 'udp' ? 'truncated' : 'silence'
    if (fault === 'refusing') return { rcode: 'REFUSED' }
    if (fault === 'servfail') return { rcode: 'SERVFAIL' }
    if (fault === 'failing_caa' && type === 'CAA') return { rcode: 'SERVFAIL' }
    if (fault === 'lame') return { rcode: 'NOERROR', authorities: [rootServer] }
    if (fault === 'slow') await wait(slowMs, undefined, { signal: stopping.signal })
    if (fault === 'tcp_only' && transport === 'udp') return 'truncated'
    const reply = answerQuestion(
      [...zones.values()].map(({ read }) => read()),
      query,
    )
    const found = await finish(reply, query, findAddresses)
    return fault === 'no_authority' ? { ...found, isAuthoritative: false } : found
  }
  const listening = await listenDns(address, port, response)
  return {
    ...listening,
    name,
    zones,
    close() {
      stopping.abort()
      return listening.close()
    },
  }
}

const rootServer: ZoneRecord = {
  name: '',
  ttlSeconds: 518_400,
  type: 'NS',
  target: 'a.root-lab.test',
}

function closest(zones: Map<string, HostedZone>, name: string): HostedZone | undefined {
  const enclosing = [...zones].filter(([zone]) => isWithin(name, zone))
  return enclosing.sort(([a], [b]) => b.length - a.length)[0]?.[1]
}

async function finish(
  found: ZoneResponse,
  { type }: Query,
  findAddresses: AddressFinder,
): Promise<Reply> {
  const { alias, isAuthoritative, rcode } = found
  let { answers, authorities } = found
  if (alias && (type === 'A' || type === 'AAAA')) {
    const target = await findAddresses(alias.target, type)
    if (target.rcode === 'SERVFAIL') return { rcode: 'SERVFAIL' }
    const ttlSeconds = Math.min(alias.ttlSeconds, target.ttlSeconds)
    const expanded = target.addresses.map(
      (address): ZoneRecord => ({ name: alias.name, ttlSeconds, type, address }),
    )
    answers = [...answers, ...expanded]
    if (expanded.length > 0) authorities = []
  }
  return { rcode, isAuthoritative, answers, authorities, additionals: found.additionals }
}
