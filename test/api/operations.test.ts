// Health checks, metrics, served hosts and request IDs.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { refusal } from '../running-store.ts'
import { port, serving, store } from './serving.ts'

describe.each(cases(engines))('operations on %s', (engine) => {
  serving(engine, { env: { METRICS_ALLOW: '10.1.0.0/16' } })

  /** A request to a path outside the base URLs. */
  const at = (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    host = 'localhost',
  ) => askRaw(port, requestText(method, path, { Host: host, ...headers }), method === 'HEAD')

  it('/healthz and /readyz', async () => {
    expect(await at('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect(await at('/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } })
    for (const path of ['/healthz', '/readyz']) {
      const { headers } = await at(path)
      const type = 'application/json'
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': type })
      expect((await at(path, {}, 'HEAD')).status).toBe(200)
      const allowed = { headers: { allow: 'GET, HEAD, OPTIONS' } }
      expect(await at(path, {}, 'OPTIONS')).toMatchObject({ status: 204, ...allowed })
      const json = { code: 'method_not_allowed' }
      expect(await at(path, {}, 'POST')).toMatchObject({ status: 405, ...allowed, json })
    }
  })

  it('/metrics counts by operation and status, without API keys', async () => {
    const before = await at('/metrics')
    expect(before.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    for (let i = 0; i < 3; i++) await store.ask('/pets')
    await store.ask('/pets?limit=0')
    await store.ask('/pets/1')
    await store.askStaging('/pets/1')
    const { text, headers } = await at('/metrics')
    expect(headers['x-request-id']).toMatch(/\S/)
    const id = store.keys.staging.split('_')[2]
    for (const line of [
      'animal_store_requests_total{environment="production",operation="listPets",status="200"} 3',
      'animal_store_requests_total{environment="production",operation="listPets",status="400"} 1',
      'animal_store_requests_total{environment="production",operation="getPet",status="404"} 1',
      `animal_store_deprecated_calls_total{environment="staging",operation="getPet",key_id="${id}"} 1`,
    ]) {
      expect(text).toContain(line)
    }
    for (const name of ['request_seconds_bucket', 'database_seconds_bucket', 'cache_lookups_total'])
      expect(text).toContain(`animal_store_${name}`)
    expect(text).toContain('nodejs_eventloop_lag')
    expect(text).not.toContain(store.keys.staging.split('_')[3])
  })

  it('/metrics is not found through an unknown proxy', async () => {
    for (const headers of [
      { 'X-Forwarded-For': '8.8.8.8' },
      { 'X-Forwarded-For': '127.0.0.1' },
      { 'X-Forwarded-For': '10.1.2.3' },
      { Forwarded: 'for=127.0.0.1' },
      { Via: '1.1 proxy' },
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const { status, head } = await at('/metrics', headers, method)
        expect(status).toBe(404)
        expect(head).not.toMatch(/Allow:/i)
      }
    }
  })

  it('serves the API only at its hosts', async () => {
    const statusAt = async (host: string, path: string) => (await at(path, {}, 'GET', host)).status
    for (const host of [
      ...['localhost', `localhost:${port}`, 'LocalHost', 'localhost.', '127.0.0.1', '[::1]:80'],
      'staging.localhost',
    ]) {
      expect({ host, status: await statusAt(host, '/v1/pets') }).toEqual({ host, status: 401 })
      expect(await statusAt(host, '/healthz')).toBe(200)
    }
    for (const host of ['evil.example', 'localhost.evil.example', 'xlocalhost', '']) {
      for (const path of ['/v1/pets', '/healthz', '/metrics']) {
        const response = await at(path, {}, 'GET', host)
        expect({ host, response }).toMatchObject({
          response: { status: 404, json: { code: 'route_not_found' } },
        })
      }
    }
    expect(await at('/v1/pets', {}, 'GET', 'localhost@evil.example')).toMatchObject(
      refusal(400, 'invalid_request'),
    )
  })

  it('responds to a load balancer that uses the IP address', async () => {
    expect((await at('/healthz', {}, 'GET', '10.9.8.7:8080')).status).toBe(200)
    expect((await at('/v1/pets', {}, 'GET', '10.9.8.7:8080')).status).toBe(404)
  })

  it.each([
    ...['/none', '/v1x', '/v2/pets', '/pets', '//v1/pets', '/v1', '/../v1/pets', '/healthz/'],
    '/favicon.ico',
  ])('nothing is served at %s', async (path) => {
    const { status, json } = await at(path)
    expect([401, 404]).toContain(status)
    expect(json).toMatchObject({ status })
  })

  it('returns a valid request ID, and generates one otherwise', async () => {
    const ids = async (sent: string | undefined) => {
      const headers = sent === undefined ? {} : { 'x-request-id': sent }
      const answers = [
        store.ask('/pets', { headers }),
        store.ask('/none', { headers }),
        store.ask('/pets', { headers, key: null }),
      ]
      return (await Promise.all(answers)).map((response) => response.headers['x-request-id'])
    }
    for (const id of ['a', 'A-1_b.c:d', 'x'.repeat(128), crypto.randomUUID()]) {
      expect(await ids(id)).toEqual([id, id, id])
    }
    for (const id of ['', 'x'.repeat(129), 'a b', 'a,b', '<script>', 'é', undefined]) {
      const given = await ids(id)
      expect(new Set(given).size).toBe(3)
      for (const own of given) expect(own).toMatch(/^[\w-]{8,}$/)
      expect(given).not.toContain(id)
    }
  })
})

describe('behind a trusted proxy', () => {
  const api = 'https://api.example.com'
  serving('sqlite', {
    env: {
      ...{ METRICS_ALLOW: '10.1.0.0/16', TRUSTED_PROXIES: '127.0.0.0/8' },
      ...{ BASE_URL: `${api}/shop/v1`, STAGING_BASE_URL: `${api}/test/v1` },
    },
  })

  it.each([
    [200, 'X-Forwarded-For', '10.1.2.3'],
    [404, 'X-Forwarded-For', '8.8.8.8'],
    [404, 'X-Forwarded-For', '127.0.0.1, 8.8.8.8'],
    [404, 'X-Forwarded-For', '10.1.2.3, 8.8.8.8'],
    [200, 'X-Forwarded-For', '8.8.8.8, 10.1.2.3'],
    [404, 'X-Forwarded-For', 'nonsense, 8.8.8.8'],
    // It does not name the client.
    [404, 'Via', '1.1 proxy'],
  ])('/metrics is %i for %s: %s', async (status, name, value) => {
    const text = requestText('GET', '/metrics', { Host: 'localhost', [name]: value })
    expect((await askRaw(port, text)).status).toBe(status)
  })

  it('configured base URLs are used in Location and Link for any requested host', async () => {
    const { headers, status } = await store.ask('/pets', { body: { name: 'Rex', categoryId: 1 } })
    expect([status, headers.location]).toEqual([201, `${api}/shop/v1/pets/1`])
    expect((await store.askStaging('/pets?limit=1')).headers.link).toMatch(
      /^<https:\/\/api\.example\.com\/test\/v1\/pets\?limit=1>; rel="first"/,
    )
    expect((await store.askStaging('/pets/1')).json).toMatchObject({ name: 'Rex' })
  })
})
