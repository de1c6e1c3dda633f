// Connections to PostgreSQL: to one server, or to the one of several that accepts writes. Where two accept them, because
// nobody has stopped the primary of before, it is the one that was promoted last: it has the higher timeline. Sessions are
// set up by a statement instead of parameters of the start, which PgBouncer refuses.
import pg from 'pg'
import { parseDatabaseUrl } from '../../config/database-url.ts'
import { within } from '../../promises.ts'

/** The servers of one URL, and which of them is used. */
export type PostgresServers = ReturnType<typeof createPostgresServers>

/** An error of a connection, as those of sockets: with a code that is no SQLSTATE. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError'
  readonly code = 'READ_ONLY'
  constructor() {
    super('the PostgreSQL server accepts no writes: it is a standby, or read-only')
  }
}

/** Whether a statement was refused because the server accepts no writes (SQLSTATE 25006). */
export function isReadOnlyError(error: unknown): error is Error {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  return (cause as { code?: unknown } | undefined)?.code === '25006'
}

/** `withinMs` is the time-out for each server. */
export function createPostgresServers(databaseUrl: string, withinMs: number) {
  const servers = parseDatabaseUrl(databaseUrl)
  if (!servers) throw new Error('DATABASE_URL is not valid')
  const { mustWrite, urls } = servers
  const url = urls[0] as string
  const isChoice = urls.length > 1
  const listeners: (() => void)[] = []
  let chosen: Promise<string> | undefined
  let isSearching = false
  let last: string | undefined

  async function search(): Promise<string> {
    isSearching = true
    try {
      const server = await (mustWrite ? findPrimary(urls, withinMs) : findFirst(urls, withinMs))
      const isAnother = last !== undefined && server !== last
      last = server
      if (isAnother) for (const listener of listeners) listener()
      return server
    } catch (error) {
      chosen = undefined
      throw error
    } finally {
      isSearching = false
    }
  }

  function choose(): Promise<string> {
    if (!isChoice) return Promise.resolve(url)
    chosen ??= search()
    return chosen
  }

  return {
    /** Finds the server to use, at most once at a time. */
    choose,
    /** The server in use failed, does not answer, or accepts no writes any more: has all of them looked at again. */
    forget(): void {
      if (!isChoice || isSearching) return
      chosen = undefined
      // Also for those who have a connection, and ask for none.
      choose().catch(() => {})
    },
    /** Calls `listener` when another server is used than before: connections to that one must not be used any more. */
    onChange(listener: () => void): void {
      listeners.push(listener)
    },
    /** A URL for the driver, whose host `choose` decides if there are several. */
    url,
    isChoice,
    mustWrite,
  }
}

/** The first server that accepts connections. */
async function findFirst(urls: readonly string[], withinMs: number): Promise<string> {
  let failure: unknown
  for (const url of urls) {
    try {
      await probe(url, false, withinMs)
      return url
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** How long a slow server is waited for, if another one accepts writes. */
const othersWithinMs = 300

/** Of the servers that accept writes, the one with the highest timeline. */
async function findPrimary(urls: readonly string[], withinMs: number): Promise<string> {
  const primaries: { url: string; timeline: number }[] = []
  const probes = urls.map(async (url) => {
    primaries.push({ url, timeline: await probe(url, true, withinMs) })
  })
  await Promise.any(probes).catch((error: AggregateError) => {
    throw error.errors.at(-1)
  })
  await within(othersWithinMs, Promise.allSettled(probes), () => {})
  primaries.sort((a, b) => b.timeline - a.timeline || urls.indexOf(a.url) - urls.indexOf(b.url))
  return (primaries[0] as (typeof primaries)[number]).url
}

/** A promotion starts a new timeline, whose number is in the names of its WAL files. */
const timelineOf = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`

/** Connects once. Gives the server's timeline if it must accept writes. */
async function probe(url: string, mustWrite: boolean, withinMs: number): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await setUpSession(client, mustWrite, {})
    if (!mustWrite) return 0
    const { rows } = await client.query<{ timeline: number }>(timelineOf)
    return rows[0]?.timeline ?? 0
  } finally {
    client.end().catch(() => {})
  }
}

/**
 * Sets parameters of a session (`name = value`), in one round trip. Throws ReadOnlyServerError if it must accept
 * writes and does not.
 */
export async function setUpSession(
  client: Pick<pg.ClientBase, 'query'>,
  mustWrite: boolean,
  settings: Record<string, string | number>,
): Promise<void> {
  const statements = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`)
  if (mustWrite) statements.push('show transaction_read_only')
  if (statements.length === 0) return
  const results = await client.query(statements.join('; '))
  const last = [results].flat().at(-1) as pg.QueryResult<{ transaction_read_only?: string }>
  if (mustWrite && last.rows[0]?.transaction_read_only === 'on') throw new ReadOnlyServerError()
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** The driver's client, which asks `servers` where to connect. */
export function clientOf(servers: PostgresServers): typeof pg.Client {
  if (!servers.isChoice) return pg.Client
  class ClientOfServers extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    // The pool calls it with a callback, everything else without.
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connecting = this.#connect()
      if (!callback) return connecting
      const done = callback as (error: Error | null, client?: pg.Client) => void
      connecting.then((client) => done(null, client), done)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const { hostname, port } = new URL(await servers.choose())
      const host = hostname.replace(/^\[(.+)\]$/, '$1')
      const place = { host, port: Number(port) || 5432 }
      Object.assign(this, place)
      try {
        return await super.connect()
      } catch (error) {
        servers.forget()
        throw error
      }
    }
  }
  return ClientOfServers as typeof pg.Client
}

const int8 = 20

/** Integers as bigint, as with SQLite. */
export const types = {
  getTypeParser: (oid: number, format?: string) =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

const connectWithinMs = 5000
/** For what may wait longer for a lock than a request may. */
export const waitForLockMs = 60_000

/**
 * Connects once, outside a pool. The caller ends the client. A connection that is lost ends the statement that is running,
 * with an error.
 */
export async function connectClient(
  databaseUrl: string,
  purpose: string,
  settings: Record<string, string | number>,
  onError: (error: Error) => void = () => {},
): Promise<pg.Client> {
  const servers = createPostgresServers(databaseUrl, connectWithinMs)
  const Client = clientOf(servers)
  const client = new Client({
    connectionString: servers.url,
    application_name: `animal-store ${purpose}`,
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    types,
  })
  client.on('error', onError)
  try {
    await client.connect()
    await setUpSession(client, servers.mustWrite, settings)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
