// Requests that no ordinary client sends: malformed, ambiguous, smuggled, pipelined and incomplete ones.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askRaw, openRaw } from '../raw-connection.ts'
import { countAt, fields, keyField, port, serving } from './serving.ts'

describe.each(cases(engines))('raw requests on %s', (engine) => {
  serving(engine)

  const pet = '{"name":"Rex","categoryId":1}'
  const json = 'Content-Type: application/json\r\n'
  const get = (more = '') => `GET /v1/pets HTTP/1.1\r\n${fields}${more}\r\n`
  const post = (more: string, body: string) =>
    `POST /v1/pets HTTP/1.1\r\n${fields}${json}${more}\r\n${body}`
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const length = (body: string) => `Content-Length: ${body.length}\r\n`
  const upload = (body: string) => post(length(body), body)

  const chunks = `1d\r\n${pet}\r\n0\r\n\r\n`

  /** All responses to the bytes sent, until either side closes the connection. */
  async function converse(text: string, answers: number): Promise<string[]> {
    const connection = await openRaw(port)
    connection.write(text)
    const found: string[] = []
    for (let i = 0; i < answers; i++) {
      const response = await connection.response()
      const { code } = (response?.json ?? {}) as { code?: string }
      found.push(`${response?.status}${code ? ` ${code}` : ''}`)
    }
    connection.end()
    found.push(await connection.rest())
    connection.close()
    return found
  }

  it.each([
    ['no Host', () => `GET /v1/pets HTTP/1.1\r\n${keyField}\r\n`],
    ['no Host, absolute form', () => `GET http://localhost/v1/pets HTTP/1.1\r\n${keyField}\r\n`],
    ['two Hosts', () => get('Host: localhost\r\n')],
    ['two Hosts, absolute form', () => get('Host: x\r\n').replace('/v1', 'http://localhost/v1')],
    ...[
      ['a host of 254 characters', `${'x'.repeat(63)}.`.repeat(3) + 'x'.repeat(62)],
      ['a host of 7,000 characters', 'x'.repeat(7_000)],
      ['a port of 7,000 digits', `localhost:${'1'.repeat(7_000)}`],
      ['a host with a user', 'ann@localhost'],
      ['a host with an escape', '%6cocalhost'],
      ['an address without its end', '[::1'],
      ['an address that is none', '[::x]'],
    ].flatMap(([name, host]): [string, () => string][] => [
      [`${name}`, () => get().replace('Host: localhost', `Host: ${host}`)],
      [`${name}, absolute form`, () => get().replace('/v1', `http://${host}/v1`)],
    ]),
    ['a space before the colon', () => get('X : y\r\n')],
    ['a folded field', () => get('X: y\r\n z\r\n')],
    ['a field without a colon', () => get('X\r\n')],
    ['bare line feeds', () => get().replaceAll('\r\n', '\n')],
    ['a bare carriage return in a field', () => get('X: a\rb\r\n')],
    ['NUL in a field', () => get('X: a\0b\r\n')],
    ['HTTP/2 by prior knowledge', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.2', () => get().replace('HTTP/1.1', 'HTTP/1.2')],
    ['TLS', () => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
    ['a raw byte in the address', () => get().replace('pets', 'pets/\xe9')],
    ['a space in the address', () => get().replace('pets', 'pets?x=a b')],
    [
      'Content-Length and Transfer-Encoding',
      () => post(`Content-Length: 4\r\n${chunked}`, '0\r\n\r\n'),
    ],
    ['two lengths', () => post('Content-Length: 29\r\nContent-Length: 30\r\n', pet)],
    ['a list of lengths', () => post('Content-Length: 29, 29\r\n', pet)],
    ['a negative length', () => post('Content-Length: -1\r\n', pet)],
    ['a length with a sign', () => post('Content-Length: +29\r\n', pet)],
    ['a length in hexadecimal', () => post('Content-Length: 0x1d\r\n', pet)],
    ['a length beyond 2^64', () => post('Content-Length: 99999999999999999999\r\n', pet)],
    ['chunked is not the last coding', () => post('Transfer-Encoding: chunked, gzip\r\n', pet)],
    ['another encoding before chunked', () => post('Transfer-Encoding: gzip, chunked\r\n', chunks)],
    ['chunked misspelt', () => post('Transfer-Encoding: xchunked\r\n', pet)],
    ['a vertical tab before chunked', () => post('Transfer-Encoding: \x0bchunked\r\n', pet)],
    ['a bad chunk size', () => post(chunked, 'zz\r\n')],
    ['a chunk longer than its size', () => post(chunked, '2\r\n{}}\r\n')],
    ['an endless chunk extension', () => post(chunked, `2;${'x'.repeat(40_000)}`)],
  ])('400 invalid_request: %s', async (_, text) => {
    const response = await askRaw(port, Buffer.from(text(), 'latin1'))
    expect(response).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', message: expect.any(String), status: 400 },
      headers: { 'content-type': 'application/json', 'x-request-id': expect.any(String) },
    })
    expect(response.text).not.toMatch(/HPE_|stack|node:/)
  })

  it('stored nothing of these requests', async () => {
    expect(await countAt()).toBe(0)
  })

  it('accepts the absolute form, whose host takes precedence', async () => {
    for (const [target, host, status] of [
      ['http://localhost/v1/pets', 'evil.example', 200],
      ['HTTP://LOCALHOST:80/v1/pets?limit=1', 'evil.example', 200],
      ['http://evil.example/v1/pets', 'localhost', 404],
      ['http://staging.localhost/v1/pets', 'localhost', 401],
      ['http://localhost', 'localhost', 200],
      ['http://localhost/none', 'localhost', 404],
    ]) {
      const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${keyField}\r\n`
      expect({ target, status: (await askRaw(port, text)).status }).toEqual({ target, status })
    }
  })

  it('responds to HTTP/1.0 and closes the connection', async () => {
    const { status, headers } = await askRaw(port, get().replace('HTTP/1.1', 'HTTP/1.0'))
    expect([status, headers.connection]).toEqual([200, 'close'])
  })

  it('accepts a chunked body, byte by byte, with extensions and trailers', async () => {
    const chunks = [...pet].map((c) => `1;x=y\r\n${c}\r\n`).join('')
    const body = `${chunks}0\r\nX-Trailer: 1\r\nAuthorization: Bearer x\r\n\r\n`
    expect((await askRaw(port, post(chunked, body))).status).toBe(201)
    expect(await countAt()).toBe(1)
  })

  it('responds to pipelined requests in order', async () => {
    const text = get() + upload(pet) + get().replace('pets', 'none') + upload(pet) + get()
    expect(await converse(text, 5)).toEqual(['200', '201', '404 route_not_found', '201', '200', ''])
  })

  it('a malformed request does not affect the responses to requests before it', async () => {
    const before = await countAt()
    const text = `${get('X: 1\r\n')}${upload(pet)}GARBAGE\r\n\r\n`
    expect(await converse(text, 3)).toEqual(['200', '201', '400 invalid_request', ''])
    expect(await countAt()).toBe(before + 1)
  })

  it.each<[string, (smuggled: string) => string]>([
    ['without an API key', (body) => upload(body).replace(keyField, '')],
    ['of a GET', (body) => get(length(body)) + body],
    ['of an unknown type', (body) => upload(body).replace(json, '')],
    ['of an unknown path', (body) => upload(body).replace('pets', 'none')],
    ['to another host', (body) => upload(body).replace('localhost', 'evil.example')],
    ['of OPTIONS', (body) => get(length(body)).replace('GET', 'OPTIONS') + body],
  ])('an unread body is no request: %s', async (_, outer) => {
    const before = await countAt()
    const [first, second, rest] = await converse(
      outer(upload(pet)) + get('X-Request-Id: mine\r\n'),
      2,
    )
    expect(first).toMatch(/^(200|204|401|404|415)/)
    expect([second, rest]).toEqual(['200', ''])
    expect(await countAt()).toBe(before)
  })

  it('stores nothing if the client disconnects during the body', async () => {
    const before = await countAt()
    const connection = await openRaw(port)
    connection.write(post('Content-Length: 200\r\n', pet))
    connection.end()
    expect((await connection.response())?.status).toBe(400)
    expect(await connection.rest()).toBe('')
    connection.close()
    expect(await countAt()).toBe(before)
  })
})
