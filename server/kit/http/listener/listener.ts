// The plain HTTP listener: a port whose requests go to an intake, and a stop that finishes what has begun.
import type { AddressInfo, Server } from 'node:net'
import type { Metrics } from '../../metrics.ts'
import { createIntake, type IntakeOptions } from './intake.ts'
import { defaultLimits } from './limits.ts'

export type Listener = Awaited<ReturnType<typeof listen>>

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listen(
  port: number,
  address: string,
  metrics: Metrics,
  limits = defaultLimits,
  options: IntakeOptions = {},
) {
  const intake = createIntake(metrics, limits, options)
  const { connections, http1, serve } = intake
  await bind(http1, port, address)
  return {
    port: (http1.address() as AddressInfo).port,
    /** What other ports hand their requests to (secure-listener.ts); they go the same way. */
    intake,
    /** Those of all ports of the intake. */
    connections,
    /** Requests wait until this has been called; after 5 s they get a 503. */
    serve,
    /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
    async stop() {
      await intake.stop()
      await new Promise<void>((resolve) => http1.close(() => resolve()))
    },
  }
}

/** Binds a server to a port of an address; `::` is every address, on a machine without IPv6 too. */
export async function bind(server: Server, port: number, address: string): Promise<void> {
  try {
    await listenOnce(server, port, address)
  } catch (error) {
    // A machine without IPv6 still has every IPv4 address.
    if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT' || address !== '::') throw error
    await listenOnce(server, port, '0.0.0.0')
  }
}

function listenOnce(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
