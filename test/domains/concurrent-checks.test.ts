// Many concurrent checks with dead and slow name servers, and zones with more servers than queries: each check keeps
// its limits, asks every name server, and has the correct result.
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  createDnsNetwork,
  createZoneCache,
  type DnsNetwork,
  type DnsNetworkOptions,
} from '#dns/queries/dns-network.ts'
import {
  type FleetZone,
  fleetTarget,
  type ServerBehavior,
  startFleet,
} from '../dns/server-fleet.ts'
import { checkHost } from './check-host.ts'

/** Of one check: 40, and as many again where these did not suffice for CAA, which only happens on a busy machine. */
const maxQueries = 80

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function networkOf(
  behaviors: ServerBehavior[],
  zones: Record<string, FleetZone>,
  options: DnsNetworkOptions = {},
) {
  const fleet = await startFleet(`127.${randomInt(60, 250)}.${randomInt(1, 250)}`, behaviors, zones)
  const { allow, resolver, root } = fleet
  const cache = createZoneCache({ clock: Date.now })
  return createDnsNetwork({ roots: [root], resolver, allow, hasIpv6: true, cache, ...options })
}

const env = { PLATFORM_HOST: fleetTarget, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
/** Nothing is fetched from the addresses of the host, because none is public. */
const check = (network: DnsNetwork, host: string) => checkHost(env, host, { network })

describe('a zone with thirteen name servers, each at two addresses', () => {
  test.each([
    ['the record', 'ok', []],
    ['nothing', 'missing', ['D07']],
    ['an address', 'conflict', ['D10']],
    ['another target', 'wrong_target', ['D12']],
  ] as const)('with %s: %s', async (holds, result, codes) => {
    const network = await networkOf(Array(13).fill('healthy'), {
      'wide.test': { servers: numbers(13), isDualStack: true, holds },
    })
    const { evidence, judged } = await check(network, 'docs.wide.test')
    expect(judged.result).toBe(result)
    expect(judged.diagnostics.map(({ code }) => code)).toEqual(codes)
    // Each by its first address; the queries left do not cover the second ones, which is reported.
    expect(new Set(evidence.servers.map(({ server }) => server.name)).size).toBe(13)
    expect(evidence).toMatchObject({ isCutShort: true })
    expect(evidence.queries).toBeLessThanOrEqual(maxQueries)
    expect(evidence.caa.at(-1)).toMatchObject({ name: 'test', rcode: 'NOERROR' })
  })
})

test.each([4, 8])('half of %i dual-stack servers are dead: all are reported', async (count) => {
  const behaviors = numbers(count).map(
    (number): ServerBehavior => (number <= count / 2 ? 'silent' : 'healthy'),
  )
  const network = await networkOf(behaviors, {
    'half.test': { servers: numbers(count), isDualStack: true, holds: 'the record' },
  })
  const { evidence, judged } = await check(network, 'docs.half.test')
  expect(judged.result).toBe('ok')
  expect(judged.diagnostics.map(({ code }) => code)).toEqual(['D03'])
  const names = (state: string) =>
    new Set(evidence.servers.flatMap((view) => (view.state === state ? [view.server.name] : [])))
  expect(names('timeout').size).toBe(count / 2)
  expect(names('ok').size).toBe(count / 2)
  expect(evidence.queries).toBeLessThanOrEqual(maxQueries)
  expect(evidence.caa.at(-1)?.rcode).toBe('NOERROR')
})

test('the slowest of four name servers is not asked repeatedly', async () => {
  const network = await networkOf([{ slowMs: 300 }, 'healthy', 'healthy', 'healthy'], {
    'slow.test': { servers: [1, 2, 3, 4], holds: 'the record' },
  })
  const { evidence } = await check(network, 'docs.slow.test')
  const slow = evidence.servers.find(({ server }) => server.name === 'ns1.slow.test')?.server
  const waits = evidence.exchanges.filter(({ server }) => server.address === slow?.address)
  // On the way to the zone, and the question to every server: each once.
  const asked = waits.map(({ question }) => question.type)
  expect(asked).toEqual(expect.arrayContaining(['SOA', 'A']))
  expect(new Set(asked).size).toBe(asked.length)
})

const expected = {
  'the record': 'ok',
  nothing: 'missing',
  'an address': 'conflict',
  'another target': 'wrong_target',
} as const

test('two hundred concurrent checks keep their limits and finish', async () => {
  const behaviors: ServerBehavior[] = [
    ...Array(13).fill('healthy'),
    'silent',
    'silent',
    { slowMs: 300 },
  ]
  const holds = Object.keys(expected) as FleetZone['holds'][]
  const zoneOf = (number: number): FleetZone => {
    const what = holds[number % holds.length] ?? 'nothing'
    if (number % 10 === 0) return { servers: numbers(13), isDualStack: true, holds: what }
    if (number % 20 === 1) return { servers: [1, 14], holds: what }
    if (number % 20 === 2) return { servers: [14, 15, 2, 3], holds: what }
    if (number % 10 === 3) return { servers: [4, 16], holds: what }
    return { servers: [5 + (number % 4), 9 + (number % 4)], holds: what }
  }
  const zones = Object.fromEntries(
    numbers(200).map((number) => [`z${number}.test`, zoneOf(number)]),
  )
  const network = await networkOf(behaviors, zones, { maxSockets: 64, maxChecks: 32 })
  const checks = await Promise.all(
    Object.entries(zones).map(async ([apex, { holds }]) => {
      const { evidence, judged } = await check(network, `docs.${apex}`)
      const { isCutShort, queries, servers } = evidence
      return { apex, holds, isCutShort, queries, seen: servers.length, result: judged.result }
    }),
  )
  // On a machine that is too busy for the time limit, a check says that it does not know.
  const wrong = checks.filter(
    ({ holds, isCutShort, result }) =>
      result !== expected[holds] && !(isCutShort && result === 'unknown'),
  )
  expect(wrong).toEqual([])
  expect(checks.filter(({ queries, seen }) => queries > maxQueries || seen === 0)).toEqual([])
  expect(network.sockets.maxHeld).toBe(64)
  expect(network.checks.maxHeld).toBe(32)
  expect([network.sockets.held, network.checks.held]).toEqual([0, 0])
})
