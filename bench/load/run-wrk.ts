// Runs wrk against one server and measures what both used.

import { join } from 'node:path'
import type { MixSteps, Sample } from '../results/sample.ts'
import type { Server } from '../servers/server.ts'
import { runGenerator } from './run-generator.ts'

/**
 * What to send:
 * - `fixed`: GET of one path
 * - `paths`: GET of the paths in a file, in turn
 * - `bodies`: POST of the bodies in a file to one path, in turn
 * - `patches`: PATCH of the paths and bodies in a file, in turn
 * - `mix`: the mix of writes, with the new animals in a file. `follow` takes identifiers from the responses,
 *   `fixed` uses made-up ones.
 */
export type Load =
  | { kind: 'fixed'; path: string }
  | { kind: 'paths'; file: string }
  | { kind: 'bodies'; path: string; file: string }
  | { kind: 'patches'; file: string }
  | { kind: 'mix'; file: string; identifiers: 'follow' | 'fixed' }

export interface WrkOptions {
  connections: number
  seconds: number
  /** Each round starts at a different line of the file. */
  round: number
  cores: string | undefined
}

export async function runWrk(server: Server, load: Load, options: WrkOptions): Promise<Sample> {
  const path = 'path' in load ? load.path : '/'
  const start = String(options.round * 7919)
  const headers = { ...server.headers, ...(load.kind === 'bodies' ? jsonHeaders : {}) }
  const script = load.kind === 'mix' ? 'mix.lua' : 'requests.lua'
  const { stdout, ...cpu } = await runGenerator(server, options.cores, [
    'wrk',
    '--threads=1',
    `--connections=${options.connections}`,
    `--duration=${options.seconds}s`,
    '--timeout=10s',
    `--script=${join(import.meta.dirname, script)}`,
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    `${server.origin ?? `http://127.0.0.1:${server.port}`}${path}`,
    '--',
    ...scriptArguments(load, start),
  ])
  const line = /^RESULT (.*)$/m.exec(stdout)
  if (!line?.[1]) throw new Error(`wrk printed no result for ${server.label}: ${stdout}`)
  const result: WrkResult = JSON.parse(line[1])
  const seconds = result.microseconds / 1e6
  return {
    perSecond: result.requests / seconds,
    requests: result.requests,
    p50Us: result.p50Us,
    p99Us: result.p99Us,
    errors: result.refused + result.broken + result.late + (result.requests === 0 ? 1 : 0),
    ...cpu,
    seconds,
    steps: load.kind === 'mix' && load.identifiers === 'follow' ? result.steps : undefined,
  }
}

function scriptArguments(load: Load, start: string): string[] {
  if (load.kind === 'mix') return [load.file, start, load.identifiers]
  return [load.kind, load.kind === 'fixed' ? '' : load.file, start]
}

const jsonHeaders = { 'Content-Type': 'application/json' }

/** Printed by the Lua scripts. */
interface WrkResult {
  requests: number
  microseconds: number
  p50Us: number
  p99Us: number
  /** Responses with a status of 400 or above. */
  refused: number
  /** Broken connections. */
  broken: number
  /** Responses after the time-out. */
  late: number
  steps?: MixSteps
}
