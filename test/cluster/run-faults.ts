// Runs faults on a cluster under load: one after the other, or all groups at once for some minutes.
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '../random.ts'
import type { Availability, Window } from './availability.ts'
import { type Fault, faults } from './faults.ts'
import type { Cluster } from './start-cluster.ts'

export interface FaultResult extends Window {
  fault: string
  lastedSeconds: number
  /** From its end until everything ran again. */
  recoveredAfter: number
}

const recoversWithinMs = 120_000

/** Throws an Error if something does not recover without help. */
export async function awaitWhole(cluster: Cluster, what: string): Promise<void> {
  const until = performance.now() + recoversWithinMs
  while (!(await cluster.isWhole())) {
    if (performance.now() > until)
      throw new Error(`not recovered ${recoversWithinMs / 1000} s after ${what}`)
    await delay(200)
  }
}

/** A short time before and after a fault, in which everything runs. */
const calmMs = 1500

export async function runOneFault(
  cluster: Cluster,
  fault: Fault,
  seconds: number,
  random: Random,
  availability: Availability,
): Promise<FaultResult> {
  await awaitWhole(cluster, `the fault before ${fault.name}`)
  await delay(calmMs)
  const mark = performance.now()
  const end = await fault.begin(cluster, random)
  await delay(seconds * 1000)
  const endedAt = performance.now()
  await end()
  await awaitWhole(cluster, fault.name)
  const recoveredAfter = (performance.now() - endedAt) / 1000
  await delay(calmMs)
  const window = availability.since(mark)
  return { fault: fault.name, lastedSeconds: (endedAt - mark) / 1000, recoveredAfter, ...window }
}

/** Every group has its own sequence of random faults, all at once. Returns how often each fault happened. */
export async function runMixed(
  cluster: Cluster,
  minutes: number,
  seed: number,
  log: (line: string) => void,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const until = performance.now() + minutes * 60_000
  const groups = Map.groupBy(
    faults.filter(({ isUnsafe }) => !isUnsafe),
    ({ group }) => group,
  )
  await Promise.all(
    [...groups].map(async ([, of], number) => {
      const random = createRandom(seed * 31 + number + 1)
      while (performance.now() < until) {
        const fault = random.pick(of)
        const seconds = 2 + random.below(18)
        log(`${fault.name} for ${seconds} s`)
        const end = await fault.begin(cluster, random)
        counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1)
        await delay(seconds * 1000)
        // A part that others hold up goes on starting. All of them have to be there at the end.
        await end().catch((error: Error) => log(`after ${fault.name}: ${error.message}`))
        await delay(3000 + random.below(12_000))
      }
    }),
  )
  await awaitWhole(cluster, 'the last fault')
  return counts
}
