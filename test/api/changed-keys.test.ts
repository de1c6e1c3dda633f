// A key that changes counts from the next request on, also for writes of a process that remembers it as it was.

import { beforeAll, describe, expect, it } from 'vitest'
import { findKey } from '#store/keys/authenticate.ts'
import { changeKey, revokeKey } from '#store/keys/keys.ts'
import type { Scope } from '#store/keys/scopes.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import type { AskOptions } from '../running-store.ts'
import { countAt, newKey, origin, production, serving, store } from './serving.ts'

const pet = { name: 'Rex', categoryId: 1 }

describe.each(cases(engines))('on %s, a key', (engine) => {
  serving(engine)
  beforeAll(() => store.ask('/pets', { body: pet }))

  /** Known to the process, as it is. */
  async function createKnownKey(given: { scopes?: Scope[]; rateLimit?: string } = {}) {
    const { key, text } = await newKey(given)
    await store.ask('/pets', { key: text })
    return { key: text, id: key.id }
  }

  const csv = { 'content-type': 'text/csv' }
  const writes: [string, string, AskOptions][] = [
    ['create', '/pets', { body: pet }],
    ['patch', '/pets/1', { method: 'PATCH', body: { name: 'Max' } }],
    ['delete', '/pets/1', { method: 'DELETE' }],
    ['order', '/store/orders', { body: { petId: 1 } }],
    ['refused write', '/store/orders/99/approve', { method: 'POST' }],
    ['invalid body', '/pets', { body: { name: '' } }],
    ['unknown path', '/nothing', { body: pet }],
    [
      'dry run of an import',
      '/pets/import?dryRun=true',
      { body: 'name,categoryId\nA,1', headers: csv },
    ],
  ]
  it.each(writes)('that is revoked is refused for a %s', async (_, path, asked) => {
    const { id, key } = await createKnownKey()
    const before = await countAt()
    await revokeKey(production(), 'production', id, origin())
    const { json } = await store.ask(path, { ...asked, key })
    expect(json).toMatchObject({ status: 401, code: 'revoked_api_key' })
    expect(await countAt()).toBe(before)
    expect((await store.ask('/pets/1')).json).toMatchObject({ name: 'Rex', status: 'available' })
  })

  it('that is revoked is refused before its scopes are looked at', async () => {
    const { id, key } = await createKnownKey({ scopes: ['pets:read'] })
    expect((await store.ask('/pets', { key, body: pet })).status).toBe(403)
    await revokeKey(production(), 'production', id, origin())
    expect((await store.ask('/pets', { key, body: pet })).status).toBe(401)
  })

  it('that expires is refused for a write', async () => {
    const expiresAt = store.clock.now + 1000
    const { text: key } = await newKey({ expiresAt })
    expect((await store.ask('/pets', { key, body: pet })).status).toBe(201)
    store.clock.now = expiresAt
    expect((await store.ask('/pets', { key, body: pet })).status).toBe(401)
  })

  const limited: [string, AskOptions, number][] = [
    ['write', { body: pet }, 201],
    ['read', {}, 200],
  ]
  it.each(limited)(
    'whose rate limit is raised, set or removed has it in the next %s',
    async (...given) => {
      const [, asked, done] = given
      const { id, key } = await createKnownKey({ rateLimit: '2/1h' })
      const ask = async () => {
        const { headers, status } = await store.ask('/pets', { key, ...asked })
        return [status, headers['ratelimit-policy']]
      }
      const limit = async (rateLimit: string | null) =>
        await changeKey(production(), 'production', id, { rateLimit }, origin())
      expect(await ask()).toEqual([done, '"default";q=2;w=3600'])
      expect(await ask()).toEqual([429, '"default";q=2;w=3600'])
      // A longer window has room left.
      await limit('100/2h')
      expect((await ask())[0]).toBe(done)
      await limit(null)
      expect((await ask())[0]).toBe(done)
      await limit('1/1h')
      store.clock.now += 7_200_000
      expect(await ask()).toEqual([done, '"default";q=1;w=3600'])
      expect(await ask()).toEqual([429, '"default";q=1;w=3600'])
    },
  )

  it('notes the use of a write that its transaction has confirmed', async () => {
    const { id, key } = await createKnownKey()
    store.clock.now += 5000
    expect((await store.ask('/pets', { key, body: pet })).status).toBe(201)
    await store.running.store.maintain()
    expect((await findKey(production().read, id))?.lastUsedAt).toBe(store.clock.now)
  })
})
