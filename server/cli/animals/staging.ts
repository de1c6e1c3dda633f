// The command staging reset.
import { type Command, print } from '../command-line/command.ts'

export const stagingReset: Command = {
  name: 'staging reset',
  summary: "Replaces staging's animals with the sample animals. API keys are kept.",
  options: {},
  async run(input) {
    const { withStore } = await import('../command-line/local-database.ts')
    const { resetSamples } = await import('../../store/environments/first-start.ts')
    const animals = await withStore('staging', (database) => resetSamples(database))
    print(input, { animals }, `Staging has its ${animals} sample animals again.`)
    return undefined
  },
}
