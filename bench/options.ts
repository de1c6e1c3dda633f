// The command line of npm run bench.

import { parseArgs } from 'node:util'

export const sections = [
  'hot',
  'cold',
  'get',
  'create',
  'mix',
  'depth',
  'workers',
  'sites',
  'import',
  'tls',
  'certificates',
  'hosts',
  'issuing',
  'acme',
  'checks',
  'memory',
] as const
export type Section = (typeof sections)[number]

export const peers = [
  'raw',
  'nginx',
  'haproxy',
  'caddy',
  'express',
  'hono',
  'json-server',
  'prism',
] as const
export type Peer = (typeof peers)[number]

export const engines = ['sqlite', 'postgresql'] as const
export type EngineName = (typeof engines)[number]

export interface Options {
  sections: Section[]
  peers: Peer[]
  engines: EngineName[]
  rounds: number
  seconds: number
  isQuick: boolean
  /** How many animals the section import takes in. */
  imported: number
  jsonFile: string | undefined
  /** The command of the server under test. */
  ours: string[]
}

export const usage = `npm run bench -- [section …] [options]

  sections        ${sections.join(' ')} (default: all)
  --quick         three rounds of one second; an import of 100,000 animals
  --rounds N      alternated rounds per job (default 5)
  --seconds N     length of a round (default 3)
  --peers A,B     of ${peers.join(', ')} (default: all)
  --engines A,B   of ${engines.join(', ')} (default: all)
  --json FILE     every sample of every round, too
  --ours COMMAND  measure another command with the same contract as ./animal-store
`

/** Throws an Error that says what is wrong with the arguments. */
export function readOptions(args: string[], ours: string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      peers: { type: 'string' },
      engines: { type: 'string' },
      json: { type: 'string' },
      ours: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  return {
    sections: choose('section', sections, positionals),
    peers: choose('peer', peers, values.peers?.split(',') ?? []),
    engines: choose('engine', engines, values.engines?.split(',') ?? []),
    rounds: readCount('--rounds', values.rounds, values.quick ? 3 : 5),
    seconds: readCount('--seconds', values.seconds, values.quick ? 1 : 3),
    isQuick: values.quick,
    imported: values.quick ? 100_000 : 1_000_000,
    jsonFile: values.json,
    ours: values.ours?.split(' ') ?? ours,
  }
}

function choose<T extends string>(what: string, all: readonly T[], chosen: string[]): T[] {
  const unknown = chosen.find((name) => !(all as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw new Error(`there is no ${what} ${unknown}; there are ${all.join(', ')}`)
  }
  return chosen.length === 0 ? [...all] : all.filter((name) => chosen.includes(name))
}

function readCount(name: string, text: string | undefined, byDefault: number): number {
  const count = text === undefined ? byDefault : Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${name} takes a number from 1 upwards`)
  return count
}
