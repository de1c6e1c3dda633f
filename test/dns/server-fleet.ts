// Many zones on a few name servers, some of them silent or slow, as a machine that checks a thousand names meets
// them. The servers are scripted, so that the expected findings are known.
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from 'dns-packet'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import {
  a,
  cname,
  soa,
  startTestServer,
  type TestQuery,
  type TestReply,
  type TestServer,
} from './test-server.ts'

/** `slowMs`: the delay of every answer. */
export type ServerBehavior = 'healthy' | 'silent' | { slowMs: number }

export interface FleetZone {
  /** Numbers of its name servers, from 1. */
  servers: number[]
  /** Each name server also has an IPv6 address: its IPv4 address, mapped. */
  isDualStack?: boolean
  /** What is at `docs` below the apex. */
  holds: 'the record' | 'nothing' | 'an address' | 'another target'
}

export interface Fleet {
  root: ServerAddress
  resolver: ServerAddress
  /** For `allow` of a network. */
  allow: string[]
}

export const fleetTarget = 'edge.platform.test'
const fleetTargetAddress = '192.0.2.1'

const ttl = 300
const platform: FleetZone = { servers: [0], holds: 'nothing' }

/**
 * A root, the top-level domain `test`, a resolver, and the name servers. Zones are directly below `test`.
 * Addresses are `<network>.1`, `.2`, …
 */
export async function startFleet(
  network: string,
  behaviors: ServerBehavior[],
  zones: Record<string, FleetZone>,
): Promise<Fleet> {
  const addressOf = (number: number) => `${network}.${number + 10}`
  const zoneOf = (name: string) => {
    const apex = name.split('.').slice(-2).join('.')
    const zone = apex === 'platform.test' ? platform : zones[apex]
    return zone && { apex, zone }
  }
  const delegationOf = (apex: string, { isDualStack, servers }: FleetZone) =>
    delegated(
      apex,
      servers.map((number) => [`ns${number}.${apex}`, addressOf(number)]),
      isDualStack,
    )
  const response = (query: TestQuery): TestReply => {
    const found = zoneOf(query.name)
    if (!found) return { rcode: 5, isAuthoritative: false }
    return inZone(query, found.apex, found.zone.holds, delegationOf(found.apex, found.zone))
  }
  const atRoot = () => delegated('test', [['ns.test', `${network}.2`]])
  const atTop = ({ name, type }: TestQuery): TestReply => {
    if (name === 'test') return type === 'SOA' ? { answers: [soa('test')] } : nothing('test', 0)
    const found = zoneOf(name)
    return found ? delegationOf(found.apex, found.zone) : nothing('test', 3)
  }
  const servers: TestServer[] = []
  const start = async (
    last: number,
    script: (query: TestQuery) => TestReply,
    behavior: ServerBehavior,
  ) => {
    const server = await startTestServer(`${network}.${last}`, (query) => {
      if (behavior === 'silent') return 'silent'
      if (behavior === 'healthy') return script(query)
      return { ...script(query), after: delay(behavior.slowMs) }
    })
    servers.push(server)
    return server
  }
  const root = await start(1, atRoot, 'healthy')
  await start(2, atTop, 'healthy')
  const resolver = await start(3, (query) => resolved(query, response), 'healthy')
  for (const [index, behavior] of (['healthy', ...behaviors] as ServerBehavior[]).entries()) {
    await start(index + 10, response, behavior)
  }
  return { root, resolver, allow: servers.map(({ address, port }) => `${address}:${port}`) }
}

function inZone(
  { name, type }: TestQuery,
  apex: string,
  holds: FleetZone['holds'],
  { additionals = [], authorities = [] }: TestReply,
): TestReply {
  if (name === apex && type === 'SOA') return { answers: [soa(apex)] }
  if (name === apex && type === 'NS') return { answers: authorities, additionals }
  if (name === apex) return nothing(apex, 0)
  if (name === fleetTarget) {
    return type === 'A' ? { answers: [a(name, fleetTargetAddress)] } : nothing(apex, 0)
  }
  if (name !== `docs.${apex}` || holds === 'nothing') return nothing(apex, 3)
  if (holds === 'the record') return { answers: [cname(name, fleetTarget)] }
  if (holds === 'another target') return { answers: [cname(name, 'other.platform.test')] }
  return type === 'A' ? { answers: [a(name, '192.0.2.99')] } : nothing(apex, 0)
}

function resolved(query: TestQuery, response: (query: TestQuery) => TestReply): TestReply {
  const first = response(query)
  const [alias] = first.answers ?? []
  const rest =
    alias?.type === 'CNAME' && query.type !== 'CNAME'
      ? response({ ...query, name: alias.data })
      : {}
  return {
    ...first,
    ...rest,
    answers: [...(first.answers ?? []), ...(rest.answers ?? [])],
    isAuthoritative: false,
    offersRecursion: true,
  }
}

/** A referral with the addresses of the servers. */
function delegated(apex: string, servers: [string, string][], isDualStack = false): TestReply {
  return {
    isAuthoritative: false,
    authorities: servers.map(([name]) => ({ name: apex, type: 'NS', ttl, data: name })),
    additionals: servers.flatMap(([name, address]): Answer[] => [
      a(name, address),
      ...(isDualStack ? [{ name, type: 'AAAA' as const, ttl, data: `::ffff:${address}` }] : []),
    ]),
  }
}

function nothing(apex: string, rcode: number): TestReply {
  return { rcode, authorities: [soa(apex)] }
}
