// staging reset: the sample animals as they were at the first start.
import { resetSamples } from '../../store/environments/first-start.ts'
import { type Input, print } from '../command-line/command.ts'
import { onStore } from '../command-line/on-store.ts'

/** Runs the command: see staging.ts. */
export async function runStagingReset(input: Input): Promise<number> {
  const staging = { ...input, options: { ...input.options, environment: 'staging' } }
  const animals = await onStore(staging, (database) => resetSamples(database))
  print(input, { animals }, `Staging has its ${animals} sample animals again.`)
  return 0
}
