// staging reset: what it is called by. What it does is loaded only when it runs.
import type { Command } from '../command-line/command.ts'

export const stagingReset: Command = {
  name: 'staging reset',
  summary: "Remove staging's animals and bring the sample animals back. Keys stay.",
  options: {},
  async run(input) {
    const { runStagingReset } = await import('./run-staging-reset.ts')
    return await runStagingReset(input)
  },
}
