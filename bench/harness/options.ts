// The command-line options of npm run bench.

import { parseArgs } from 'node:util'

export const sections = [
  'hot',
  'cold',
  'get',
  'create',
  'mix',
  'sites',
  'tls',
  'floods',
  'scale',
  'stages',
] as const
export type Section = (typeof sections)[number]

export const peers = ['raw', 'bare', 'nginx', 'express', 'hono'] as const
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
  jsonFile: string | undefined
  /** Starts the program under test, without its subcommand. */
  command: string[]
}

export const usage = `npm run bench -- [section …] [options]

  sections        ${sections.join(' ')} (default: all)
  --quick         three rounds of one second; the scale is a tenth
  --rounds N      rounds per job (default 5)
  --seconds N     length of a round (default 3)
  --peers A,B     of ${peers.join(', ')} (default: all)
  --engines A,B   of ${engines.join(', ')} (default: all)
  --json FILE     write the results with the samples of all rounds to FILE
  --command CMD   measure CMD instead of ./animal-store; it takes the same subcommands
`

/** Throws an Error with a message for the user if an argument is invalid. */
export function parseOptions(args: string[], defaultCommand: string[]): Options | 'help' {
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
      command: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  return {
    sections: select('section', sections, positionals),
    peers: select('peer', peers, values.peers?.split(',') ?? []),
    engines: select('engine', engines, values.engines?.split(',') ?? []),
    rounds: parseCount('--rounds', values.rounds, values.quick ? 3 : 5),
    seconds: parseCount('--seconds', values.seconds, values.quick ? 1 : 3),
    isQuick: values.quick,
    jsonFile: values.json,
    command: values.command?.split(' ') ?? defaultCommand,
  }
}

function select<T extends string>(what: string, all: readonly T[], selected: string[]): T[] {
  const unknown = selected.find((name) => !(all as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw new Error(`unknown ${what} ${unknown}; choose from ${all.join(', ')}`)
  }
  return selected.length === 0 ? [...all] : all.filter((name) => selected.includes(name))
}

function parseCount(name: string, text: string | undefined, defaultCount: number): number {
  const count = text === undefined ? defaultCount : Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${name} takes an integer of 1 or more`)
  return count
}
