// Names for which a certificate is issued by Pebble in a second, ten at once, from the order to the chain: by
// HTTP-01, with every nonce taken and with half of them refused. Pebble has whatever core is free.

import { findPebble } from '../../lab/certificate-authority/pebble.ts'
import { readCertificate } from '../../server/publishing/acme/x509/certificate-facts.ts'
import { type AuthorityInTest, startAuthority } from '../../test/acme/authority-in-test.ts'
import { begin, issue } from '../../test/acme/issue.ts'
import type { Surroundings } from '../fleet.ts'
import type { Row } from '../results.ts'
import { spreadOf } from '../statistics.ts'

const atOnce = 10
const warmUpNames = 50
const maxRounds = 5

interface Sample {
  perSecond: number
  cpuSeconds: number
  wallSeconds: number[]
  errors: number
}

export async function runAcme({ options, say }: Surroundings): Promise<Row[]> {
  const rows: Row[] = []
  if (!findPebble(process.env)) {
    say('acme: Pebble is not installed (npm test fetches it), and the section is left out')
    return rows
  }
  // A round of about so many seconds.
  const names = 60 * options.seconds
  for (const refusedNonces of [0, 50]) {
    say(`acme: ${names} names in each round, ${refusedNonces} % of the nonces refused`)
    const authority = await startAuthority({ refusedNonces })
    try {
      await runRound(authority, warmUpNames, 'warm')
      const samples: Sample[] = []
      for (let round = 1; round <= Math.min(options.rounds, maxRounds); round++) {
        samples.push(await runRound(authority, names, `round${round}`))
      }
      rows.push(rowOf(refusedNonces, names, samples))
    } finally {
      await authority.stop()
    }
  }
  return rows
}

async function runRound(authority: AuthorityInTest, count: number, zone: string): Promise<Sample> {
  const client = authority.client()
  const account = await authority.account(client)
  const sample: Sample = { perSecond: 0, cpuSeconds: 0, wallSeconds: [], errors: 0 }
  let next = 0
  const cpu = process.cpuUsage()
  const started = performance.now()
  const work = async (): Promise<void> => {
    while (next < count) {
      const host = `n${next++}.${zone}.example`
      const began = performance.now()
      try {
        const { chain } = await issue(client, authority, begin(account, { hosts: [host] }))
        if (readCertificate(chain).hosts[0] !== host) sample.errors++
        sample.wallSeconds.push((performance.now() - began) / 1000)
      } catch {
        sample.errors++
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const { system, user } = process.cpuUsage(cpu)
  sample.cpuSeconds = (system + user) / 1e6
  sample.perSecond = (count - sample.errors) / ((performance.now() - started) / 1000)
  return sample
}

function rowOf(refusedNonces: number, names: number, samples: Sample[]): Row {
  const times = samples.flatMap(({ wallSeconds }) => wallSeconds).toSorted((a, b) => a - b)
  const at = (share: number): number => (times[Math.floor((times.length - 1) * share)] ?? 0) * 1e6
  return {
    job: `certificates from Pebble, names/s${refusedNonces ? ', half of the nonces bad' : ''}`,
    engine: '',
    unit: 'names/s',
    ours: spreadOf(samples.map(({ perSecond }) => perSecond)),
    p50Us: at(0.5),
    p99Us: at(0.99),
    // The answers to challenges and to questions for names are made by the same process.
    cpuUs: (spreadOf(samples.map(({ cpuSeconds }) => cpuSeconds)).median / names) * 1e6,
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
    limitedBy: [],
    samples: { ours: samples, theirs: [] },
  }
}
