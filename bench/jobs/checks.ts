// Section checks: the duration and the number of DNS queries of a domain check, depending on the number of name servers
// of the zone and on their faults; and a thousand checks at once. Every check must have the right result.

import {
  createDnsNetwork,
  type DnsNetwork,
} from '../../server/publishing/dns/queries/dns-network.ts'
import { createZoneCache } from '../../server/publishing/dns/queries/zone-cache.ts'
import { checkHost } from '../../test/dns/check-host.ts'
import { type FleetZone, fleetTarget, type ServerBehavior } from '../../test/dns/server-fleet.ts'
import type { BenchContext } from '../harness/context.ts'
import type { Row, SectionResults } from '../results/compare-rounds.ts'
import { spreadOf } from '../results/statistics.ts'
import { startDnsFleet } from '../servers/dns-fleet.ts'

const maxServers = 13
const slowMs = 300
/** Checks of each case: thirty with the default number of rounds. */
const checksPerRound = 6
/** Checks that mostly wait for time-outs run in parallel. */
const waitingConcurrency = 10
const parallelChecks = 1000
const warmUps = 50

/** How a name server behaves. Servers 1–13 are healthy, 14–26 silent, 27–39 slow. */
const kinds = ['healthy', 'silent', 'slow'] as const
type Kind = (typeof kinds)[number]

interface Case {
  name: string
  zone: FleetZone
  /** The check mostly waits for slow or silent servers. */
  isWaiting: boolean
}

const expectedResults = {
  'the record': 'ok',
  nothing: 'missing',
  'an address': 'conflict',
  'another target': 'wrong_target',
} as const satisfies Record<FleetZone['holds'], string>
const holdings = Object.keys(expectedResults) as FleetZone['holds'][]

export async function runChecks({ options, log }: BenchContext): Promise<SectionResults> {
  const cases = createCases()
  const parallelZones = Object.fromEntries(
    numbers(parallelChecks).map((n) => [`z${n}.test`, createParallelZone(n)]),
  )
  const caseZones = Object.fromEntries(cases.map(({ zone }, index) => [`case${index}.test`, zone]))
  const behaviors = kinds.flatMap((kind): ServerBehavior[] =>
    Array(maxServers).fill(kind === 'slow' ? { slowMs } : kind),
  )
  const fleet = await startDnsFleet({ behaviors, zones: { ...parallelZones, ...caseZones } })
  const newNetwork = (hasIpv6: boolean) => {
    const { allow, resolver, root } = fleet
    const cache = createZoneCache({ clock: Date.now })
    return createDnsNetwork({ roots: [root], resolver, allow, hasIpv6, cache })
  }
  try {
    const warm = newNetwork(true)
    for (let n = 0; n < warmUps; n++) await checkHost(warm, 'docs.case0.test', fleetTarget)
    const rows: Row[] = []
    for (const [index, each] of cases.entries()) {
      log(`checks: ${each.name}`)
      const network = newNetwork(each.zone.isDualStack ?? false)
      const count = checksPerRound * options.rounds
      rows.push(await measureCase(each, `docs.case${index}.test`, network, count))
    }
    log(`checks: ${parallelChecks} checks at once`)
    const parallel = await measureParallel(parallelZones, newNetwork(true))
    return { rows: [...rows, parallel.row], notes: [parallel.note] }
  } finally {
    await fleet.stop()
  }
}

function createCases(): Case[] {
  const faults: [label: string, kindOf: (place: number, count: number) => Kind][] = [
    ['all healthy', () => 'healthy'],
    ['one dead', (place) => (place === 0 ? 'silent' : 'healthy')],
    ['half dead', (place, count) => (place < count / 2 ? 'silent' : 'healthy')],
    ['one slow', (place) => (place === 0 ? 'slow' : 'healthy')],
    ['all slow', () => 'slow'],
  ]
  return [false, true].flatMap((isDualStack) =>
    [1, 2, 4, 8, maxServers].flatMap((count) =>
      faults.flatMap(([label, kindOf], fault): Case[] => {
        // A single server is either healthy or slow.
        if (count === 1 && fault !== 0 && fault !== 4) return []
        const servers = numbers(count).map((number) => {
          const kind = kindOf(number - 1, count)
          return kinds.indexOf(kind) * maxServers + number
        })
        const family = isDualStack ? 'IPv4 and 6' : 'IPv4'
        return [
          {
            name: `${count} × ${family}, ${label}`,
            zone: { servers, isDualStack, holds: 'the record' },
            isWaiting: fault > 0,
          },
        ]
      }),
    ),
  )
}

async function measureCase(
  { name, isWaiting }: Case,
  host: string,
  network: DnsNetwork,
  count: number,
): Promise<Row> {
  const checks: { ms: number; queries: number; isRight: boolean }[] = []
  let started = 0
  const work = async (): Promise<void> => {
    while (started < count) {
      started += 1
      const { evidence, judged } = await checkHost(network, host, fleetTarget)
      const { durationMs: ms, queries } = evidence
      checks.push({ ms, queries, isRight: judged.result === 'ok' && queries <= 40 })
    }
  }
  await Promise.all(Array.from({ length: isWaiting ? waitingConcurrency : 1 }, work))
  const queries = spreadOf(checks.map((check) => check.queries))
  const queryRange = queries.min === queries.max ? queries.max : `${queries.min}–${queries.max}`
  return {
    job: `check, ${name}: ${queryRange} queries`,
    engine: '',
    unit: 'ms',
    result: spreadOf(checks.map(({ ms }) => ms)),
    errors: checks.filter(({ isRight }) => !isRight).length,
    limitedBy: [],
    samples: { server: checks, peer: [] },
  }
}

/** Half of the zones have two servers that are healthy; the others have more servers, or silent or slow ones. */
function createParallelZone(number: number): FleetZone {
  const holds = holdings[number % holdings.length] ?? 'nothing'
  const dead = maxServers + 1
  const slow = 2 * maxServers + 1
  const variant = (number >> 2) % 10
  if (variant === 0) return { servers: numbers(maxServers), isDualStack: true, holds }
  if (variant === 1) return { servers: [1, dead], holds }
  if (variant === 2) return { servers: [dead, dead + 1, 4, 5], holds }
  if (variant === 3) return { servers: [2, slow], holds }
  if (variant === 4) return { servers: [slow, slow + 1], isDualStack: true, holds }
  return { servers: [1 + (number % maxServers), 1 + ((number + 1) % maxServers)], holds }
}

async function measureParallel(zones: Record<string, FleetZone>, network: DnsNetwork) {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const startedAt = performance.now()
  const checks = await Promise.all(
    Object.entries(zones).map(async ([apex, { holds }]) => {
      const { evidence, judged } = await checkHost(network, `docs.${apex}`, fleetTarget)
      const { durationMs: ms, isCutShort, queries } = evidence
      const isRight = judged.result === expectedResults[holds] && queries <= 40
      return { ms, queries, isRight, hasTimedOut: isCutShort && ms >= 5000 }
    }),
  )
  clearInterval(timer)
  const seconds = (performance.now() - startedAt) / 1000
  const wrong = checks.filter(({ isRight }) => !isRight).length
  const ms = spreadOf(checks.map((check) => check.ms))
  const queries = spreadOf(checks.map((check) => check.queries))
  const timedOut = checks.filter(({ hasTimedOut }) => hasTimedOut).length
  const row: Row = {
    job: `check, ${parallelChecks.toLocaleString('en')} at once: ${queries.min}–${queries.max} queries`,
    engine: '',
    unit: 'ms',
    result: ms,
    errors: wrong,
    limitedBy: [],
    samples: { server: checks, peer: [] },
  }
  const note =
    `${parallelChecks.toLocaleString('en')} checks at once: ${seconds.toFixed(1)} s in total, ` +
    `${parallelChecks - wrong} right, ${timedOut} timed out after 5 s; at most ${network.checks.maxHeld} ran and ` +
    `${network.sockets.maxHeld} sockets were open at once; memory grew by ` +
    `${Math.round((peak - before) / 1e6)} MB. A check's duration does not include its time in the queue`
  return { row, note }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
