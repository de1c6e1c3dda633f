// The clients of a process: networks, with what each of them may hold at once, on all ports and in both versions of
// HTTP. A trusted proxy speaks for many clients, so that only the limits of the process apply to it. Where connections are
// limited, the oldest idle one is dropped for the newest: normal clients open another one, and those that only hold a
// connection lose it. A process can have fewer connections than open files, because databases and outgoing requests need
// some of these.
import type { Socket } from 'node:net'
import { ConfigError } from '../../config/config.ts'
import type { Logger } from '../../log.ts'
import { type AddressList, networkOf, unmapIpv4 } from '../../network/addresses.ts'
import type { Limits } from '../limits.ts'

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

  return {
    /** Admits a new connection until it leaves. It may be closed for a newer one while `isIdle`. */
    admit(socket: Socket, isIdle: () => boolean): Admission {
      const address = unmapIpv4(socket.remoteAddress ?? '')
      const network = trustedProxies.has(address) ? undefined : networkOf(address)
      const stored = network === undefined ? undefined : byNetwork.get(network)
      const client = stored ?? { network, connections: 0, waiting: 0 }
      if (network !== undefined) byNetwork.set(network, client)
      client.connections++
      const admission = {
        client,
        sender: network,
        isSurplus: false,
        isIdle: () => admission.isSurplus || isIdle(),
        drop: () => void socket.destroy(),
        leave() {
          const limiter = admission.isSurplus ? surplus : admitted
          limiter.leave(admission)
          client.connections--
          if (client.connections === 0 && network !== undefined) byNetwork.delete(network)
        },
      }
      admission.isSurplus = !admitted.enter(admission)
      if (admission.isSurplus) surplus.enter(admission)
      return admission
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
    maxOpen: total,
  }
}

/** Busy connections that are passed over for each new one; they are looked at again after all others. */
const maxPassedOver = 32

/** An open connection. */
export interface Limited {
  /** Without one it has no limit of its own. */
  readonly sender: string | undefined
  /** Called if it must make room while it is idle. */
  drop(): void
  isIdle(): boolean
}

/** At most `max` connections, and `maxOfOne` of each sender. */
export function createConnectionLimiter<T extends Limited>(max: number, maxOfOne: number) {
  // Oldest first, apart from those that were passed over.
  const all = new Set<T>()
  const bySender = new Map<string, Set<T>>()

  function leave(connection: T): void {
    if (!all.delete(connection) || connection.sender === undefined) return
    const own = bySender.get(connection.sender)
    own?.delete(connection)
    if (own?.size === 0) bySender.delete(connection.sender)
  }

  /** False if all that were looked at are busy. */
  function makeRoom(connections: Set<T>): boolean {
    let passedOver = 0
    for (const connection of connections) {
      if (connection.isIdle()) {
        leave(connection)
        connection.drop()
        return true
      }
      if (++passedOver === maxPassedOver) break
      connections.delete(connection)
      connections.add(connection)
    }
    return false
  }

  return {
    /** Adds a connection until it leaves. False if there is no room. */
    enter(connection: T): boolean {
      const { sender } = connection
      const own = sender === undefined ? undefined : bySender.get(sender)
      if (own && own.size >= maxOfOne && !makeRoom(own)) return false
      if (all.size >= max && !makeRoom(all)) return false
      all.add(connection)
      if (sender === undefined) return true
      const others = bySender.get(sender)
      if (others) others.add(connection)
      else bySender.set(sender, new Set([connection]))
      return true
    },
    /** It is closed. Nothing happens if it is not here. */
    leave,
    all: (): Iterable<T> => all,
    get size() {
      return all.size
    },
  }
}

interface Report {
  userLimits?: { open_files?: { soft: number | 'unlimited' } }
}

/** For databases, files, outgoing connections, and what Node opens: at least this, or an eighth of all. */
const minReserved = 100

const fewOpenFiles = 1024
const minConnections = 16

let cached: number | undefined

/** The open files that this process may have; Infinity where there is no limit. */
function maxOpenFiles(): number {
  if (cached !== undefined) return cached
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  const before = report.excludeNetwork
  // Otherwise the report looks up the names of addresses.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as Report
  report.excludeNetwork = before === true
  const soft = userLimits?.open_files?.soft
  cached = typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
  return cached
}

/** Throws ConfigError where nothing could be served. */
export function requireOpenFiles(log: Logger): void {
  const openFiles = maxOpenFiles()
  if (openFiles >= fewOpenFiles) return
  const text = `This process may open only ${openFiles} files: raise the limit to ${fewOpenFiles} or more (ulimit -n, or LimitNOFILE of systemd).`
  if (maxConnections(minConnections) < minConnections) throw new ConfigError(text)
  log.warn({ event: 'open_files.few', openFiles }, text)
}

/** At most `wanted`. */
export function maxConnections(requested: number, openFiles = maxOpenFiles()): number {
  if (openFiles === Number.POSITIVE_INFINITY) return requested
  return Math.min(requested, openFiles - Math.max(minReserved, Math.ceil(openFiles / 8)))
}
