// The clients of a process: networks, with what each of them may hold at once, on all ports and in both versions of
// HTTP. A trusted proxy speaks for many clients, so that only the limits of the process apply to it.
import type { Socket } from 'node:net'
import { type AddressList, unmapIpv4 } from '../../network/addresses.ts'
import { networkOf } from '../../network/network-of.ts'
import { createConnectionLimiter } from './connection-limiter.ts'
import type { Limits } from './limits.ts'
import { maxConnections } from './max-connections.ts'

export interface Client {
  /** See networkOf; undefined for a trusted proxy. */
  readonly network: string | undefined
  /** Its open connections. */
  connections: number
  /** Its pipelined requests that wait, and its HTTP/2 streams. */
  waiting: number
}

export interface Admission {
  client: Client
  /** It is one too many: only paths that are always served are served on it. */
  isSurplus: boolean
}

/** Connections beyond the limits, of each client network and in total; the oldest is closed for the newest. */
const maxSurplus = 256
const maxSurplusOfClient = 16

export type Clients = ReturnType<typeof createClients>

type ClientLimits = Pick<
  Limits,
  'connections' | 'connectionsOfClient' | 'waiting' | 'waitingOfClient'
>

export function createClients(limits: ClientLimits, trustedProxies: AddressList) {
  const max = maxConnections(limits.connections + maxSurplus) - maxSurplus
  const maxOfClient = Math.min(limits.connectionsOfClient, Math.ceil(max / 4))
  const admitted = createConnectionLimiter(max, maxOfClient)
  const surplus = createConnectionLimiter(maxSurplus, maxSurplusOfClient)
  const byNetwork = new Map<string, Client>()
  let waiting = 0

  function enter(socket: Socket): Client {
    const address = unmapIpv4(socket.remoteAddress ?? '')
    const network = trustedProxies.has(address) ? undefined : networkOf(address)
    const known = network === undefined ? undefined : byNetwork.get(network)
    const client = known ?? { network, connections: 0, waiting: 0 }
    if (network !== undefined) byNetwork.set(network, client)
    client.connections++
    return client
  }

  function leave(client: Client): void {
    client.connections--
    if (client.connections === 0 && client.network !== undefined) byNetwork.delete(client.network)
  }

  return {
    /**
     * Admits a new connection until it closes. It may be closed for a newer one while `isIdle`.
     */
    admit(socket: Socket, isIdle: () => boolean): Admission {
      const client = enter(socket)
      const drop = (): void => void socket.destroy()
      const place = admitted.enter(client.network, drop, isIdle)
      const leaveLimiter = place ?? surplus.enter(client.network, drop)
      socket.once('close', () => {
        leaveLimiter?.()
        leave(client)
      })
      return { client, isSurplus: place === undefined }
    },
    /** Counts a pipelined request or a stream. False if its client, or the process, has too many. */
    takeWaiting(client: Client): boolean {
      if (waiting >= limits.waiting) return false
      if (client.network !== undefined && client.waiting >= limits.waitingOfClient) return false
      client.waiting++
      waiting++
      return true
    },
    releaseWaiting(client: Client, count = 1): void {
      client.waiting -= count
      waiting -= count
    },
    /** The sum over all clients. */
    get waiting() {
      return waiting
    },
    /** For servers: more are closed unread. */
    maxOpen: max + maxSurplus,
  }
}
