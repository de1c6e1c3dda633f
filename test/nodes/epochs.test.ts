// Versions that go backwards under running nodes: after a restore, or when a failover lost commits. The versions then
// ascend to numbers that the nodes have seen before, with another content.

import { describe, expect, it } from 'vitest'
import { backUp, restore } from '../backups/backups-in-test.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { query } from '../query.ts'
import type { RunningStore } from '../running-store.ts'
import { storeForTest } from '../store-for-test.ts'
import { connectTo } from './postgres-client.ts'

describe.each(cases(engines))('versions that go backwards on %s', (engine) => {
  it('no node serves a page of an earlier epoch', async () => {
    const place = await placeForTest(engine)
    const one = await storeForTest(place.engine, { place })
    const other = await storeForTest(place.engine, { place })
    const nodes = [one, other]
    const key = one.keys.production
    const nameOn = async (node: RunningStore): Promise<unknown> =>
      ((await node.ask('/pets/1', { key })).json as { name: string }).name
    const run = (sql: string) => query(place, 'production', sql)
    const body = { name: 'lost', categoryId: 1 }
    expect((await one.ask('/pets', { key, body })).status).toBe(201)
    // Cached from the second request on.
    for (const node of [...nodes, ...nodes, ...nodes]) expect(await nameOn(node)).toBe('lost')
    const version = (await run('select content_version as v from store_state'))[0]?.v

    await run('update store_state set content_version = content_version - 1')
    await run(`update pets set name = 'restored' where id = 1`)
    expect(await nameOn(one)).toBe('restored')
    await expect
      .poll(async () => {
        const [row] = await run('select content_version as v from store_state')
        return BigInt(row?.v as bigint) > BigInt(version as bigint)
      })
      .toBe(true)
    // Another write than the one that was lost.
    await run(`update pets set name = 'written' where id = 1`)
    await run('update store_state set content_version = content_version + 1')
    for (const node of nodes) expect(await nameOn(node)).toBe('written')
  })

  it('no node claims to have closed connections of later versions', async () => {
    const place = await placeForTest(engine)
    await storeForTest(place.engine, { place })
    const run = (sql: string) => query(place, 'publishing', sql)
    const seen = async (): Promise<bigint> =>
      BigInt((await run('select version as v from nodes'))[0]?.v as bigint)
    const version = async (): Promise<bigint> =>
      BigInt((await run('select version as v from publishing_state'))[0]?.v as bigint)
    // Above what the start of the node writes itself.
    const later = 1000n
    const withdrawAt = async (at: bigint): Promise<void> => {
      await run(
        `insert into withdrawn_hosts (version, host, at, cut) values (${at}, 'a.test', 0, 0)`,
      )
      await run(`update publishing_state set version = ${at}`)
    }
    await withdrawAt(later)
    await expect.poll(seen).toBeGreaterThanOrEqual(later)
    await run('update publishing_state set version = 500')
    await expect.poll(version).toBeGreaterThan(later)
    // A version of the new epoch is above all that the node has claimed, so that it has to look.
    const next = (await version()) + later
    expect(await seen()).toBeLessThan(next)
    await withdrawAt(next)
    await expect.poll(seen).toBeGreaterThanOrEqual(next)
  })
})

describe.runIf(engines.includes('postgres'))('a restore while a node runs on PostgreSQL', () => {
  it('starts an epoch: the node serves nothing of before', async () => {
    const place = await placeForTest('postgres')
    const node = await storeForTest(place.engine, { place })
    const add = async (name: string): Promise<void> => {
      expect((await node.ask('/pets', { body: { name, categoryId: 1 } })).status).toBe(201)
    }
    const names = async (): Promise<string[]> =>
      ((await node.ask('/pets?limit=100')).json as { name: string }[]).map(({ name }) => name)
    await add('kept')
    const { file } = await backUp(place)
    await add('lost')
    // Cached from the second request on.
    for (let i = 0; i < 3; i++) expect(await names()).toContain('lost')

    const client = await connectTo(place)
    await client.query('drop schema production, staging, publishing, limits cascade')
    await restore(place, file)
    // As many writes as were lost: without an epoch, the version would be that of the cached page.
    await client.query(`update production.pets set name = 'written' where name = 'kept';
      update production.store_state set content_version = content_version + 1`)
    const now = await names()
    expect(now).toContain('written')
    expect(now).not.toContain('lost')
  })
})
