// How long a check of a domain takes and how much it asks, by the number of name servers of the zone and what
// is wrong with them; and a thousand checks side by side. Each has to come to the right end.

import {
  createDnsNetwork,
  type DnsNetwork,
} from '../../server/publishing/dns/queries/dns-network.ts'
import { createZoneCache } from '../../server/publishing/dns/queries/zone-cache.ts'
import { checkHost } from '../../test/dns/checked-host.ts'
import { type FleetZone, fleetTarget, type Manner } from '../../test/dns/server-fleet.ts'
import type { Surroundings } from '../fleet.ts'
import type { Row } from '../results.ts'
import { startDnsFleet } from '../servers/dns-fleet.ts'
import { spreadOf } from '../statistics.ts'

const most = 13
const slowMs = 300
/** Checks of each kind in a round: thirty in all, unless other rounds are asked for. */
const timesInRound = 6
/** Checks that mostly wait are made this many at once. */
const waitingAtOnce = 10
const crowd = 1000
const warmUps = 50

const kinds = ['well', 'silent', 'slow'] as const
type Kind = (typeof kinds)[number]

interface Case {
  name: string
  zone: FleetZone
  isWaiting: boolean
}

const results = {
  'the record': 'ok',
  nothing: 'missing',
  'an address': 'conflict',
  'another target': 'wrong_target',
} as const satisfies Record<FleetZone['holds'], string>
const holdings = Object.keys(results) as FleetZone['holds'][]

export async function runChecks({
  options,
  say,
}: Surroundings): Promise<{ rows: Row[]; notes: string[] }> {
  const cases = casesOf()
  const crowdZones = Object.fromEntries(numbers(crowd).map((n) => [`z${n}.test`, crowdZone(n)]))
  const caseZones = Object.fromEntries(cases.map(({ zone }, index) => [`case${index}.test`, zone]))
  const manners = kinds.flatMap((kind): Manner[] =>
    Array(most).fill(kind === 'slow' ? { slowMs } : kind),
  )
  const fleet = await startDnsFleet({ manners, zones: { ...crowdZones, ...caseZones } })
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
      say(`checks: ${each.name}`)
      const network = newNetwork(each.zone.isDualStack ?? false)
      const times = timesInRound * options.rounds
      rows.push(await measure(each, `docs.case${index}.test`, network, times))
    }
    say(`checks: ${crowd} names side by side`)
    const found = await measureCrowd(crowdZones, newNetwork(true))
    return { rows: [...rows, found.row], notes: [found.note] }
  } finally {
    await fleet.stop()
  }
}

function casesOf(): Case[] {
  const troubles: [label: string, kindOf: (place: number, count: number) => Kind][] = [
    ['all well', () => 'well'],
    ['one dead', (place) => (place === 0 ? 'silent' : 'well')],
    ['half dead', (place, count) => (place < count / 2 ? 'silent' : 'well')],
    ['one slow', (place) => (place === 0 ? 'slow' : 'well')],
    ['all slow', () => 'slow'],
  ]
  return [false, true].flatMap((isDualStack) =>
    [1, 2, 4, 8, most].flatMap((count) =>
      troubles.flatMap(([label, kindOf], trouble): Case[] => {
        // One alone is well or slow.
        if (count === 1 && trouble !== 0 && trouble !== 4) return []
        const servers = numbers(count).map((number) => {
          const kind = kindOf(number - 1, count)
          return kinds.indexOf(kind) * most + number
        })
        const family = isDualStack ? 'IPv4 and 6' : 'IPv4'
        return [
          {
            name: `${count} × ${family}, ${label}`,
            zone: { servers, isDualStack, holds: 'the record' },
            isWaiting: trouble > 0,
          },
        ]
      }),
    ),
  )
}

async function measure(
  { name, isWaiting }: Case,
  host: string,
  network: DnsNetwork,
  times: number,
): Promise<Row> {
  const checks: { ms: number; queries: number; isRight: boolean }[] = []
  let begun = 0
  const work = async (): Promise<void> => {
    while (begun < times) {
      begun += 1
      const { evidence, judged } = await checkHost(network, host, fleetTarget)
      const { durationMs: ms, queries } = evidence
      checks.push({ ms, queries, isRight: judged.result === 'ok' && queries <= 40 })
    }
  }
  await Promise.all(Array.from({ length: isWaiting ? waitingAtOnce : 1 }, work))
  const queries = spreadOf(checks.map((check) => check.queries))
  const asked = queries.min === queries.max ? queries.max : `${queries.min}–${queries.max}`
  return {
    job: `check, ${name}: ${asked} asked`,
    engine: '',
    unit: 'ms',
    ours: spreadOf(checks.map(({ ms }) => ms)),
    errors: checks.filter(({ isRight }) => !isRight).length,
    limitedBy: [],
    samples: { ours: checks, theirs: [] },
  }
}

/** Half of the zones have two servers that are well; the others more, dual-stack, dead or slow ones. */
function crowdZone(number: number): FleetZone {
  const holds = holdings[number % holdings.length] ?? 'nothing'
  const dead = most + 1
  const slow = 2 * most + 1
  const rare = (number >> 2) % 10
  if (rare === 0) return { servers: numbers(most), isDualStack: true, holds }
  if (rare === 1) return { servers: [1, dead], holds }
  if (rare === 2) return { servers: [dead, dead + 1, 4, 5], holds }
  if (rare === 3) return { servers: [2, slow], holds }
  if (rare === 4) return { servers: [slow, slow + 1], isDualStack: true, holds }
  return { servers: [1 + (number % most), 1 + ((number + 1) % most)], holds }
}

async function measureCrowd(zones: Record<string, FleetZone>, network: DnsNetwork) {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const started = performance.now()
  const checks = await Promise.all(
    Object.entries(zones).map(async ([apex, { holds }]) => {
      const { evidence, judged } = await checkHost(network, `docs.${apex}`, fleetTarget)
      const { durationMs: ms, isCutShort, queries } = evidence
      const isRight = judged.result === results[holds] && queries <= 40
      return { ms, queries, isRight, isTimeUp: isCutShort && ms >= 5000 }
    }),
  )
  clearInterval(watch)
  const seconds = (performance.now() - started) / 1000
  const wrong = checks.filter(({ isRight }) => !isRight).length
  const ms = spreadOf(checks.map((check) => check.ms))
  const queries = spreadOf(checks.map((check) => check.queries))
  const timeUp = checks.filter(({ isTimeUp }) => isTimeUp).length
  const row: Row = {
    job: `check, ${crowd.toLocaleString('en')} at once: ${queries.min}–${queries.max} asked`,
    engine: '',
    unit: 'ms',
    ours: ms,
    errors: wrong,
    limitedBy: [],
    samples: { ours: checks, theirs: [] },
  }
  const note =
    `${crowd.toLocaleString('en')} checks at once: ${seconds.toFixed(1)} s in all, ` +
    `${crowd - wrong} right, ${timeUp} ended by their 5 s; at most ${network.checks.maxTaken} ran and ` +
    `${network.sockets.maxTaken} sockets were open at once; memory grew by ` +
    `${Math.round((peak - before) / 1e6)} MB. A check's time begins with its turn`
  return { row, note }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
