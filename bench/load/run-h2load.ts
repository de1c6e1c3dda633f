// Runs h2load (nghttp2's load generator for HTTP/2) against one TLS server and measures what both used.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pinToCores } from '../harness/cores.ts'
import { readTreeUsage, splitCommand } from '../harness/processes.ts'
import type { Sample } from '../results/sample.ts'
import { percentileOf } from '../results/statistics.ts'
import type { TlsServer } from '../servers/server.ts'

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
  const [timesFile, outputFile] = [join(folder, 'h2load.times'), join(folder, 'h2load.log')]
  rmSync(timesFile, { force: true })
  const command = pinToCores(cores, [
    'h2load',
    `--clients=${connections}`,
    `--max-concurrent-streams=${streams}`,
    `--duration=${seconds}`,
    '--connection-inactivity-timeout=10',
    `--connect-to=127.0.0.1:${server.httpsPort}`,
    `--log-file=${timesFile}`,
    `https://${server.hosts[0]}:${server.httpsPort}${server.path}`,
  ])
  const before = readTreeUsage(server.pid).cpuSeconds
  const generatorCpuSeconds = await measureCommand(command, outputFile)
  const serverCpuSeconds = readTreeUsage(server.pid).cpuSeconds - before
  const output = readFileSync(outputFile, 'utf8')
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
    serverCpuSeconds,
    generatorCpuSeconds,
    seconds,
  }
}

/** The processor time of a command and its children. Throws an Error with the end of the output if it fails. */
async function measureCommand(command: string[], logFile: string): Promise<number> {
  const output = openSync(logFile, 'w')
  const before = readEndedChildrenSeconds()
  const child = spawn(...splitCommand(command), { stdio: ['ignore', output, output] })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const [status] = await once(child, 'exit')
  process.removeListener('exit', kill)
  if (status === 0) return readEndedChildrenSeconds() - before
  const text = readFileSync(logFile, 'utf8').slice(-2000)
  throw new Error(`${command.join(' ')} exited with ${status}:\n${text}`)
}

/** `cutime` and `cstime` of proc(5): processor time of all children that have ended. */
function readEndedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}
