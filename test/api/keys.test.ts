// API keys on the command line, from creation to revocation, with a running server of two workers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type ServedStore, serveStore } from '../served-store.ts'
import { readStoredBytes } from '../stored-bytes.ts'

const form = /^as_live_([0-9A-Za-z]{12})_[0-9A-Za-z]{49}\n$/

describe.each(cases(engines))('API keys on %s', (engine) => {
  let store: ServedStore
  const made: string[] = []
  const outputs: string[] = []
  beforeAll(async () => {
    store = await serveStore(engine, { WORKERS: '2', LOG_LEVEL: 'trace' })
  })
  afterAll(() => store.release())

  async function keys(...words: string[]) {
    const result = await store.command('keys', ...words, '--environment', 'production')
    if (words[0] === 'list') outputs.push(result.stdout)
    outputs.push(result.stderr)
    return result
  }

  /** Standard output must be exactly one line: the key. */
  async function make(...words: string[]): Promise<{ key: string; id: string }> {
    const { status, stdout, stderr } = await keys(...words)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(form)
    made.push(stdout.trim())
    return { key: stdout.trim(), id: form.exec(stdout)?.[1] ?? '' }
  }

  /** The statuses of all workers: each request uses a new connection. */
  async function statuses(key: string): Promise<string[]> {
    const answers = await Promise.all(Array.from({ length: 6 }, () => store.ask('/pets', { key })))
    return [
      ...new Set(
        answers.map(({ status, json }) => `${status} ${(json as { code?: string }).code}`),
      ),
    ]
  }

  it('create: works at once on every worker', async () => {
    const { key } = await make('create', '--label', 'till 1')
    expect(await statuses(key)).toEqual(['200 undefined'])
  })

  it('revoke: refused at the next request on every worker', async () => {
    const { key, id } = await make('create', '--label', 'lost')
    expect(await statuses(key)).toEqual(['200 undefined'])
    expect(await keys('revoke', id)).toEqual({ status: 0, stdout: `Revoked ${id}.\n`, stderr: '' })
    expect(await statuses(key)).toEqual(['401 revoked_api_key'])
    const again = await keys('revoke', id)
    expect(again).toMatchObject({ status: 1, stdout: '' })
    expect(again.stderr).toMatch(/^animal-store: .*\n$/)
  })

  it('rotate: the old key works during the overlap, not without one', async () => {
    const first = await make('create', '--label', 'partner', '--scopes', 'pets:read')
    const second = await make('rotate', first.id, '--overlap', '1h')
    expect(await statuses(first.key)).toEqual(['200 undefined'])
    expect(await statuses(second.key)).toEqual(['200 undefined'])
    const third = await make('rotate', second.key, '--overlap', '0s')
    expect(await statuses(second.key)).toEqual(['401 expired_api_key'])
    expect(await statuses(first.key)).toEqual(['200 undefined'])
    expect((await store.ask('/pets', { key: third.key, body: {} })).status).toBe(403)
    for (const inactive of [second.id, 'unknown']) {
      const stderr = `animal-store: there is no active key ${inactive}\n`
      expect(await keys('rotate', inactive)).toEqual({ status: 1, stdout: '', stderr })
    }
  })

  it('rotate: the new key has the lifetime of the old one', async () => {
    const first = await make('create', '--label', 'temporary', '--expires', '30d')
    const second = await make('rotate', first.id)
    const listed = JSON.parse((await keys('list', '--json')).stdout) as {
      id: string
      createdAt: string
      expiresAt: string
    }[]
    const found = listed.find(({ id }) => id === second.id)
    const life = Date.parse(found?.expiresAt ?? '') - Date.parse(found?.createdAt ?? '')
    expect(life).toBe(30 * 24 * 3600 * 1000)
  })

  it('--scopes: other operations are refused', async () => {
    const writer = await make('create', '--label', 'import', '--scopes', 'pets:write')
    const body = { name: 'Rex', categoryId: 1 }
    expect((await store.ask('/pets', { key: writer.key, body })).status).toBe(201)
    await store.ask('/pets')
    for (const path of ['/pets', '/pets/1']) {
      const answer = await store.ask(path, { key: writer.key })
      expect(answer).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
    }
  })

  it('--rate-limit: applies to this key only', async () => {
    const { key } = await make('create', '--label', 'slow', '--rate-limit', '2/1h')
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await store.ask('/pets', { key })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('list: all keys with their status, as a table and as JSON', async () => {
    const table = await keys('list')
    expect(table.status).toBe(0)
    expect(table.stdout.split('\n')[0]).toMatch(
      /ID +STATUS +LABEL +PERMISSIONS +CREATED +EXPIRES +LAST USED/,
    )
    expect(table.stdout).toMatch(/ revoked +lost /)
    const { stdout } = await keys('list', '--json')
    const list = JSON.parse(stdout) as { id: string; label: string; state: string }[]
    const states = list.map(({ label, state }) => `${label}: ${state}`)
    expect(states).toEqual(
      expect.arrayContaining([
        'first key: active',
        'lost: revoked',
        'partner: active',
        'partner: expired',
      ]),
    )
    expect(list.find(({ label }) => label === 'import')).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      label: 'import',
      state: 'active',
      scopes: ['pets:write'],
      rateLimit: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: expect.toSatisfy((at) => at === null || /Z$/.test(at)),
    })
  })

  it('create --json and --expires', async () => {
    const { stdout } = await keys('create', '--label', 'short', '--expires', '90d', '--json')
    const { key, ...rest } = JSON.parse(stdout) as {
      key: string
      expiresAt: string
      createdAt: string
    }
    made.push(key)
    expect(`${key}\n`).toMatch(form)
    expect(Date.parse(rest.expiresAt) - Date.parse(rest.createdAt)).toBe(90 * 24 * 3_600_000)
    expect(await statuses(key)).toEqual(['200 undefined'])
  })

  it('no key is in a list, a log or the database', async () => {
    made.push(store.keys.production, store.keys.staging)
    expect(made.length).toBeGreaterThan(8)
    expect(store.process.log()).toMatch(/"operation":"listPets"/)
    const stored = await readStoredBytes(store.place)
    expect(stored.length).toBeGreaterThan(1000)
    const everything = [...outputs, store.process.log(), stored].join('\n')
    for (const key of made) {
      const [, id = '', secret = ''] = /^as_\w{4}_(\w{12})_(\w+)$/.exec(key) ?? []
      expect(stored).toContain(id)
      expect(everything).not.toContain(secret)
      expect(everything).not.toContain(secret.slice(0, 20))
    }
  })
})
