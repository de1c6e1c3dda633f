// How often each operation of the store waits for PostgreSQL, and for which statements: as bench/README.md says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { openSecrets } from '#kit/secrets.ts'
import { createWebhook } from '#optional/webhooks/webhooks.ts'
import { createPet, patchPet } from '#store/animals/change-pets.ts'
import { findPetJson } from '#store/animals/list-pets.ts'
import { type StoreWrite, writeStore } from '#store/changes/store-write.ts'
import { watchVersions } from '#store/database/state.ts'
import { createKey } from '#store/keys/keys.ts'
import { placeOrder } from '#store/orders/orders.ts'
import { createTestDatabase, engines, type TestDatabase } from '../database.ts'
import { type AskOptions, type RunningStore, startStore } from '../running-store.ts'
import { type CountingProxy, type RoundTrip, startCountingProxy } from './counting-proxy.ts'

/** The rows of the table, by operation. */
const rows = new Map(
  [
    ...(readFileSync(join(import.meta.dirname, '../../bench/README.md'), 'utf8')
      .split('## Round trips to PostgreSQL')[1]
      ?.split('\n## ')[0]
      ?.matchAll(/^\| ([^|]+) \| .* \|$/gm) ?? []),
  ].map(([row, name]) => [name, row]),
)

describe.runIf(engines.includes('postgres'))('round trips to PostgreSQL', () => {
  let place: TestDatabase
  let proxy: CountingProxy
  let store: RunningStore
  beforeAll(async () => {
    place = await createTestDatabase('postgres')
    proxy = await startCountingProxy(place.databaseUrl as string, ['production', 'limits'])
    store = await startStore('postgres', {
      place: { ...place, databaseUrl: proxy.url },
      // One connection for reads: to open another one takes round trips, too.
      env: { WEBHOOK_ALLOW: '127.0.0.1', DATABASE_CONNECTIONS: '8' },
    })
    // It would write between the requests, or together with them.
    await store.running.webhooks.dispatchers.production.stop()
    // Connections are opened, the key is known.
    await Promise.all(Array.from({ length: 20 }, () => store.ask('/pets')))
    await store.ask('/pets', { body: pet })
  })
  afterAll(async () => {
    await store.release()
    await proxy.close()
    await place.release()
  })

  const pet = { name: 'Rex', categoryId: 1 }
  let keys = 0
  const withKey = (): AskOptions => ({ headers: { 'idempotency-key': `key-${++keys}` } })

  async function createdId(path: string, body: unknown): Promise<number> {
    return ((await store.ask(path, { body })).json as { id: number }).id
  }
  const newPet = (): Promise<number> => createdId('/pets', pet)
  const newOrder = async (): Promise<number> =>
    await createdId('/store/orders', { petId: await newPet() })

  /** The round trips of one request, once what precedes it is done. */
  async function measure(path: string, options: AskOptions, status: number): Promise<RoundTrip[]> {
    proxy.take()
    expect((await store.ask(path, options)).status).toBe(status)
    return proxy.take()
  }

  async function measureWrites(writes: StoreWrite[]): Promise<RoundTrip[]> {
    const database = store.running.store.databases.production
    proxy.take()
    const outcomes = await Promise.all(writes.map((write) => database.write(writeStore, write)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(writes.map(() => 'done'))
    return proxy.take()
  }

  const patchWith = (name: string): AskOptions => ({
    ...{ method: 'PATCH', body: { name } },
    headers: { 'content-type': 'application/merge-patch+json' },
  })

  const operations: Record<string, () => Promise<RoundTrip[]>> = {
    createPet: () => measure('/pets', { body: pet }, 201),
    'createPet with a key': () => measure('/pets', { body: pet, ...withKey() }, 201),
    async 'createPet again with its key'() {
      const again = { body: pet, ...withKey() }
      await store.ask('/pets', again)
      return await measure('/pets', again, 201)
    },
    updatePet: async () => await measure(`/pets/${await newPet()}`, patchWith('Max'), 200),
    'updatePet without a change': async () =>
      await measure(`/pets/${await newPet()}`, patchWith('Rex'), 200),
    deletePet: async () => await measure(`/pets/${await newPet()}`, { method: 'DELETE' }, 204),
    placeOrder: async () =>
      await measure('/store/orders', { body: { petId: await newPet() } }, 201),
    ...Object.fromEntries(
      ['approve', 'deliver', 'cancel'].map((move) => [
        `${move}Order`,
        async () =>
          await measure(`/store/orders/${await newOrder()}/${move}`, { method: 'POST' }, 200),
      ]),
    ),
    createCategory: () => measure('/categories', { body: { name: 'Dogs' } }, 201),
    async deleteCategory() {
      const id = await createdId('/categories', { name: 'Cats' })
      return await measure(`/categories/${id}`, { method: 'DELETE' }, 204)
    },
    async 'ten updatePet at once'() {
      const ids = await Promise.all(Array.from({ length: 10 }, newPet))
      return await measureWrites(ids.map((id) => patchPet({ ...target(id), patch: { name: 'M' } })))
    },
    async 'createPet, updatePet and placeOrder at once'() {
      const [patched = 0, ordered = 0] = [await newPet(), await newPet()]
      const asked = { use: undefined, now: store.clock.now }
      return await measureWrites([
        createPet({ name: 'Rex', categoryId: 1, status: 'available', ...asked }),
        patchPet({ ...target(patched), patch: { name: 'M' } }),
        placeOrder({ petId: BigInt(ordered), ...asked }),
      ])
    },
    'listPets, made anew': () => measure(`/pets?limit=${1 + (++keys % 100)}`, {}, 200),
    async 'listPets, remembered'() {
      for (let i = 0; i < 2; i++) await store.ask('/pets')
      return await measure('/pets', {}, 200)
    },
    getPet: async () => await measure(`/pets/${await newPet()}`, {}, 200),
    async 'ten getPet at once'() {
      const database = store.running.store.databases.production
      const ids = await Promise.all(Array.from({ length: 10 }, newPet))
      const readVersions = watchVersions(database)
      proxy.take()
      const [, ...records] = await Promise.all([
        readVersions(),
        ...ids.map((id) => findPetJson(database.read, BigInt(id))),
      ])
      expect(records.map((json) => JSON.parse(json ?? '').id)).toEqual(ids)
      return proxy.take()
    },
    async 'listPets, remembered, with a rate limit'() {
      const key = await newLimitedKey()
      for (let i = 0; i < 2; i++) await store.ask('/pets', { key })
      return await measure('/pets', { key }, 200)
    },
  }
  it.each(Object.entries(operations))('%s is as documented', async (name, run) => {
    // Statements are prepared once for each connection.
    await run()
    await expectAsDocumented(name, await run())
  })

  it('a write with a rate limit is one more', async () => {
    const key = await newLimitedKey()
    const asked = { key, body: pet }
    await measure('/pets', asked, 201)
    const [first, ...others] = await measure('/pets', asked, 201)
    expect(first).toEqual(['insert rate_limits'])
    await expectAsDocumented('createPet', others)
  })

  async function newLimitedKey(): Promise<string> {
    const database = store.running.store.databases.production
    const limited = { label: 'k', rateLimit: '1000/1h' }
    const origin = commandLineOrigin(store.clock.now)
    return (await createKey(database, 'production', limited, origin)).text
  }

  const target = (id: number) => {
    return { use: undefined, id: BigInt(id), conditions: {}, now: store.clock.now }
  }

  /** A read has no second round trip. */
  async function expectAsDocumented(name: string, trips: RoundTrip[]): Promise<void> {
    const shown = trips.map((trip) =>
      trip.filter((statement) => !statement.startsWith('set local')).join(', '),
    )
    expect(`| ${[name, ...shown, '–'].slice(0, 3).join(' | ')} |`).toBe(rows.get(name))
    expect(trips.length).toBeLessThanOrEqual(2)
  }

  it('with a webhook is at most two', async () => {
    const secrets = openSecrets({ dataDir: place.dataDir, secretKeys: [] })
    const database = store.running.store.databases.production
    // Nobody listens there.
    const webhook = { url: 'http://127.0.0.1:9' }
    const origin = commandLineOrigin(store.clock.now)
    await createWebhook({ database, environment: 'production', secrets }, webhook, origin)
    await newPet()
    await expectAsDocumented('createPet with a webhook', await measure('/pets', { body: pet }, 201))
  })

  it('no connection prepares a statement twice', () => {
    expect(proxy.preparedTwice).toEqual([])
  })
})
