// The clients of a process: networks, with what each of them may hold at once, on all ports and in both versions of
// HTTP. A trusted proxy speaks for many clients, so that only the limits of the process apply to it.
import type { Socket } from 'node:net'
import { type AddressList, unmapIpv4 } from '../../network/addresses.ts'
import { networkOf } from '../../network/network-of.ts'
import { createConnectionLimiter, type Limited } from './connection-limiter.ts'
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

/** A connection that was admitted. */
export interface Admission {
  readonly client: Client
  /** It is one too many: only paths that are always served are served on it. */
  readonly isSurplus: boolean
  /** To call when it is closed. */
  leave(): void
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
  const total = maxConnections(limits.connections + maxSurplus)
  const surplusOfTotal = Math.min(maxSurplus, Math.ceil(total / 8))
  const max = Math.min(limits.connections, total - surplusOfTotal)
  const maxOfClient = Math.min(limits.connectionsOfClient, Math.ceil(max / 4))
  const admitted = createConnectionLimiter(max, maxOfClient)
  const surplus = createConnectionLimiter(surplusOfTotal, maxSurplusOfClient)
  const byNetwork = new Map<string, Client>()
  let waiting = 0

  function enter(address: string): Client {
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

  class Admitted implements Admission, Limited {
    readonly client: Client
    readonly sender: string | undefined
    readonly isSurplus: boolean
    readonly #socket: Socket
    readonly #isIdle: () => boolean

    constructor(socket: Socket, isIdle: () => boolean) {
      this.client = enter(unmapIpv4(socket.remoteAddress ?? ''))
      this.sender = this.client.network
      this.#socket = socket
      this.#isIdle = isIdle
      this.isSurplus = !admitted.enter(this)
      if (this.isSurplus) surplus.enter(this)
    }

    isIdle(): boolean {
      return this.isSurplus || this.#isIdle()
    }

    drop(): void {
      this.#socket.destroy()
    }

    leave(): void {
      const limiter = this.isSurplus ? surplus : admitted
      limiter.leave(this)
      leave(this.client)
    }
  }

  return {
    /** Admits a new connection until it leaves. It may be closed for a newer one while `isIdle`. */
    admit: (socket: Socket, isIdle: () => boolean): Admission => new Admitted(socket, isIdle),
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
    maxOpen: total,
  }
}
