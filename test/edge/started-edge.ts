// Both ports in this process, with a directory of hosts that a test can change.

import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { defaultLimits, type Limits } from '#kit/http/limits.ts'
import {
  type Handler,
  type IntakeOptions,
  type Listener,
  listen,
} from '#kit/http/listener/intake.ts'
import type { HostDirectory, Pem } from '#kit/http/tls/secure-contexts.ts'
import {
  listenSecurely,
  type SecureListener,
  type SecureOptions,
} from '#kit/http/tls/secure-listener.ts'
import { createMetrics } from '#kit/metrics.ts'
import { makeCertificate } from './certificates.ts'
import { openTcp, openTls } from './clients.ts'

export interface TestDirectory extends HostDirectory {
  /** Shows this certificate for the host from now on. */
  show(host: string, id: string, pem: Pem): void
  remove(host: string): void
  challenge(host: string, pem: Pem): void
  /** How often each host was requested. */
  asked: Map<string, number>
  /** How many certificates were loaded. */
  loaded: number
  /** `later` returns promises, `failing` throws. */
  mode: 'at once' | 'later' | 'failing'
}

export interface Edge {
  port: number
  plainPort: number
  listener: Listener
  secure: SecureListener
  directory: TestDirectory
  stop(): Promise<void>
}

function testDirectory(): TestDirectory {
  const shown = new Map<string, { id: string; pem: Pem }>()
  const challenges = new Map<string, Pem>()
  const directory: TestDirectory = {
    asked: new Map(),
    loaded: 0,
    mode: 'at once',
    show: (host, id, pem) => void shown.set(host, { id, pem }),
    remove: (host) => void shown.delete(host),
    challenge: (host, pem) => void challenges.set(host, pem),
    certificateFor(host) {
      directory.asked.set(host, (directory.asked.get(host) ?? 0) + 1)
      if (directory.mode === 'failing') return Promise.reject(new Error('no database'))
      const found = shown.get(host)
      const certificate = found && {
        id: found.id,
        load: () => {
          directory.loaded++
          return found.pem
        },
      }
      return directory.mode === 'later' ? Promise.resolve(certificate) : certificate
    },
    challengeFor: (host) => challenges.get(host),
  }
  return directory
}

export interface EdgeOptions extends Partial<Omit<SecureOptions, 'directory'>> {
  plain?: Partial<Limits>
  intake?: IntakeOptions
}

/** Starts both ports; `handler` answers all requests. */
export async function startEdge(handler: Handler, options: EdgeOptions = {}): Promise<Edge> {
  const { intake, plain, ...given } = options
  const keys = randomBytes(48)
  const directory = testDirectory()
  const limits = { ...defaultLimits, ...plain }
  const listener = await listen(0, '127.0.0.1', createMetrics(), limits, intake)
  listener.serve(() => handler)
  const secure = await listenSecurely(listener.intake, 0, '127.0.0.1', {
    directory,
    ticketKeys: () => keys,
    ...given,
  })
  return {
    port: secure.port,
    plainPort: listener.port,
    listener,
    secure,
    directory,
    stop: async () => void (await Promise.all([listener.stop(), secure.stop()])),
  }
}

/** Until the end of the test, with these hosts. The name of each is the id of its certificate. */
export async function edgeForTest(
  handler: Handler,
  hosts: Record<string, Pem>,
  options?: EdgeOptions,
): Promise<Edge> {
  const edge = await startEdge(handler, options)
  onTestFinished(() => edge.stop())
  for (const [host, pem] of Object.entries(hosts)) edge.directory.show(host, host, pem)
  return edge
}

/** A connection to its plain port, or to that with TLS. Closed at the end of the test, if it is not before. */
export async function openAt(edge: Edge, port: 'TCP' | 'TLS', ca: string): Promise<Socket> {
  if (port === 'TCP') return await openTcp(edge.plainPort)
  const socket = await openTls(edge.port, 'a.test', ca)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Created once for all tests of a file. */
export function certificatesFor(...hosts: string[]): Record<string, Pem> {
  return Object.fromEntries(hosts.map((host) => [host, makeCertificate([host])]))
}
