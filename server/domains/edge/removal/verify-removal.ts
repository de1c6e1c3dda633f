// Verifies that a host is offline: every living node has closed its connections, and new clients are refused. This is
// tested with real connections to the server's own ports.
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { sendRequest, urlOfAddress } from '#kit/network/http-client.ts'
import { findCut } from '#publishing/database/withdrawn-hosts.ts'
import type { RemovalReport, VerifyRemoval } from '../../api/schema.ts'
import { listLivingNodes, type NodePresence } from './node-presence.ts'

export interface RemovalContext {
  config: Pick<Config, 'httpPort' | 'httpsPort' | 'listenAddress'>
  database: Database
  clock: Clock
  /** Undefined for a process that does not serve. */
  node: (() => NodePresence | undefined) | undefined
}

const waitMs = 5000
const probeMs = 2000
const askEveryMs = { sqlite: 10, postgres: 25 } as const

/** Takes less than ten seconds; throws where the database does. */
export function createRemovalVerifier({
  clock,
  config,
  database,
  node,
}: RemovalContext): VerifyRemoval {
  const { httpPort, httpsPort, listenAddress } = config
  const address = ['::', '0.0.0.0'].includes(listenAddress) ? '127.0.0.1' : listenAddress

  async function untilAcknowledged(version: bigint, since: number) {
    for (;;) {
      const nodes = await listLivingNodes(database.read, clock())
      const acknowledged = nodes.filter((row) => row.version >= version).length
      const isLate = performance.now() - since > waitMs
      if (isLate || acknowledged === nodes.length) return { acknowledged, living: nodes.length }
      await delay(askEveryMs[database.engine])
    }
  }

  return async ({ host, version }, since) => {
    await node?.()?.look()
    const nodes = await untilAcknowledged(version, since)
    const seconds = Math.round(performance.now() - since) / 1000
    const isServing = nodes.living > 0
    const [tls, http, connectionsCut] = await Promise.all([
      isServing && httpsPort ? probeTls(host, address, httpsPort) : null,
      isServing && httpPort ? probeHttp(host, address, httpPort) : null,
      findCut(database.read, { host, version }),
    ])
    return { seconds, nodes, connectionsCut, tls, http }
  }
}

function probeTls(host: string, address: string, port: number): Promise<RemovalReport['tls']> {
  return new Promise((resolve) => {
    // The identity does not matter: any completed handshake counts as an answer.
    const options = { host: address, port, servername: host, rejectUnauthorized: false }
    const socket = connect(options, () => settle('answered'))
    const settle = (outcome: RemovalReport['tls']): void => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(probeMs, () => settle('no_answer'))
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      settle(/UNRECOGNIZED_NAME/.test(code) ? 'refused' : 'no_answer'),
    )
    socket.on('close', () => settle('no_answer'))
  })
}

async function probeHttp(host: string, address: string, port: number): Promise<number | null> {
  try {
    const { status } = await sendRequest(urlOfAddress(address, port, '/'), {
      method: 'HEAD',
      headers: { host },
      timeoutMs: probeMs,
      maxBytes: 0,
      oversize: 'truncate',
    })
    return status
  } catch {
    return null
  }
}
