// Section acme: certificates issued by Pebble per second, ten at once, from the order to the chain: over HTTP-01, with
// every nonce accepted and with half of them rejected. Pebble is not pinned to a core.

import { findPebble } from '../../lab/certificate-authority/pebble.ts'
import { readCertificate } from '../../server/publishing/acme/x509/certificate-facts.ts'
import { type AuthorityInTest, startAuthority } from '../../test/acme/authority-in-test.ts'
import { begin, issue } from '../../test/acme/issue.ts'
import type { BenchContext } from '../harness/context.ts'
import type { Row } from '../results/compare-rounds.ts'
import { medianOf, percentileOf, spreadOf } from '../results/statistics.ts'

const concurrency = 10
const warmUpNames = 50
const maxRounds = 5

interface RoundSample {
  perSecond: number
  cpuSeconds: number
  wallSeconds: number[]
  errors: number
}

export async function runAcme({ options, log }: BenchContext): Promise<Row[]> {
  const rows: Row[] = []
  if (!findPebble(process.env)) {
    log('acme: skipped, because Pebble is not installed (npm test installs it)')
    return rows
  }
  // About 60 certificates per second, so that a round takes about the requested time.
  const names = 60 * options.seconds
  for (const rejectedNonces of [0, 50]) {
    log(`acme: ${names} names in each round, ${rejectedNonces} % of the nonces rejected`)
    const authority = await startAuthority({ refusedNonces: rejectedNonces })
    try {
      await runRound(authority, warmUpNames, 'warm')
      const samples: RoundSample[] = []
      for (let round = 1; round <= Math.min(options.rounds, maxRounds); round++) {
        samples.push(await runRound(authority, names, `round${round}`))
      }
      rows.push(createRow(rejectedNonces, names, samples))
    } finally {
      await authority.stop()
    }
  }
  return rows
}

async function runRound(
  authority: AuthorityInTest,
  count: number,
  zone: string,
): Promise<RoundSample> {
  const client = authority.client()
  const account = await authority.account(client)
  const sample: RoundSample = { perSecond: 0, cpuSeconds: 0, wallSeconds: [], errors: 0 }
  let next = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const work = async (): Promise<void> => {
    while (next < count) {
      const host = `n${next++}.${zone}.example`
      const orderedAt = performance.now()
      try {
        const { chain } = await issue(client, authority, begin(account, { hosts: [host] }))
        if (readCertificate(chain).hosts[0] !== host) sample.errors++
        sample.wallSeconds.push((performance.now() - orderedAt) / 1000)
      } catch {
        sample.errors++
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { system, user } = process.cpuUsage(cpuBefore)
  sample.cpuSeconds = (system + user) / 1e6
  sample.perSecond = (count - sample.errors) / ((performance.now() - startedAt) / 1000)
  return sample
}

function createRow(rejectedNonces: number, names: number, samples: RoundSample[]): Row {
  const times = samples.flatMap(({ wallSeconds }) => wallSeconds).toSorted((a, b) => a - b)
  return {
    job: `certificates from Pebble${rejectedNonces ? ', half of the nonces rejected' : ''}`,
    engine: '',
    unit: 'names/s',
    result: spreadOf(samples.map(({ perSecond }) => perSecond)),
    p50Us: percentileOf(times, 0.5) * 1e6,
    p99Us: percentileOf(times, 0.99) * 1e6,
    // This process also responds to the challenges and to the authority's DNS queries.
    cpuUs: (medianOf(samples.map(({ cpuSeconds }) => cpuSeconds)) / names) * 1e6,
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
    limitedBy: [],
    samples: { server: samples, peer: [] },
  }
}
