// What a run found: one row for each job, engine and peer, as the table and the JSON file show it.

import type { Engine } from './servers/server.ts'
import { ratioOf, type Spread, spreadOf } from './statistics.ts'
import type { Sample } from './wrk.ts'

/** Of the ratio, or of our own figure in its unit. */
export type Target = { least: number } | { most: number }

export interface Row {
  job: string
  engine: Engine
  /** `/cpu s`: in a second of the server's processor time. */
  unit: 'req/s' | '/cpu s' | 'rows/s' | 'names/s' | 'MB' | 'ms'
  ours: Spread
  p50Us?: number
  p99Us?: number
  /** Processor time of our process tree for one request; for one row of an import. */
  cpuUs?: number
  /** The peer's processor time for one request divided by ours: what a quiet machine would give. */
  cpuRatio?: number
  peer?: string
  theirs?: Spread
  ratio?: Spread
  target?: Target | undefined
  /** Errors in the rounds of either side: the row then proves nothing. */
  errors: number
  /** The load generator was the limit of this side. */
  limitedBy: ('ours' | 'peer')[]
  samples?: { ours: object[]; theirs: object[] }
}

interface Comparison {
  job: string
  engine: Engine
  ours: Sample[]
  peer: string
  theirs: Sample[]
  target?: Target | undefined
  unit?: Row['unit']
}

export function compareRounds(comparison: Comparison): Row {
  const { engine, job, ours, peer, target, theirs, unit = 'req/s' } = comparison
  const limitedBy: Row['limitedBy'] = []
  // What counts processor time is not slower for a generator that is.
  const isTimed = unit !== '/cpu s'
  if (isTimed && isGeneratorBound(ours)) limitedBy.push('ours')
  if (isTimed && isGeneratorBound(theirs)) limitedBy.push('peer')
  return {
    job,
    engine,
    unit,
    ours: spreadOf(ours.map(perSecond)),
    ...latenciesOf(ours),
    cpuUs: cpuPerRequestUs(ours),
    cpuRatio: cpuPerRequestUs(theirs) / cpuPerRequestUs(ours),
    peer,
    theirs: spreadOf(theirs.map(perSecond)),
    ratio: ratioOf(ours.map(perSecond), theirs.map(perSecond)),
    target,
    errors: [...ours, ...theirs].reduce((sum, sample) => sum + sample.errors, 0),
    limitedBy,
    samples: { ours, theirs },
  }
}

/** On one line, to be said as soon as it is known. */
export function sayRatio({ cpuRatio, job, ours, peer, ratio, unit }: Row): string {
  const figure = `${Math.round(ours.median).toLocaleString('en')} ${unit}`
  return `${job}: ${figure}, of ${peer} ${ratio?.median.toFixed(2)}, by cpu ${cpuRatio?.toFixed(2)}`
}

export function compareMemory(
  job: string,
  engine: Engine,
  oursBytes: number,
  peer: string,
  theirBytes: number,
): Row {
  const ours = spreadOf([oursBytes / 1e6])
  const theirs = spreadOf([theirBytes / 1e6])
  const ratio = ratioOf([oursBytes], [theirBytes])
  return { job, engine, unit: 'MB', ours, peer, theirs, ratio, errors: 0, limitedBy: [] }
}

/** undefined where there is no target to meet, or where errors make the figures void. */
export function isMet({ errors, ours, ratio, target }: Row): boolean | undefined {
  if (!target || errors > 0) return undefined
  if ('most' in target) return ours.median <= target.most
  return ratio && ratio.median >= target.least
}

export function cpuPerRequestUs(samples: Sample[]): number {
  const busy = samples.map(
    (sample) => (sample.serverCpuSeconds / Math.max(1, sample.requests)) * 1e6,
  )
  return spreadOf(busy).median
}

function perSecond(sample: Sample): number {
  return sample.perSecond
}

function latenciesOf(samples: Sample[]): Pick<Row, 'p50Us' | 'p99Us'> {
  const found = samples.flatMap(({ p50Us, p99Us }) =>
    p50Us === undefined || p99Us === undefined ? [] : [{ p50Us, p99Us }],
  )
  if (found.length === 0) return {}
  return {
    p50Us: spreadOf(found.map(({ p50Us }) => p50Us)).median,
    p99Us: spreadOf(found.map(({ p99Us }) => p99Us)).median,
  }
}

/** The generator's core was full while the server's was not. */
function isGeneratorBound(samples: Sample[]): boolean {
  const generator = samples.map((sample) => sample.generatorCpuSeconds / sample.seconds)
  const server = samples.map((sample) => sample.serverCpuSeconds / sample.seconds)
  return spreadOf(generator).median > 0.93 && spreadOf(server).median < 0.9
}
