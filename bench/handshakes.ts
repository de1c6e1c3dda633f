// One run of handshakes against one server, and what both spent on it. What counts is the server's processor
// time for one: a client that is slower than the server changes nothing.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pinned } from './cores.ts'
import { readTreeUse, splitCommand } from './processes.ts'
import type { TlsServer } from './servers/tls-server.ts'
import type { Sample } from './wrk.ts'

export interface HandshakeKind {
  version: 'TLSv1.2' | 'TLSv1.3'
  /** Each goes on with a session that the server gave before. */
  isResumed: boolean
}

/** What the load generator is told. */
export interface HandshakeOrder extends HandshakeKind {
  port: number
  /** In turn. */
  hosts: string[]
  atOnce: number
  seconds: number
  /** Ends early, after so many. */
  most?: number | undefined
}

/** What it answers. */
export interface HandshakeResult {
  done: number
  resumed: number
  failed: number
  seconds: number
  cpuSeconds: number
}

export interface HandshakeOptions extends Pick<HandshakeOrder, 'seconds' | 'most'> {
  cores: string | undefined
}

const atOnce = 16
const client = join(import.meta.dirname, 'load/handshakes.ts')
const run = promisify(execFile)

/** `perSecond` is by the server's processor time. */
export async function runHandshakes(
  { httpsPort, hosts, label, lastWords, pid }: TlsServer,
  kind: HandshakeKind,
  { cores, most, seconds }: HandshakeOptions,
): Promise<Sample> {
  const order: HandshakeOrder = { ...kind, port: httpsPort, hosts, atOnce, seconds, most }
  const command = pinned(cores, [process.execPath, client, JSON.stringify(order)])
  const before = readTreeUse(pid).cpuSeconds
  const { stdout } = await run(...splitCommand(command), { timeout: (seconds + 30) * 1000 })
  // The last connections are closed.
  await delay(50)
  const serverCpuSeconds = readTreeUse(pid).cpuSeconds - before
  const result: HandshakeResult = JSON.parse(stdout)
  const { cpuSeconds: generatorCpuSeconds, done, failed, resumed } = result
  if (done === 0) throw new Error(`no handshake with ${label}: ${lastWords()}`)
  const wrong = kind.isResumed ? done - resumed : resumed
  return {
    perSecond: done / serverCpuSeconds,
    requests: done,
    errors: failed + wrong,
    serverCpuSeconds,
    generatorCpuSeconds,
    seconds: result.seconds,
  }
}
