// One run of HTTP/2 against one TLS server by nghttp2's load generator, and what both spent on it.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pinned } from './cores.ts'
import { measureCommand } from './measured-command.ts'
import { readTreeUse } from './processes.ts'
import type { TlsServer } from './servers/tls-server.ts'
import { percentile } from './statistics.ts'
import type { Sample } from './wrk.ts'

export interface H2loadOptions {
  connections: number
  /** Requests on their way on each connection. */
  streams: number
  seconds: number
  cores: string | undefined
  /** For what h2load writes. */
  folder: string
}

export async function runH2load(server: TlsServer, options: H2loadOptions): Promise<Sample> {
  const { connections, cores, folder, seconds, streams } = options
  const [times, output] = [join(folder, 'h2load.times'), join(folder, 'h2load.log')]
  rmSync(times, { force: true })
  const command = pinned(cores, [
    'h2load',
    `--clients=${connections}`,
    `--max-concurrent-streams=${streams}`,
    `--duration=${seconds}`,
    '--connection-inactivity-timeout=10',
    `--connect-to=127.0.0.1:${server.httpsPort}`,
    `--log-file=${times}`,
    `https://${server.hosts[0]}:${server.httpsPort}${server.path}`,
  ])
  const before = readTreeUse(server.pid).cpuSeconds
  const { cpuSeconds: generatorCpuSeconds } = await measureCommand(command, {}, output)
  const serverCpuSeconds = readTreeUse(server.pid).cpuSeconds - before
  const words = readFileSync(output, 'utf8')
  const count = (pattern: RegExp): number => Number(pattern.exec(words)?.[1] ?? Number.NaN)
  const requests = count(/status codes: (\d+) 2xx/)
  // Those on their way when the time is up are no errors.
  const errors = count(/ (\d+) failed/) + count(/2xx, (\d+) 3xx/) + count(/ (\d+) [45]xx/)
  const isHttp2 = words.includes('Application protocol: h2')
  if (!(requests > 0) || !isHttp2) throw new Error(`h2load on ${server.label}: ${words}`)
  const us = readFileSync(times, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [Number(line.split('\t')[2])]))
    .toSorted((a, b) => a - b)
  return {
    perSecond: requests / seconds,
    requests,
    p50Us: percentile(us, 0.5),
    p99Us: percentile(us, 0.99),
    errors,
    serverCpuSeconds,
    generatorCpuSeconds,
    seconds,
  }
}
