// The rows of the result table: one for each combination of job, engine and peer.

import type { Engine } from '../servers/server.ts'
import type { Sample } from './sample.ts'
import { medianOf, ratioOf, type Spread, spreadOf } from './statistics.ts'

/** A limit of the ratio. */
export type Target = { minRatio: number } | { maxRatio: number }

export interface Row {
  job: string
  engine: Engine
  /** `/cpu s`: per second of the server's processor time. */
  unit: 'req/s' | '/cpu s' | 'MB' | 'ms' | '%'
  /** Of the Animal Store. */
  result: Spread
  p50Us?: number
  p99Us?: number
  /** Processor time of the Animal Store's processes per request. */
  cpuUs?: number
  /** The peer's processor time per request divided by the Animal Store's. */
  cpuRatio?: number
  peer?: string
  peerResult?: Spread
  /** The Animal Store's result divided by the peer's. */
  ratio?: Spread
  target?: Target | undefined
  /** Errors on either side. If there are any, the figures of the row are invalid. */
  errors: number
  /** The sides on which the load generator was the bottleneck. */
  limitedBy: ('server' | 'peer')[]
  samples?: { server: object[]; peer: object[] }
}

interface Comparison {
  job: string
  engine: Engine
  samples: Sample[]
  peer: string
  peerSamples: Sample[]
  target?: Target | undefined
  unit?: Row['unit']
}

/** The samples of both sides are in the order of the rounds. */
export function compareRounds(comparison: Comparison): Row {
  const { engine, job, peer, peerSamples, samples, target, unit = 'req/s' } = comparison
  const limitedBy: Row['limitedBy'] = []
  // A rate per second of processor time does not depend on the speed of the load generator.
  const isPerWallTime = unit !== '/cpu s'
  if (isPerWallTime && isGeneratorBound(samples)) limitedBy.push('server')
  if (isPerWallTime && isGeneratorBound(peerSamples)) limitedBy.push('peer')
  const rates = samples.map(({ perSecond }) => perSecond)
  const peerRates = peerSamples.map(({ perSecond }) => perSecond)
  return {
    job,
    engine,
    unit,
    result: spreadOf(rates),
    ...latenciesOf(samples),
    cpuUs: cpuPerRequestUs(samples),
    cpuRatio: cpuPerRequestUs(peerSamples) / cpuPerRequestUs(samples),
    peer,
    peerResult: spreadOf(peerRates),
    ratio: ratioOf(rates, peerRates),
    target,
    errors: [...samples, ...peerSamples].reduce((sum, sample) => sum + sample.errors, 0),
    limitedBy,
    samples: { server: samples, peer: peerSamples },
  }
}

/** One line of progress with the main figures of a row. */
export function summarizeRow({ cpuRatio, job, peer, ratio, result, unit }: Row): string {
  const figure = `${Math.round(result.median).toLocaleString('en')} ${unit}`
  const ratios = `ratio ${ratio?.median.toFixed(2)}, CPU ratio ${cpuRatio?.toFixed(2)}`
  return `${job}: ${figure}, compared with ${peer}: ${ratios}`
}

/** How much longer the slowest hundredth of the requests takes than half of them. */
export function compareTail(job: string, engine: Engine, samples: Sample[], target: Target): Row {
  const inMs = (name: 'p99Us' | 'p50Us') =>
    samples.map((sample) => (sample[name] ?? Number.NaN) / 1000)
  const sides = [inMs('p99Us'), 'its p50', inMs('p50Us')] as const
  return { ...compareValues(`${job}: p99`, engine, 'ms', ...sides), target }
}

/** Values that are no rates, such as the memory of both sides. */
export function compareValues(
  job: string,
  engine: Engine,
  unit: Row['unit'],
  values: number[],
  peer: string,
  peerValues: number[],
): Row {
  const [result, peerResult] = [spreadOf(values), spreadOf(peerValues)]
  const ratio = ratioOf(values, peerValues)
  return { job, engine, unit, result, peer, peerResult, ratio, errors: 0, limitedBy: [] }
}

/** Undefined if the row has no target, or if errors make its figures invalid. */
export function isTargetMet({ errors, ratio, target }: Row): boolean | undefined {
  if (!target || errors > 0) return undefined
  if ('maxRatio' in target) return ratio && ratio.median <= target.maxRatio
  return ratio && ratio.median >= target.minRatio
}

/** The median over the rounds. */
export function cpuPerRequestUs(samples: Sample[]): number {
  return medianOf(
    samples.map((sample) => (sample.serverCpuSeconds / Math.max(1, sample.requests)) * 1e6),
  )
}

function latenciesOf(samples: Sample[]): Pick<Row, 'p50Us' | 'p99Us'> {
  const latencies = samples.flatMap(({ p50Us, p99Us }) =>
    p50Us === undefined || p99Us === undefined ? [] : [{ p50Us, p99Us }],
  )
  if (latencies.length === 0) return {}
  return {
    p50Us: medianOf(latencies.map(({ p50Us }) => p50Us)),
    p99Us: medianOf(latencies.map(({ p99Us }) => p99Us)),
  }
}

/** The generator's core was fully used and the server's was not. */
function isGeneratorBound(samples: Sample[]): boolean {
  const generator = samples.map((sample) => sample.generatorCpuSeconds / sample.seconds)
  const server = samples.map((sample) => sample.serverCpuSeconds / sample.seconds)
  return medianOf(generator) > 0.93 && medianOf(server) < 0.9
}
