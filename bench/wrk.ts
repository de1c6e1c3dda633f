// One run of the load generator against one server, and what both spent on it.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pinned } from './cores.ts'
import { readTreeUse, splitCommand } from './processes.ts'
import type { Server } from './servers/server.ts'

/**
 * What to send: one path again and again, paths from a file, one path at hosts from a file, bodies from a
 * file to a path, or the mix of writes with new animals from a file, whose identifiers are followed or
 * made up.
 */
export type Load =
  | { kind: 'fixed'; path: string }
  | { kind: 'paths'; file: string }
  | { kind: 'hosts'; path: string; file: string }
  | { kind: 'bodies'; path: string; file: string }
  | { kind: 'mix'; file: string; identifiers: 'follow' | 'fixed' }

export interface RunOptions {
  connections: number
  seconds: number
  /** Rounds begin at different places of the file. */
  round: number
  cores: string | undefined
}

export interface Sample {
  perSecond: number
  requests: number
  p50Us?: number
  p99Us?: number
  /**
   * Answers of 400 and above, broken connections, answers later than ten seconds; 1 for a round
   * without any answer.
   */
  errors: number
  serverCpuSeconds: number
  generatorCpuSeconds: number
  seconds: number
  /** Of a mix whose identifiers are followed: the answers to each of its steps. */
  steps?: Steps | undefined
}

export interface Steps {
  created: number
  patched: number
  placed: number
  moved: number
}

const script = (name: string): string => join(import.meta.dirname, 'load', name)
const run = promisify(execFile)

export async function runWrk(server: Server, load: Load, options: RunOptions): Promise<Sample> {
  const path = 'path' in load ? load.path : '/'
  const start = String(options.round * 7919)
  const headers = { ...server.headers, ...(load.kind === 'bodies' ? jsonHeaders : {}) }
  const command = pinned(options.cores, [
    'wrk',
    '--threads=1',
    `--connections=${options.connections}`,
    `--duration=${options.seconds}s`,
    '--timeout=10s',
    `--script=${script(load.kind === 'mix' ? 'mix.lua' : 'requests.lua')}`,
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    `${server.origin ?? `http://127.0.0.1:${server.port}`}${path}`,
    '--',
    ...scriptArguments(load, start),
  ])
  const before = readTreeUse(server.pid).cpuSeconds
  const { stdout, stderr } = await run(...splitCommand(command)).catch((cause) => {
    const { stderr: words } = cause as { stderr: string }
    throw new Error(`wrk failed on ${describe(server)}: ${words}${server.lastWords()}`, { cause })
  })
  const after = readTreeUse(server.pid).cpuSeconds
  const line = /^RESULT (.*)$/m.exec(stdout)
  if (!line?.[1]) throw new Error(`wrk gave no result for ${describe(server)}: ${stderr || stdout}`)
  const result: WrkResult = JSON.parse(line[1])
  const seconds = result.microseconds / 1e6
  return {
    perSecond: result.requests / seconds,
    requests: result.requests,
    p50Us: result.p50Us,
    p99Us: result.p99Us,
    errors: result.refused + result.broken + result.late + (result.requests === 0 ? 1 : 0),
    serverCpuSeconds: after - before,
    generatorCpuSeconds: result.generatorCpuSeconds,
    seconds,
    steps: load.kind === 'mix' && load.identifiers === 'follow' ? result.steps : undefined,
  }
}

function scriptArguments(load: Load, start: string): string[] {
  if (load.kind === 'mix') return [load.file, start, load.identifiers]
  return load.kind === 'fixed' ? [load.kind] : [load.kind, load.file, start]
}

function describe({ label, engine }: Server): string {
  return engine === '' ? label : `${label} on ${engine}`
}

const jsonHeaders = { 'Content-Type': 'application/json' }

interface WrkResult {
  requests: number
  microseconds: number
  p50Us: number
  p99Us: number
  refused: number
  broken: number
  late: number
  generatorCpuSeconds: number
  steps?: Steps
}
