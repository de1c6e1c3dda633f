// A proxy before PostgreSQL that counts round trips: how often a client has to wait for an answer before it can send
// more. What it sends meanwhile, on any connection, belongs to the same round trip.
import {
  backend,
  createFlightReader,
  createMessageReader,
  type DatabaseProxy,
  frontend,
  startDatabaseProxy,
} from '../postgres-messages.ts'

/** The statements of a round trip, each as its verb and its table, such as `select pets`. */
export type RoundTrip = string[]

export interface CountingProxy extends DatabaseProxy {
  /** The round trips since the last call. */
  take(): RoundTrip[]
  /** SQL that a connection has prepared more than once, or under several names. */
  readonly preparedTwice: string[]
}

/** Counts the connections of these schemas. */
export async function startCountingProxy(
  databaseUrl: string,
  schemas: string[],
): Promise<CountingProxy> {
  const preparedTwice: string[] = []
  let trips: RoundTrip[] = []
  let unanswered = 0

  const proxy = await startDatabaseProxy(databaseUrl, (client, upstream) => {
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    const readFlights = createFlightReader()
    const readAnswers = createMessageReader('server')
    const prepared = new Map<string, string>()
    /** Whether each flight that has no answer yet is counted. The first is the start. */
    const pending: boolean[] = []
    let isCounted: boolean | undefined

    client.on('data', (bytes: Buffer) => {
      for (const flight of readFlights(bytes)) {
        const last = flight.at(-1)?.type
        const start = String(flight[0]?.bytes)
        isCounted ??= schemas.some((schema) => start.includes(`animal-store ${schema}\0`))
        if (last !== frontend.query && last !== frontend.sync) continue
        const statements: string[] = []
        for (const { bytes: message, type } of flight) {
          const [first = '', second = ''] = message.toString('latin1', 5).split('\0')
          if (type === frontend.parse) {
            if ([...prepared.values()].includes(second)) preparedTwice.push(second)
            prepared.set(first, second)
          }
          if (type === frontend.query) statements.push(shorten(first))
          if (type === frontend.bind) statements.push(shorten(prepared.get(second) ?? second))
        }
        pending.push(isCounted)
        if (!isCounted) continue
        if (unanswered++ === 0) trips.push([])
        trips.at(-1)?.push(...statements)
      }
      upstream.write(bytes)
    })
    let isReady = false
    upstream.on('data', (bytes: Buffer) => {
      for (const { type } of readAnswers(bytes)) {
        if (type !== backend.readyForQuery) continue
        // The first one ends the start of the connection.
        if (isReady && pending.shift()) unanswered--
        isReady = true
      }
      client.write(bytes)
    })
    client.once('close', () => {
      unanswered -= pending.filter(Boolean).length
    })
  })
  return {
    ...proxy,
    take() {
      const taken = trips
      trips = []
      return taken
    },
    preparedTwice,
  }
}

function shorten(sql: string): string {
  const statement = sql.replace(/^\s*with .*\)\s+(?=insert)/s, '')
  const verb = /^\s*(\w+)/.exec(statement)?.[1]?.toLowerCase() ?? ''
  if (!['select', 'insert', 'update', 'delete'].includes(verb)) return sql
  const tables = [
    ...statement.matchAll(
      /\b(?:(?<!distinct )from|into|join|update) (?:only )?(?:"\w+"\.)?"?([a-z_]+)"?(?!\w*\()/gi,
    ),
  ]
  const [, table = '?'] = tables.find(([, name]) => !name?.startsWith('json_')) ?? []
  const isLock = /\bfor update\b/.test(statement)
  return `${isLock ? 'lock' : verb} ${table}`
}
