// API keys on the command line, from creation to revocation, with a running server of two workers. Its log at the lowest
// level contains no API key, body or query; every line is JSON.

import { describe, expect, it } from 'vitest'
import { type LogEvent, logEvents } from '#kit/log.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { openRaw } from '../raw-connection.ts'
import { refusal } from '../running-store.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import { served, servingWorkers } from './serving.ts'

const form = /^as_live_([0-9A-Za-z]{12})_[0-9A-Za-z]{49}\n$/

interface Times {
  createdAt: string
  expiresAt: string
}
const lifetime = (times?: Times) =>
  Date.parse(times?.expiresAt ?? '') - Date.parse(times?.createdAt ?? '')

const secret = 'Zebra4711'

const isIn = (list: readonly string[], name: string): boolean => list.includes(name)

describe.each(cases(engines))('API keys on %s', (engine) => {
  const made: string[] = []
  const outputs: string[] = []
  servingWorkers(engine, { LOG_LEVEL: 'trace' })

  async function keys(...words: string[]) {
    const result = await served.command('keys', ...words, '--environment', 'production')
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
    const answers = await Promise.all(Array.from({ length: 6 }, () => served.ask('/pets', { key })))
    const codes = answers.map(({ status, json }) => [status, (json as { code?: string }).code])
    return [...new Set(codes.map((one) => one.join(' ').trim()))]
  }

  it('create: works at once on every worker', async () => {
    const { key } = await make('create', '--label', 'till 1')
    expect(await statuses(key)).toEqual(['200'])
  })

  it('revoke: refused at the next request on every worker', async () => {
    const { key, id } = await make('create', '--label', 'lost')
    expect(await statuses(key)).toEqual(['200'])
    expect(await keys('revoke', id)).toEqual({ status: 0, stdout: `Revoked ${id}.\n`, stderr: '' })
    expect(await statuses(key)).toEqual(['401 revoked_api_key'])
    const again = await keys('revoke', id)
    expect(again).toMatchObject({ status: 1, stdout: '' })
    expect(again.stderr).toMatch(/^animal-store: .*\n$/)
  })

  it('rotate: the old key works during the overlap, not without one', async () => {
    const first = await make('create', '--label', 'partner', '--scopes', 'pets:read')
    const second = await make('rotate', first.id, '--overlap', '1h')
    expect(await statuses(first.key)).toEqual(['200'])
    expect(await statuses(second.key)).toEqual(['200'])
    const third = await make('rotate', second.key, '--overlap', '0s')
    expect(await statuses(second.key)).toEqual(['401 expired_api_key'])
    expect(await statuses(first.key)).toEqual(['200'])
    expect((await served.ask('/pets', { key: third.key, body: {} })).status).toBe(403)
    for (const inactive of [second.id, 'unknown']) {
      const stderr = `animal-store: there is no active key ${inactive}\n`
      expect(await keys('rotate', inactive)).toEqual({ status: 1, stdout: '', stderr })
    }
  })

  it('rotate: the new key has the lifetime of the old one', async () => {
    const first = await make('create', '--label', 'temporary', '--expires', '30d')
    const second = await make('rotate', first.id)
    const listed = JSON.parse((await keys('list', '--json')).stdout) as (Times & { id: string })[]
    expect(lifetime(listed.find(({ id }) => id === second.id))).toBe(30 * 24 * 3_600_000)
  })

  it('--scopes: other operations are refused', async () => {
    const writer = await make('create', '--label', 'import', '--scopes', 'pets:write')
    const body = { name: 'Rex', categoryId: 1 }
    expect((await served.ask('/pets', { key: writer.key, body })).status).toBe(201)
    await served.ask('/pets')
    for (const path of ['/pets', '/pets/1']) {
      const response = await served.ask(path, { key: writer.key })
      expect(response).toMatchObject(refusal(403, 'insufficient_scope'))
    }
  })

  it('--rate-limit: applies to this key only', async () => {
    const { key } = await make('create', '--label', 'slow', '--rate-limit', '2/1h')
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await served.ask('/pets', { key })).status)
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
    for (const state of [
      'first key: active',
      'lost: revoked',
      'partner: active',
      'partner: expired',
    ])
      expect(states).toContain(state)
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
    const { key, ...times } = JSON.parse(stdout) as Times & { key: string }
    made.push(key)
    expect(`${key}\n`).toMatch(form)
    expect(lifetime(times)).toBe(90 * 24 * 3_600_000)
    expect(await statuses(key)).toEqual(['200'])
  })

  it('no key is in a list, a log or the database', async () => {
    made.push(served.keys.production, served.keys.staging)
    expect(made.length).toBeGreaterThan(8)
    expect(served.log()).toMatch(/"operation":"listPets"/)
    const stored = await readStoredBytes(served.place)
    expect(stored.length).toBeGreaterThan(1000)
    const everything = [...outputs, served.log(), stored].join('\n')
    for (const key of made) {
      const [, id = '', secret = ''] = /^as_\w{4}_(\w{12})_(\w+)$/.exec(key) ?? []
      expect(stored).toContain(id)
      expect(everything).not.toContain(secret)
      expect(everything).not.toContain(secret.slice(0, 20))
    }
  })

  it('the log has a line for each request, without its content', async () => {
    const { production, staging } = served.keys
    const body = { name: secret, categoryId: 1 }
    const named = { 'x-request-id': 'created-1', cookie: secret, 'user-agent': secret }
    const headers = { 'idempotency-key': secret, ...named }
    expect((await served.ask('/pets', { body, headers })).status).toBe(201)
    await served.ask(`/pets?note=${secret}&limit=1`)
    await served.ask(`/pets?cursor=${secret}`)
    await served.ask(`/pets?status=${secret}`, { headers: { 'x-request-id': 'refused-1' } })
    await served.ask('/pets', { body: `{"name":"${secret}"` })
    await served.ask('/pets', { body: { name: secret.repeat(50), categoryId: secret } })
    await served.ask('/pets', { key: staging })
    await served.ask('/pets', { key: `${production.slice(0, -1)}!` })
    await served.ask(`/pets?access_token=${production}`, { key: null })
    await served.ask(`/${secret}`)
    await served.ask(`/pets/${secret}`)
    await served.ask('/pets', { headers: { host: `${secret}.example` } })
    const connection = await openRaw(served.port)
    connection.write(
      `GET /v1/pets?${secret} HTTP/9.9\r\nAuthorization: Bearer ${production}\r\n\r\n`,
    )
    await connection.response()
    connection.close()
    expect((await served.ask('/pets')).status).toBe(200)
    for (let i = 0; i < 8; i++) {
      await served.ask('/pets', { headers: { 'x-request-id': `read-${i}` } })
    }
    expect(await served.end('SIGTERM')).toBe(0)

    const log = served.log()
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.find(({ requestId }) => requestId === 'created-1')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      requestId: 'created-1',
      environment: 'production',
      operation: 'createPet',
      method: 'POST',
      status: 201,
      keyId: production.split('_')[2],
      milliseconds: expect.any(Number),
      event: 'request.finished',
      msg: 'request',
    })
    for (const { event, level, msg, time, ...fields } of lines) {
      const listed = logEvents[event as LogEvent]
      expect(listed?.levels, String(event)).toContain(level)
      expect(Object.keys(fields).filter((name) => !isIn(listed.fields, name))).toEqual([])
      expect([typeof msg, typeof time]).toEqual(['string', 'string'])
    }
    expect(lines.find(({ requestId }) => requestId === 'refused-1')).toMatchObject({ status: 400 })
    // Includes cached pages.
    expect(lines.filter(({ requestId }) => /^read-/.test(String(requestId)))).toHaveLength(8)
    expect(log.toLowerCase()).not.toContain(secret.toLowerCase())
    for (const key of [production, staging]) expect(log).not.toContain(key.slice(21, 40))
    expect(log).not.toMatch(/authorization|bearer|cookie/i)
  })
})
