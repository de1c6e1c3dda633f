// Runs h2load (nghttp2's load generator for HTTP/2) against one TLS server and measures what both used.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from '../results/sample.ts'
import { percentileOf } from '../results/statistics.ts'
import type { TlsServer } from '../servers/server.ts'
import { runGenerator } from './run-generator.ts'

export interface H2loadOptions {
  connections: number
  /** Concurrent requests on each connection. */
  streams: number
  seconds: number
  cores: string | undefined
  /** Where h2load writes its files. */
  folder: string
}

export async function runH2load(server: TlsServer, options: H2loadOptions): Promise<Sample> {
  const { connections, cores, folder, seconds, streams } = options
  const timesFile = join(folder, 'h2load.times')
  rmSync(timesFile, { force: true })
  const { stdout: output, ...cpu } = await runGenerator(server, cores, [
    'h2load',
    `--clients=${connections}`,
    `--max-concurrent-streams=${streams}`,
    `--duration=${seconds}`,
    '--connection-inactivity-timeout=10',
    `--connect-to=127.0.0.1:${server.httpsPort}`,
    `--log-file=${timesFile}`,
    `https://${server.hosts[0]}:${server.httpsPort}${server.path}`,
  ])
  const readCount = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN)
  const requests = readCount(/status codes: (\d+) 2xx/)
  // Requests that are still open at the end of the run do not count as errors.
  const errors =
    readCount(/ (\d+) failed/) + readCount(/2xx, (\d+) 3xx/) + readCount(/ (\d+) [45]xx/)
  const isHttp2 = output.includes('Application protocol: h2')
  if (!(requests > 0) || !isHttp2) throw new Error(`h2load on ${server.label}: ${output}`)
  const latenciesUs = readFileSync(timesFile, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [Number(line.split('\t')[2])]))
    .toSorted((a, b) => a - b)
  return {
    perSecond: requests / seconds,
    requests,
    p50Us: percentileOf(latenciesUs, 0.5),
    p99Us: percentileOf(latenciesUs, 0.99),
    errors,
    ...cpu,
    seconds,
  }
}
