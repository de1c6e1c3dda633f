// staging reset: the sample animals as they were at the first start.
import { resetSamples } from '../store/first-start.ts'
import type { Command } from './command.ts'
import { onDatabase, print } from './keys.ts'

export const stagingReset: Command = {
  name: 'staging reset',
  summary: "Remove staging's animals and bring the sample animals back. Keys stay.",
  options: {},
  async run(input) {
    const staging = { ...input, options: { ...input.options, environment: 'staging' } }
    const animals = await onDatabase(staging, (database) => resetSamples(database))
    print(input, { animals }, `Staging has its ${animals} sample animals again.`)
    return 0
  },
}
