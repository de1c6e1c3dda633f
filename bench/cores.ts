// Which core runs what. With two cores or more the server has core 0 to itself and the load
// generator core 1; two workers need both, and the generator shares them on a small machine.

import { availableParallelism } from 'node:os'

export interface Cores {
  /** A list as taskset reads it, or undefined where nothing is pinned. */
  server?: string
  generator?: string
  twoWorkers?: string
  twoWorkersGenerator?: string
  database?: string
  description: string[]
}

export function placeOnCores(count = availableParallelism()): Cores {
  if (count < 2) {
    return { description: ['one core: server and load generator share it; ratios mean little'] }
  }
  const spare = count >= 4
  const cores = {
    server: '0',
    generator: '1',
    twoWorkers: '0,1',
    twoWorkersGenerator: spare ? '2' : '0,1',
    database: spare ? `2-${count - 1}` : '0,1',
  }
  return {
    ...cores,
    description: [
      `${count} cores; server on core 0, load generator (wrk) on core 1`,
      `PostgreSQL's own processes on cores ${cores.database}${spare ? '' : ', shared with both'}`,
      `two workers on cores 0,1, their load generator on ${
        spare ? 'core 2' : 'the same two: the best possible ratio is below 2'
      }`,
    ],
  }
}

export function pinned(cores: string | undefined, command: string[]): string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command]
}
