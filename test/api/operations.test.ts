// Health checks, metrics, served hosts and request IDs.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { type RunningStore, startStore } from '../running-store.ts'

describe.each(cases(engines))('operations on %s', (engine) => {
  let store: RunningStore
  let port: number
  beforeAll(async () => {
    store = await startStore(engine, { env: { METRICS_ALLOW: '10.1.0.0/16' } })
    port = store.running.config.httpPort
  })
  afterAll(() => store.release())

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
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json',
      })
      expect((await at(path, {}, 'HEAD')).status).toBe(200)
      expect(await at(path, {}, 'OPTIONS')).toMatchObject({
        status: 204,
        headers: { allow: 'GET, HEAD, OPTIONS' },
      })
      expect(await at(path, {}, 'POST')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, OPTIONS' },
        json: { code: 'method_not_allowed' },
      })
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
    for (const name of [
      'request_seconds_bucket',
      'database_seconds_bucket',
      'cache_lookups_total',
    ]) {
      expect(text).toContain(`animal_store_${name}`)
    }
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
      'localhost',
      `localhost:${port}`,
      'LocalHost',
      'localhost.',
      '127.0.0.1',
      '[::1]:80',
      'staging.localhost',
    ]) {
      expect({ host, status: await statusAt(host, '/v1/pets') }).toEqual({ host, status: 401 })
      expect(await statusAt(host, '/healthz')).toBe(200)
    }
    for (const host of ['evil.example', 'localhost.evil.example', 'xlocalhost', '']) {
      for (const path of ['/v1/pets', '/healthz', '/metrics']) {
        const answer = await at(path, {}, 'GET', host)
        expect({ host, answer }).toMatchObject({
          answer: { status: 404, json: { code: 'route_not_found' } },
        })
      }
    }
    expect(await at('/v1/pets', {}, 'GET', 'localhost@evil.example')).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    })
  })

  it('responds to a load balancer that uses the IP address', async () => {
    expect((await at('/healthz', {}, 'GET', '10.9.8.7:8080')).status).toBe(200)
    expect((await at('/v1/pets', {}, 'GET', '10.9.8.7:8080')).status).toBe(404)
  })

  it.each([
    '/none',
    '/v1x',
    '/v2/pets',
    '/pets',
    '//v1/pets',
    '/v1',
    '/../v1/pets',
    '/healthz/',
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
      return (await Promise.all(answers)).map((answer) => answer.headers['x-request-id'])
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
  it.each([
    ['10.1.2.3', 200],
    ['8.8.8.8', 404],
    ['127.0.0.1, 8.8.8.8', 404],
    ['10.1.2.3, 8.8.8.8', 404],
    ['8.8.8.8, 10.1.2.3', 200],
    ['nonsense, 8.8.8.8', 404],
  ])('/metrics for X-Forwarded-For: %s is %i', async (forwarded, status) => {
    const env = { METRICS_ALLOW: '10.1.0.0/16', TRUSTED_PROXIES: '127.0.0.0/8' }
    const store = await startStore('sqlite', { env })
    try {
      const text = requestText('GET', '/metrics', {
        Host: 'localhost',
        'X-Forwarded-For': forwarded,
      })
      expect((await askRaw(store.running.config.httpPort, text)).status).toBe(status)
    } finally {
      await store.release()
    }
  })
})

describe('configured base URLs', () => {
  it('are used in Location and Link for any requested host', async () => {
    const env = {
      BASE_URL: 'https://api.example.com/shop/v1',
      STAGING_BASE_URL: 'https://api.example.com/test/v1',
    }
    const store = await startStore('sqlite', { env })
    try {
      const answer = await store.ask('/pets', { body: { name: 'Rex', categoryId: 1 } })
      expect(answer).toMatchObject({
        status: 201,
        headers: { location: 'https://api.example.com/shop/v1/pets/1' },
      })
      expect((await store.askStaging('/pets?limit=1')).headers.link).toMatch(
        /^<https:\/\/api\.example\.com\/test\/v1\/pets\?limit=1>; rel="first"/,
      )
      expect((await store.askStaging('/pets/1')).json).toMatchObject({ name: 'Rex' })
    } finally {
      await store.release()
    }
  })

  it('/metrics is not found if a trusted proxy does not name the client', async () => {
    const store = await startStore('sqlite', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    try {
      const text = requestText('GET', '/metrics', { Host: 'localhost', Via: '1.1 proxy' })
      expect((await askRaw(store.running.config.httpPort, text)).status).toBe(404)
    } finally {
      await store.release()
    }
  })
})
