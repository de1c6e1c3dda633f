// HTTP: methods, content negotiation, limits, CORS and malformed requests. Every error has the Error schema.
// Time-outs: test/faults/slow-clients.test.ts.

import { METHODS } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askRaw, openRaw, type RawAnswer } from '../raw-connection.ts'
import { createdId, fields, port, serving, store } from './serving.ts'

const shop = 'https://shop.example.com'

/** The schema of every error. */
function expectError(response: Pick<RawAnswer, 'status' | 'headers' | 'json'>, expected: string) {
  const { status, headers, json } = response
  expect(`${status} ${(json as { code: string } | undefined)?.code}`).toBe(expected)
  expect(json).toMatchObject({ status, message: expect.any(String) })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': expect.stringMatching(/\S/),
  })
}

describe.each(cases(engines))('HTTP on %s', (engine) => {
  serving(engine, { env: { CORS_ORIGINS: `${shop},http://localhost:3000` } })

  describe('methods', () => {
    it('returns 405 with Allow for every other method', async () => {
      const others = METHODS.filter((m) => !/^(GET|HEAD|POST|OPTIONS|CONNECT)$/.test(m))
      expect(others).toEqual(expect.arrayContaining(['QUERY', 'TRACE', 'PATCH', 'PROPFIND']))
      for (const method of others) {
        const response = await store.ask('/pets', { method })
        expectError(response, '405 method_not_allowed')
        expect(response.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
        expect((await store.ask('/pets', { method, key: null })).status).toBe(401)
      }
      expectError(await store.ask('/%70ets', { method: 'DELETE' }), '405 method_not_allowed')
    })

    it('returns 404 or 405 for any body', async () => {
      for (const [body = '', type = ''] of [
        ...[['{', 'application/json'], ['x', 'text/plain'], ['x'], [' '.repeat(100_000)]],
      ]) {
        for (const method of ['PUT', 'DELETE', 'PATCH', 'QUERY', 'PROPFIND', 'POST']) {
          const options = { method, body, headers: { 'content-type': type } }
          expectError(await store.ask('/none', options), '404 route_not_found')
          if (method === 'POST') continue
          const response = await store.ask('/pets', options)
          expectError(response, '405 method_not_allowed')
          expect(response.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
        }
      }
    })

    it.each(['CONNECT localhost:80', 'FOO /v1/pets', 'GET pets', 'GET ftp://a/b'])(
      '400: %s',
      async (line) => {
        expectError(await askRaw(port, `${line} HTTP/1.1\r\n${fields}\r\n`), '400 invalid_request')
      },
    )

    it('HEAD has the headers of GET and no body, also for errors', async () => {
      for (const path of ['/pets', '/pets/1', '/pets?limit=0', '/openapi.json', '/openapi.yaml']) {
        const get = await store.askStaging(path)
        const head = await store.askStaging(path, { method: 'HEAD' })
        const plain = ({ date: _, 'x-request-id': __, ...rest }: Record<string, string>) => rest
        expect(plain(head.headers)).toEqual(plain(get.headers))
        expect([head.status, head.text]).toEqual([get.status, ''])
        expect(get.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
      }
    })

    it('OPTIONS * asks about the server', async () => {
      const response = await askRaw(port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
      expect([response.status, response.text]).toEqual([204, ''])
    })

    it('OPTIONS returns the allowed methods without an API key', async () => {
      const allow = async (path: string) => {
        const { status, headers, text } = await store.ask(path, { method: 'OPTIONS', key: null })
        return `${status} ${headers.allow} ${text}`
      }
      expect(await allow('/pets')).toBe('204 GET, HEAD, OPTIONS, POST ')
      expect(await allow('/pets/1')).toBe('204 DELETE, GET, HEAD, OPTIONS, PATCH ')
      expect(await allow('/openapi.json')).toBe('204 GET, HEAD, OPTIONS ')
      expectError(await store.ask('/none', { method: 'OPTIONS', key: null }), '404 route_not_found')
    })
  })

  describe('negotiation', () => {
    it.each([
      ...['text/html', 'application/xml, text/*', '*/*;q=0', 'application/json;q=0, */*', 'json'],
    ])('406: Accept: %s', async (accept) => {
      expectError(await store.ask('/pets', { headers: { accept } }), '406 not_acceptable')
      const body = { name: 'Rex', categoryId: 1 }
      expectError(await store.ask('/pets', { headers: { accept }, body }), '406 not_acceptable')
    })

    it.each([
      ...['application/json', 'APPLICATION/JSON', 'application/*', '*/*;q=0.1', ''],
      ...['application/json; charset=utf-8', 'text/html, application/json;charset="UTF-8";q=0.9'],
    ])('200: Accept: %s', async (accept) => {
      const { status, headers } = await store.ask('/pets', { headers: { accept } })
      expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    })

    it.each([
      ...['text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch+json'],
      ...['application/jsonp', 'json', '', 'application/json; charset=iso-8859-1'],
    ])('415: Content-Type: %s', async (type) => {
      const options = { body: '{"name":"Rex","categoryId":1}', headers: { 'content-type': type } }
      expectError(await store.ask('/pets', options), '415 unsupported_media_type')
    })

    it.each(['gzip', 'br', 'identity, gzip', 'nonsense'])(
      '415: Content-Encoding: %s',
      async (coding) => {
        const options = { body: '{}', headers: { 'content-encoding': coding } }
        const response = await store.ask('/pets', options)
        expectError(response, '415 unsupported_content_encoding')
        expect(response.headers['accept-encoding']).toBe('identity')
      },
    )

    it('201: Content-Type in any case, with charset; Content-Encoding: identity', async () => {
      const headers = {
        'content-type': 'Application/JSON; charset=utf-8',
        'content-encoding': 'Identity',
      }
      const body = { name: 'Rex', categoryId: 1 }
      expect((await store.ask('/pets', { body, headers })).status).toBe(201)
    })

    it.each([
      ['application/json', ''],
      ['application/json', '{'],
      ['text/plain', 'x'],
      ['', 'x'],
      ['application/json', 'x'.repeat(70_000)],
    ])('is ignored if no body is read: %s', async (type, body) => {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' }
      const id = await createdId('/pets', { name: 'Rex', categoryId: 1 })
      const path = `/store/orders/${await createdId('/store/orders', { petId: id })}`
      const cancelled = await store.ask(`${path}/cancel`, { method: 'POST', body, headers })
      expect(cancelled).toMatchObject({ status: 200, json: { status: 'cancelled' } })
      const removed = await store.ask(`/pets/${id}`, { method: 'DELETE', body, headers })
      expect(removed.status).toBe(204)
    })

    it('400, not 415, without a body', async () => {
      expectError(await store.ask('/pets', { method: 'POST' }), '400 invalid_body')
    })
  })

  describe('limits', () => {
    it('413: too large, by Content-Length or while reading; the connection stays open', async () => {
      const connection = await openRaw(port)
      const head = `POST /v1/pets HTTP/1.1\r\n${fields}Content-Type: application/json\r\n`
      connection.write(`${head}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`)
      expectError((await connection.response()) as RawAnswer, '413 body_too_large')
      connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      for (let i = 0; i < 7; i++) connection.write(`2710\r\n${'x'.repeat(10_000)}\r\n`)
      connection.write('0\r\n\r\n')
      expectError((await connection.response()) as RawAnswer, '413 body_too_large')
      connection.write(`GET /v1/pets HTTP/1.1\r\n${fields}\r\n`)
      expect((await connection.response())?.status).toBe(200)
      connection.close()
    })

    it('sends no 100 Continue for a body that is too large', async () => {
      const head = `POST /v1/pets HTTP/1.1\r\n${fields}Expect: 100-continue\r\n`
      const json = `Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n`
      expectError(await askRaw(port, head + json), '413 body_too_large')
      const text = `Content-Type: text/plain\r\nContent-Length: 7\r\n\r\n`
      expectError(await askRaw(port, head + text), '415 unsupported_media_type')
    })

    it.each([
      ['Authorization: Bearer x', '401 invalid_api_key'],
      ['Content-Type: text/plain', '415 unsupported_media_type'],
      ['Content-Type: text/csv', '413 body_too_large'],
    ])('refuses a large import and keeps the connection: %s', async (field, code) => {
      const connection = await openRaw(port)
      const known = field.startsWith('Authorization') ? 'Host: localhost\r\n' : fields
      const head = `POST /v1/pets/import HTTP/1.1\r\n${known}${field}\r\n`
      connection.write(`${head}Content-Length: 1048577\r\n\r\n${'x'.repeat(1_048_577)}`)
      expectError((await connection.response()) as RawAnswer, code)
      connection.write(`GET /v1/pets HTTP/1.1\r\n${fields}\r\n`)
      expect((await connection.response())?.status).toBe(200)
      connection.close()
    })

    it.each(['GET', 'POST'])(
      'closes the connection during an endless, unneeded body (%s)',
      async (method) => {
        const connection = await openRaw(port)
        const head = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n'
        connection.write(`${method} /v1/pets HTTP/1.1\r\n${fields}${head}\r\n`)
        expect((await connection.response())?.status).toBe(method === 'GET' ? 200 : 415)
        const chunk = `186a0\r\n${'x'.repeat(100_000)}\r\n`
        for (let i = 0; i < 40; i++) connection.write(chunk)
        expect(await connection.rest()).toBe('')
        connection.close()
      },
    )

    it.each([8_193, 9_000, 31_000, 33_000, 60_000, 100_000])(
      '414: a URL of %i bytes',
      async (bytes) => {
        const path = `/v1/pets?x=${'x'.repeat(bytes - 11)}`
        expectError(await askRaw(port, `GET ${path} HTTP/1.1\r\n${fields}\r\n`), '414 uri_too_long')
      },
    )

    it('200: a URL of 8192 bytes; 404: a petId of almost that length', async () => {
      expect((await store.ask(`/pets?_=${'x'.repeat(8_181)}`)).status).toBe(200)
      expectError(await store.ask(`/pets/${'1'.repeat(8_183)}`), '404 pet_not_found')
    })

    it('431: headers of more than 32 KiB, one or many', async () => {
      const one = `X: ${'x'.repeat(33_000)}\r\n`
      const many = Array.from({ length: 1_100 }, (_, i) => `X-${i}: ${'x'.repeat(30)}\r\n`).join('')
      for (const more of [one, many, many + many]) {
        const response = await askRaw(port, `GET /v1/pets HTTP/1.1\r\n${fields}${more}\r\n`)
        expectError(response, '431 headers_too_large')
        expect(response.headers.connection).toBe('close')
      }
    })

    it('100 header fields are read; 431: more, however short', async () => {
      const more = (count: number): string => 'A:\r\n'.repeat(count)
      const text = (count: number): string =>
        `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n${more(count)}Authorization: Bearer x\r\n\r\n`
      expectError(await askRaw(port, text(98)), '401 invalid_api_key')
      for (const count of [99, 3_000]) {
        expectError(await askRaw(port, text(count)), '431 headers_too_large')
      }
    })

    it('Accept and Accept-Encoding of more than 1 KiB count as absent', async () => {
      const ask = async (name: string, value: string) =>
        await askRaw(port, `GET /v1/pets HTTP/1.1\r\n${fields}${name}: ${value}\r\n\r\n`)
      const longer = (value: string): string => `${value}${', x/y;q=0.1'.repeat(100)}`
      expectError(await ask('Accept', 'text/html'), '406 not_acceptable')
      expect((await ask('Accept', longer('text/html'))).status).toBe(200)
      // Many fields of one name are one list.
      const repeated = Array.from({ length: 90 }, () => 'text/html;level=1').join('\r\nAccept: ')
      expect((await ask('Accept', repeated)).status).toBe(200)
      const codingOf = async (accepted: string) => {
        const headers = { 'accept-encoding': accepted }
        return (await store.ask('/openapi.json', { headers })).headers['content-encoding']
      }
      expect(await codingOf('gzip')).toBe('gzip')
      expect(await codingOf(`gzip${', x'.repeat(400)}`)).toBeUndefined()
    })
  })

  describe('CORS', () => {
    it('adds the headers only for allowed origins, also to errors', async () => {
      for (const path of ['/pets', '/pets?limit=0', '/none', '/openapi.json']) {
        const { headers } = await store.ask(path, { headers: { origin: shop } })
        expect(headers['access-control-allow-origin']).toBe(shop)
        expect(headers['access-control-expose-headers']).toMatch(/\bLink\b.*\bX-Request-Id\b/)
        expect(headers.vary).toMatch(/\bOrigin\b/)
        expect(headers['access-control-allow-credentials']).toBeUndefined()
        const other = await store.ask(path, { headers: { origin: 'https://evil.example' } })
        expect(Object.keys(other.headers).join()).not.toMatch(/access-control/)
        expect(other.headers.vary).toMatch(/\bOrigin\b/)
      }
      const { headers } = await store.ask('/pets', { key: null, headers: { origin: shop } })
      expect(headers).toMatchObject({ 'access-control-allow-origin': shop })
    })

    it.each([
      ['414, which the parser accepts', `x=${'x'.repeat(9_000)}`, ''],
      ['414, which it refuses', `x=${'x'.repeat(40_000)}`, ''],
      ['431, which the parser accepts', '', 'A:\r\n'.repeat(101)],
      ['431, which it refuses', '', `X: ${'x'.repeat(33_000)}\r\n`],
    ])('adds the headers to %s', async (status, query, more) => {
      const line = `GET /v1/pets?${query} HTTP/1.1\r\nHost: localhost\r\n`
      const ask = (origin: string) => askRaw(port, `${line}Origin: ${origin}\r\n${more}\r\n`)
      const allowed = await ask(shop)
      expect(`${allowed.status}`).toBe(status.slice(0, 3))
      expect(allowed.headers['access-control-allow-origin']).toBe(shop)
      const { headers } = await ask('https://evil.example')
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    })

    it('does not confuse origins when pages are cached', async () => {
      for (const origin of [shop, undefined, 'http://localhost:3000', 'null', shop]) {
        const { headers } = await store.ask('/pets?limit=5', { headers: origin ? { origin } : {} })
        const expected = origin === 'null' ? undefined : origin
        expect(headers['access-control-allow-origin']).toBe(expected)
      }
    })

    it('preflight requests need no API key', async () => {
      const preflight = (origin: string) =>
        store.ask('/pets', {
          method: 'OPTIONS',
          key: null,
          headers: { origin, 'access-control-request-method': 'POST' },
        })
      const allowed = await preflight(shop)
      expect(allowed.status).toBe(204)
      expect(allowed.headers).toMatchObject({
        'access-control-allow-origin': shop,
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': expect.stringMatching(/Authorization.*Idempotency-Key/),
      })
      const { status, headers } = await preflight('https://evil.example')
      expect(status).toBe(204)
      expect(Object.keys(headers).join()).not.toMatch(/access-control/)
    })
  })
})
