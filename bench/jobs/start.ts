// Section start: from the start of the process to its first answer, with a database and compiled code from before.

import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import type { Row } from '../results/compare-rounds.ts'
import { spreadOf } from '../results/statistics.ts'
import { seedAnimals } from '../seed/seed-animals.ts'
import { animalStore } from '../servers/server.ts'
import { startSeededProgram } from '../servers/start-server.ts'

const animals = 100_000
const target = { max: 300 }

export async function runStart(context: BenchContext): Promise<Row[]> {
  const { cores, log, options } = context
  const rows: Row[] = []
  for (const engineName of options.engines) {
    log(`start: ${options.rounds} starts on ${engineName}`)
    const program = await startSeededProgram(
      {
        ...createServerPlace(context, cores.server),
        label: animalStore,
        command: options.command,
        databaseUrl: createDatabaseFor(context, engineName, 'start'),
      },
      (target) => seedAnimals(target, animals),
    )
    await program.started.stop()
    const times: number[] = []
    for (let n = 0; n < options.rounds; n++) {
      const { startMs, stop } = await program.restart()
      times.push(startMs)
      await stop()
    }
    const { engine } = program
    const result = spreadOf(times)
    rows.push({
      ...{ job: 'start to the first answer', engine, unit: 'ms', result },
      ...{ target, errors: 0, limitedBy: [] },
    })
  }
  return rows
}
