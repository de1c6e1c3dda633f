// The options of npm run chaos.
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'

export interface Options {
  /** By name, one after the other. */
  faults: string[]
  /** Of all groups of faults at once; 0 for none. */
  minutes: number
  /** How long each single fault lasts, and how often. */
  seconds: number
  rounds: number
  seed: number
  clients: number
  /** Share of the measured peak. */
  rate: number
  peakSeconds: number
  jsonFile: string | undefined
  /** Where the logs of all parts go if anything is wrong. */
  logFolder: string | undefined
}

const width = Math.max(...faults.map(({ name }) => name.length))

export const usage = `npm run chaos -- [fault …] [options]

  Runs each fault on three nodes, PostgreSQL with a standby, and etcd, under load, and checks every
  acknowledged operation. Without a fault and without --minutes: every fault once.

${faults.map(({ description, name }) => `  ${name.padEnd(width)}  ${description}`).join('\n')}

  --minutes N   random faults of every kind at once, for N minutes
  --seconds N   how long each single fault lasts (default 20)
  --rounds N    how often each single fault happens (default 1)
  --seed N      another sequence of operations and faults (default 1)
  --clients N   clients (default 24)
  --rate SHARE  share of the measured peak (default 0.7)
  --peak N      seconds of the measurement of the peak (default 10)
  --json FILE   writes the results and the whole history
  --logs FOLDER writes the logs of all parts there if anything is wrong
`

/** Throws an Error with a message for the user if an argument is invalid. */
export function parseOptions(args: string[]): Options | 'help' {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      minutes: { type: 'string', default: '0' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      clients: { type: 'string', default: '24' },
      rate: { type: 'string', default: '0.7' },
      peak: { type: 'string', default: '10' },
      json: { type: 'string' },
      logs: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  const number = (name: string, text: string, min: number, max: number): number => {
    const value = Number(text)
    if (text !== '' && value >= min && value <= max) return value
    throw new Error(`--${name} takes a number from ${min} to ${max}`)
  }
  const known = faults.map(({ name }) => name)
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`unknown fault ${unknown}`)
  const minutes = number('minutes', values.minutes, 0, 24 * 60)
  const isEverything = positionals.length === 0 && minutes === 0
  return {
    faults: isEverything
      ? faults.filter(({ isUnsafe }) => !isUnsafe).map(({ name }) => name)
      : positionals,
    minutes,
    seconds: number('seconds', values.seconds, 1, 600),
    rounds: number('rounds', values.rounds, 1, 1000),
    seed: number('seed', values.seed, 1, 2 ** 31),
    clients: number('clients', values.clients, 1, 500),
    rate: number('rate', values.rate, 0.01, 1),
    peakSeconds: number('peak', values.peak, 1, 600),
    jsonFile: values.json,
    logFolder: values.logs,
  }
}
