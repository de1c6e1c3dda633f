// Authentication with an API key, which comes before all other checks.

import { describe, expect, it } from 'vitest'
import { revokeKey } from '#store/keys/keys.ts'
import { engines } from '../database.ts'
import { askRaw, openRaw, requestText } from '../raw-connection.ts'
import type { Answer } from '../running-store.ts'
import { newKey, origin, port, production, serving, store } from './serving.ts'

const challenge = 'Bearer realm="animal-store"'
const invalid = `${challenge}, error="invalid_token"`

function refusal({ status, headers, json }: Answer) {
  return { status, code: (json as { code: string }).code, challenge: headers['www-authenticate'] }
}

describe.each(engines)('authentication on %s', (engine) => {
  serving(engine)

  const withField = (authorization: string | string[]) =>
    store.ask('/pets', { key: null, headers: { authorization } })
  /** The key with another last character: the format is valid, the checksum or the secret is not. */
  const withOtherCharacter = (key: string, at: number) =>
    key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)

  it('missing_api_key: no key, or another scheme; the challenge has no error', async () => {
    const missing = { status: 401, code: 'missing_api_key', challenge }
    expect(refusal(await store.ask('/pets', { key: null }))).toEqual(missing)
    for (const field of ['Basic YTpi', 'Digest a="b"', 'Token abc', store.keys.production]) {
      expect(refusal(await withField(field))).toEqual(missing)
    }
  })

  it('invalid_api_key: any other text', async () => {
    const key = store.keys.production
    const wrong = [
      ...['', ' ', ' x', ` ${key}x`, ` ${key.slice(0, -1)}`, ` ${key} ${key}`, ` ${key},x`],
      ` "${key}"`,
      ...[3, 9, 22, key.length - 1].map((at) => ` ${withOtherCharacter(key, at)}`),
    ]
    for (const text of wrong) {
      const found = { text, ...refusal(await withField(`Bearer${text}`)) }
      expect(found).toEqual({ text, status: 401, code: 'invalid_api_key', challenge: invalid })
    }
  })

  it('invalid_api_key: two Authorization headers, also if equal, cached or not', async () => {
    const field = `Bearer ${store.keys.production}`
    await store.ask('/pets')
    for (const other of [field, 'Basic YTpi', '']) {
      const head = `Host: localhost\r\nAuthorization: ${field}\r\nAuthorization: ${other}\r\n`
      const { status, json } = await askRaw(port, `GET /v1/pets HTTP/1.1\r\n${head}\r\n`)
      expect({ status, json }).toMatchObject({ status: 401, json: { code: 'invalid_api_key' } })
    }
  })

  it('accepts the scheme in any case, and spaces around the key', async () => {
    for (const start of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR   ']) {
      expect((await withField(`${start}${store.keys.production}`)).status).toBe(200)
    }
    const head = { Host: 'localhost', aUTHORIZATION: `Bearer ${store.keys.production}  ` }
    expect((await askRaw(port, requestText('GET', '/v1/pets', head))).status).toBe(200)
  })

  it('remembers a key once, not the header that it came in', async () => {
    const key = store.keys.production
    const count = async (result: 'hit' | 'miss'): Promise<number> => {
      const text = await store.running.metrics.registry.metrics()
      const line = `animal_store_cache_lookups_total{cache="keys",result="${result}"} `
      return Number(text.split(line)[1]?.split('\n')[0] ?? 0)
    }
    expect((await store.ask('/pets')).status).toBe(200)
    const misses = await count('miss')
    for (const field of [`bearer ${key}`, `BEARER   ${key}`, `Bearer${' '.repeat(20_000)} ${key}`])
      expect((await withField(field)).status).toBe(200)
    expect(await count('miss')).toBe(misses)
    for (const field of [`Bearer ${key}x`, `Bearer ${key},${key}`, `Basic ${key}`])
      expect((await withField(field)).status).toBe(401)
  })

  it('wrong_environment, only if the secret is right', async () => {
    const expected = { status: 401, code: 'wrong_environment', challenge: invalid }
    expect(refusal(await store.ask('/pets', { key: store.keys.staging }))).toEqual(expected)
    expect(refusal(await store.askStaging('/pets', { key: store.keys.production }))).toEqual(
      expected,
    )
    const bent = withOtherCharacter(store.keys.staging, 30)
    expect(refusal(await store.ask('/pets', { key: bent })).code).toBe('invalid_api_key')
  })

  it('expired_api_key and revoked_api_key, only if the secret is right', async () => {
    const expiring = await newKey({ expiresAt: store.clock.now + 1000 })
    const revoked = await newKey()
    const ask = async (key: string) => (await store.ask('/pets', { key })) as Answer
    expect((await ask(expiring.text)).status).toBe(200)
    expect((await ask(revoked.text)).status).toBe(200)
    expect((await ask(expiring.text)).status).toBe(200)
    store.clock.now += 999
    expect((await ask(expiring.text)).status).toBe(200)
    // Only the clock shows that a cached key has expired.
    store.clock.now += 1
    const expected = { status: 401, challenge: invalid }
    expect(refusal(await ask(expiring.text))).toEqual({ ...expected, code: 'expired_api_key' })
    await revokeKey(production(), 'production', revoked.key.id, origin())
    expect(refusal(await ask(revoked.text))).toEqual({ ...expected, code: 'revoked_api_key' })
    for (const { text } of [expiring, revoked]) {
      expect(refusal(await ask(withOtherCharacter(text, 40)))).toEqual({
        ...expected,
        code: 'invalid_api_key',
      })
    }
  })

  it('ignores a key in the query or in a cookie', async () => {
    const key = store.keys.production
    for (const name of ['key', 'api_key', 'access_token', 'authorization']) {
      const response = await store.ask(`/pets?${name}=${key}`, { key: null })
      expect(refusal(response).code).toBe('missing_api_key')
    }
    const headers = { cookie: `authorization=Bearer ${key}`, 'x-api-key': key }
    expect((await store.ask('/pets', { key: null, headers })).status).toBe(401)
  })

  it.each([
    ['an unknown path', 'GET', '/nothing', {}],
    ['the base address itself', 'GET', '', {}],
    ['a malformed path', 'GET', '/%', {}],
    ['a wrong method', 'DELETE', '/pets', {}],
    ['a wrong method at the OpenAPI document', 'DELETE', '/openapi.yaml', {}],
    ['a list', 'GET', '/pets', {}],
    ['a wrong parameter', 'GET', '/pets?limit=0', {}],
    ['an animal that is not there', 'GET', '/pets/999', {}],
    ['bad JSON', 'POST', '/pets', { body: '{' }],
    ['a wrong media type', 'POST', '/pets', { body: 'x', headers: { 'content-type': 'a/b' } }],
    ['an Accept that cannot be satisfied', 'GET', '/pets', { headers: { accept: 'text/html' } }],
    ['a page that the client may have', 'GET', '/pets', { headers: { 'if-none-match': '*' } }],
  ])('401 before anything else: %s', async (_, method, path, options) => {
    const missing = await store.ask(path, { key: null, method, ...options })
    expect(refusal(missing)).toEqual({ status: 401, code: 'missing_api_key', challenge })
    const wrong = await store.ask(path, { key: 'wrong', method, ...options })
    expect(refusal(wrong).code).toBe('invalid_api_key')
    for (const { headers, json } of [missing, wrong]) {
      expect(headers['content-type']).toBe('application/json')
      const [code, message] = [expect.any(String), expect.stringMatching(/\S/)]
      expect(json).toEqual({ code, message, status: 401 })
    }
  })

  it('does not wait for the body', async () => {
    for (const field of ['Content-Length: 60000', 'Transfer-Encoding: chunked']) {
      const head = `Host: localhost\r\nContent-Type: application/json\r\n${field}\r\n`
      const { status } = await askRaw(port, `POST /v1/pets HTTP/1.1\r\n${head}\r\n`)
      expect(status).toBe(401)
    }
  })

  it('Expect: 100-continue returns 401 without a 100 and closes the connection', async () => {
    const head = { Host: 'localhost', 'Content-Type': 'application/json', Expect: '100-continue' }
    const text = requestText('POST', '/v1/pets', { ...head, 'Content-Length': '27' })
    const { status, headers } = await askRaw(port, text)
    expect({ status, connection: headers.connection }).toEqual({ status: 401, connection: 'close' })
  })

  it('Expect: 100-continue with a key returns 100, then the response', async () => {
    const connection = await openRaw(port)
    const body = '{"name":"Rex","categoryId":1}'
    connection.write(
      requestText('POST', '/v1/pets', {
        Host: 'localhost',
        Authorization: `Bearer ${store.keys.production}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Expect: '100-Continue',
      }),
    )
    expect((await connection.response())?.status).toBe(100)
    connection.write(body)
    expect((await connection.response())?.status).toBe(201)
    connection.close()
  })

  it('closes the connection during a huge body without a key', async () => {
    const connection = await openRaw(port)
    const head = { Host: 'localhost', 'Content-Type': 'a/b', 'Content-Length': '9999999' }
    connection.write(requestText('POST', '/v1/pets', head))
    expect((await connection.response())?.status).toBe(401)
    connection.write('x'.repeat(3_000_000))
    expect(await connection.rest()).toBe('')
    connection.close()
  })
})
