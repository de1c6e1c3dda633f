// Visitors of a host while it moves: each with a resolver of its own, which caches for the whole TTL, and a new TLS
// connection each time, whose certificate is verified by name, chain and host. Beside them one client that keeps its
// connection, and one with HTTP/2. They measure: nothing is retried.
import type { ClientHttp2Session } from 'node:http2'
import { Agent } from 'node:https'
import { createResolver } from '../../lab/dns/resolver.ts'
import type { Lab } from '../../lab/lab.ts'
import { ask, askHttp2, openHttp2 } from '../edge/clients.ts'

export interface VisitorOptions {
  lab: Lab
  host: string
  perSecond: number
  /** The clock of the lab, by which caches expire. */
  now(): number
  /** Called before each visit. */
  onTick?(): void
}

/** A response of one of the two platforms, or what went wrong. */
export interface Visit {
  client: 'new connection' | 'keep-alive' | 'http/2'
  /** By the clock of the lab. */
  at: number
  seen: 'old' | 'new' | { failure: string }
  /** Undefined where the name had none. */
  address: string | undefined
}

/** Each visits about once a second at 50 visits a second. */
const resolvers = 40
/** For a response, also of a name server: a busy machine may stand still for a second. */
const withinMs = 10_000
/** The clients that keep their connection ask once in so many visits. */
const lastingEvery = 10

export type Visitors = ReturnType<typeof startVisitors>

export function startVisitors({ host, lab, now, onTick, perSecond }: VisitorOptions) {
  const { ports, root } = lab.topology
  const ca = lab.visitorsRoots.join('\n')
  const visits: Visit[] = []
  const running = new Set<Promise<void>>()
  const clients = Array.from({ length: resolvers }, () =>
    createResolver({ roots: [{ address: root, port: ports.dns }], now, timeoutMs: withinMs }),
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  const http2 = openHttp2Client(host, ports.https, ca)

  let turn = 0
  /** Visitors take turns at the addresses. */
  async function addressFor(resolver = clients[0]): Promise<string> {
    const { answers = [], rcode } = (await resolver?.resolve(host, 'A')) ?? {}
    const found = answers.flatMap((record) => (record.type === 'A' ? [record.address] : []))
    turn += 1
    const address = found[turn % found.length]
    if (address === undefined) throw new Error(`no address: ${rcode}`)
    return address
  }

  async function look(address: string, agent: Agent | false): Promise<Visit['seen']> {
    const options = { host: address, agent, timeoutMs: withinMs }
    const { status, text } = await ask(ports.https, host, ca, '/', {}, options)
    return markerOf(status, text)
  }

  function visit(
    client: Visit['client'],
    resolver: (typeof clients)[number] | undefined,
    request: (address: string) => Promise<Visit['seen']>,
  ): void {
    let address: string | undefined
    const done = addressFor(resolver)
      .then((found) => {
        address = found
        return request(found)
      })
      .catch((error: NodeJS.ErrnoException) => ({ failure: error.code ?? error.message }))
      .then((seen) => {
        visits.push({ client, at: now(), seen, address })
        running.delete(done)
      })
    running.add(done)
  }

  let count = 0
  const timer = setInterval(() => {
    onTick?.()
    const resolver = clients[count % clients.length]
    visit('new connection', resolver, (address) => look(address, false))
    if (count % lastingEvery === 0) {
      visit('keep-alive', clients[0], (address) => look(address, agent))
      visit('http/2', clients[1], http2.ask)
    }
    count += 1
  }, 1000 / perSecond)

  return {
    visits,
    failures: () => visits.filter(({ seen }) => typeof seen === 'object'),
    count: (seen: 'old' | 'new') => visits.filter((visit) => visit.seen === seen).length,
    /** Of the servers that gave the new site, each once. */
    newAddresses: () =>
      [
        ...new Set(visits.flatMap(({ address, seen }) => (seen === 'new' ? address : []))),
      ].toSorted(),
    /** Of new connections, by the clock of the lab; undefined if there was none. */
    firstNew: () => newConnections(visits).find(({ seen }) => seen === 'new')?.at,
    lastOld: () => newConnections(visits).findLast(({ seen }) => seen === 'old')?.at,
    /** Waits for what is under way. */
    async stop(): Promise<void> {
      clearInterval(timer)
      await Promise.all(running)
      agent.destroy()
      http2.close()
    },
  }
}

const newConnections = (visits: Visit[]): Visit[] =>
  visits.filter(({ client }) => client === 'new connection')

/** The titles of the two sites. */
export const newMarker = 'The new site'
const oldMarker = 'Dovecote'

function markerOf(status: number, text: string): Visit['seen'] {
  if (status !== 200) return { failure: `status ${status}` }
  if (text.includes(`<title>${newMarker}</title>`)) return 'new'
  return text.includes(`<title>${oldMarker}</title>`) ? 'old' : { failure: 'another page' }
}

/** Opens another session when the one before has ended. */
function openHttp2Client(host: string, port: number, ca: string) {
  let session: ClientHttp2Session | undefined
  return {
    async ask(address: string): Promise<Visit['seen']> {
      if (!session || session.closed || session.destroyed) {
        const opened = await openHttp2(port, host, ca, address)
        opened.setTimeout(withinMs, () => opened.destroy(new Error('no response in time')))
        session = opened
      }
      const { status, text } = await askHttp2(session, { ':path': '/', ':authority': host })
      return markerOf(status, text)
    },
    close: () => session?.destroy(),
  }
}
