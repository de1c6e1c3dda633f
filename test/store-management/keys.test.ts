// API keys over the management API: shown once, valid and revoked immediately.
import { describe, expect, it } from 'vitest'
import type { ApiKey } from '#store/keys/routes.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { walkPages } from '../walk-pages.ts'
import { managing, store } from './store-in-test.ts'

type Issued = ApiKey & { key: string }

const minute = 60_000

describe.each(engines)('API keys on %s', (engine) => {
  managing(engine)

  const create = (body: object) => store.send<Issued>('POST', '/keys', body, 201)
  const statusWith = async (key: string) => (await store.store.ask('/pets?limit=1', { key })).status
  const listed = async (id: string) =>
    (await store.get<{ items: ApiKey[] }>('/keys')).items.find((key) => key.id === id)

  it('are created, shown once, and valid immediately, until the requested time', async () => {
    const expiresAt = new Date(store.store.clock.now + minute).toISOString()
    const made = await create({ label: 'shop', scopes: ['pets:read'], expiresAt })
    expect(made).toMatchObject({ label: 'shop', state: 'active', hasAllScopes: false, expiresAt })
    expect(await statusWith(made.key)).toBe(200)
    const write = await store.store.ask('/pets', { key: made.key, body: {} })
    expect(write.json).toMatchObject({ code: 'insufficient_scope' })
    const list = await store.manage('/keys')
    expect(list.text).toContain(made.id)
    expect(list.text).not.toContain(made.key)
    expect(list.text).not.toMatch(/as_live_|secret|hash/i)
    store.pass(minute)
    expect(await statusWith(made.key)).toBe(401)
  })

  it('are revoked immediately, and stay in the list', async () => {
    const made = await create({ label: 'to revoke' })
    expect(await statusWith(made.key)).toBe(200)
    const revoke = () => store.manage(`/keys/${made.id}`, { method: 'DELETE' })
    expect((await revoke()).status).toBe(204)
    expect(await statusWith(made.key)).toBe(401)
    expect(await listed(made.id)).toMatchObject({ state: 'revoked' })
    expect(await revoke()).toMatchObject(refusal(404, 'key_not_found'))
  })

  it('are rotated with an overlap', async () => {
    const old = await create({ label: 'to rotate', scopes: ['orders:read', 'pets:read'] })
    const path = `/keys/${old.id}/rotate`
    const next = await store.send<Issued>('POST', path, { overlapSeconds: 60 }, 201)
    expect(next).toMatchObject({ label: 'to rotate', scopes: ['orders:read', 'pets:read'] })
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([200, 200])
    store.pass(minute)
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([401, 200])
    expect(await listed(old.id)).toMatchObject({ state: 'expired' })
  })

  it('have their own rate limit, which can be changed', async () => {
    const made = await create({ label: 'limited', rateLimit: '1/1h' })
    expect([await statusWith(made.key), await statusWith(made.key)]).toEqual([200, 429])
    const free = { label: 'free', rateLimit: null }
    expect(await store.send<ApiKey>('PATCH', `/keys/${made.id}`, free)).toMatchObject(free)
    expect(await statusWith(made.key)).toBe(200)
  })

  it.each([
    [{}, 'label'],
    [{ label: '' }, 'label'],
    [{ label: 'a\u0007' }, 'label'],
    [{ label: 'x', scopes: ['pets:eat'] }, 'scopes[0]'],
    [{ label: 'x', scopes: [] }, 'scopes'],
    [{ label: 'x', rateLimit: 'lots' }, 'rateLimit'],
    [{ label: 'x', expiresAt: '2026-01-01T00:00:00Z' }, 'expiresAt'],
    [{ label: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
  ])('are refused with the field: %j', async (body, path) => {
    const refused = await store.manage('/keys', { body })
    expect(refused).toMatchObject(refusal(400, 'invalid_body', path))
  })

  it('show their last use, and deprecated calls', async () => {
    const made = await create({ label: 'old-fashioned' })
    for (const path of ['/pets/1', '/pets/1', '/pets/x']) {
      await store.store.ask(path, { key: made.key })
    }
    await store.store.running.store.maintain()
    const now = new Date(store.store.clock.now).toISOString()
    expect(await listed(made.id)).toMatchObject({
      lastUsedAt: now,
      deprecatedCalls: 3,
      deprecatedAt: now,
    })
    const modern = await create({ label: 'modern' })
    await store.store.ask('/pets?id=1', { key: modern.key })
    await store.store.running.store.maintain()
    expect(await listed(modern.id)).toMatchObject({ deprecatedCalls: 0, deprecatedAt: null })
  })

  it('are listed newest first, each once', async () => {
    const all = (await store.get<{ items: ApiKey[] }>('/keys')).items.map(({ id }) => id)
    const walked = (await walkPages<ApiKey>(store.get, '/keys?limit=2')).flat()
    expect(walked.map(({ id }) => id)).toEqual(all)
    expect(await store.manage('/keys?before=unknown')).toMatchObject(refusal(404, 'key_not_found'))
  })
})
