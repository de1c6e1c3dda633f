// The store for the tests of a describe block, in this process or with several workers in its own. Each is there once the
// block has begun.
import { afterAll, beforeAll } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { createKey } from '#store/keys/keys.ts'
import type { Engine } from '../database.ts'
import { askRaw, type RawAnswer, requestText } from '../raw-connection.ts'
import { type RunningStore, type StartOptions, startStore } from '../running-store.ts'
import { type ServedStore, serveStore } from '../served-store.ts'

export let store: RunningStore
export let port: number
/** Header lines with a key of production, and the same after the Host. */
export let keyField: string
export let fields: string
/** With two workers. */
export let served: ServedStore

/** Starts it before the tests of the block, and stops it after them. */
export function serving(engine: Engine, options: StartOptions = {}): void {
  beforeAll(async () => {
    store = await startStore(engine, options)
    port = store.running.config.httpPort
    keyField = `Authorization: Bearer ${store.keys.production}\r\n`
    fields = `Host: localhost\r\n${keyField}`
  })
  afterAll(() => store.release())
}

export function servingWorkers(engine: Engine, env: Record<string, string> = {}): void {
  beforeAll(async () => {
    served = await serveStore(engine, { WORKERS: '2', ...env })
  })
  afterAll(() => served.release())
}

export const production = () => store.running.store.databases.production
export const origin = () => commandLineOrigin(store.clock.now)

/** How many records production has at a path. */
export async function countAt(path = '/pets'): Promise<number> {
  const { headers } = await store.ask(path, { headers: { prefer: 'count=exact' } })
  return Number(headers['x-total-count'])
}

/** The bytes of a response of staging. */
export function getRaw(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<RawAnswer> {
  const Authorization = `Bearer ${store.keys.staging}`
  const all = { Host: 'staging.localhost', Authorization, ...headers }
  return askRaw(port, requestText(method, `/v1${path}`, all), method === 'HEAD')
}

/** Creates a record in production. */
export const createdId = async (path: string, body: object): Promise<number> =>
  ((await store.ask(path, { body })).json as { id: number }).id

/** Another key of production. */
export const newKey = (key: Partial<Parameters<typeof createKey>[2]> = {}) =>
  createKey(production(), 'production', { label: 'k', ...key }, origin())
