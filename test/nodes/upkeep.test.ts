// Upkeep of one node beside the writes of another on one PostgreSQL.
import { describe, expect, it } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { createKey } from '#store/keys/keys.ts'
import { engines } from '../database.ts'
import { startStore } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import { connectTo, countStatements, countWaiting } from './postgres-client.ts'

const lockState = 'begin; update production.store_state set id = id'

describe.runIf(engines.includes('postgres'))('upkeep beside the writes of another node', () => {
  const store = shared(() => startStore('postgres'))

  it('the last use of keys is written under that lock, too', async () => {
    expect((await store.ask('/pets')).status).toBe(200)
    const [other, observer] = [await connectTo(store.place), await connectTo(store.place)]
    await other.query(lockState)
    const upkeep = store.running.store.maintain()
    await expect.poll(() => countWaiting(observer)).toBe(1)
    await other.query('select 1 from production.api_keys for update nowait')
    await other.query('commit')
    await upkeep
    const { rows } = await other.query('select last_used_at from production.api_keys')
    expect(rows[0].last_used_at).toBe(String(store.clock.now))
  })

  it('the last use of many keys is one statement', async () => {
    const database = store.running.store.databases.production
    const origin = commandLineOrigin(store.clock.now)
    const keys = await Promise.all(
      Array.from({ length: 100 }, () => createKey(database, 'production', { label: 'k' }, origin)),
    )
    for (const { text } of keys) expect((await store.ask('/pets', { key: text })).status).toBe(200)
    const client = await connectTo(store.place)
    const statements = await countStatements(client, 'production.api_keys')
    await store.running.store.maintain()
    expect(await statements()).toBe(1)
    const { rows } = await client.query(
      `select count(*)::int as n from production.api_keys
        where last_used_at = ${store.clock.now} and label = 'k'`,
    )
    expect(rows[0].n).toBe(100)
  })

  it('a key is revoked under the lock of every write, which has no circle', async () => {
    const id = store.keys.production.split('_')[2] as string
    const [other, observer] = [await connectTo(store.place), await connectTo(store.place)]
    await other.query(lockState)
    const revoked = runCommand(store.place, ['keys', 'revoke', id, '--environment', 'production'])
    await expect.poll(() => countWaiting(observer)).toBe(1)
    const { rowCount } = await other.query(`select 1 from production.api_keys
      where id = '${id}' for update nowait`)
    expect(rowCount).toBe(1)
    await other.query('commit')
    expect((await revoked).status).toBe(0)
    expect((await store.ask('/pets')).json).toMatchObject({ code: 'revoked_api_key' })
  })
})
