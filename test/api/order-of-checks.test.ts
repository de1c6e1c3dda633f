// The error for a request with several faults: 401, then 404 and 405, 403, 429, 406, 415, 413, 400.

import { beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import type { AskOptions } from '../running-store.ts'
import { newKey, serving, store } from './serving.ts'

describe.each(cases(engines))('the order of checks on %s', (engine) => {
  const keys = { reader: '', spent: '' }
  serving(engine)
  beforeAll(async () => {
    keys.reader = (await newKey({ scopes: ['pets:read'], rateLimit: '1/1h' })).text
    keys.spent = (await newKey({ rateLimit: '1/1h' })).text
    for (const key of [keys.reader, keys.spent]) await store.ask('/pets', { key })
  })

  const tooLong = `[${' '.repeat(70_000)}`
  const accept = { accept: 'text/html' }
  const type = { 'content-type': 'text/plain' }
  const coding = { 'content-encoding': 'gzip' }
  const headers = { ...accept, ...type, ...coding }
  const bad: AskOptions = { method: 'POST', body: tooLong, headers }

  it.each<[string, string, () => AskOptions]>([
    ['401 missing_api_key', '/nothing', () => ({ ...bad, key: null })],
    ['404 route_not_found', '/nothing', () => ({ ...bad, key: keys.reader })],
    ['405 method_not_allowed', '/pets/x', () => ({ ...bad, key: keys.reader })],
    ['403 insufficient_scope', '/pets?limit=0', () => ({ ...bad, key: keys.reader })],
    ['429 rate_limited', '/pets?limit=0', () => ({ ...bad, key: keys.spent })],
    ['406 not_acceptable', '/pets?limit=0', () => bad],
    [
      '415 unsupported_content_encoding',
      '/pets',
      () => ({ ...bad, headers: { ...type, ...coding } }),
    ],
    ['415 unsupported_media_type', '/pets', () => ({ ...bad, headers: type })],
    ['413 body_too_large', '/pets', () => ({ ...bad, headers: {} })],
    ['400 malformed_json', '/pets', () => ({ body: '[' })],
    ['406 not_acceptable', '/pets?limit=0', () => ({ headers: accept })],
    ['429 rate_limited', '/pets?limit=0', () => ({ key: keys.spent, headers: accept })],
    ['406 not_acceptable', '/pets/999', () => ({ headers: accept })],
    ['400 invalid_parameter', '/pets?limit=0&cursor=x', () => ({})],
  ])('%s at %s', async (expected, path, options) => {
    const { status, headers, json } = await store.ask(path, options())
    expect(`${status} ${(json as { code: string }).code}`).toBe(expected)
    expect(json).toMatchObject({ status, message: expect.any(String) })
    expect(headers['content-type']).toBe('application/json')
  })

  it('403 names the missing scope', async () => {
    const { headers } = await store.ask('/pets', { key: keys.reader, body: {} })
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="pets:write"',
    )
  })

  it('401, 403, 404 and 405 do not count towards the rate limit', async () => {
    const { text } = await newKey({ scopes: ['pets:read'], rateLimit: '1/1h' })
    for (const method of ['POST', 'DELETE']) {
      expect([403, 405]).toContain((await store.ask('/pets', { key: text, method })).status)
    }
    expect((await store.ask('/nothing', { key: text })).status).toBe(404)
    expect((await store.ask('/pets', { key: text })).status).toBe(200)
    expect((await store.ask('/pets', { key: text })).status).toBe(429)
  })
})
