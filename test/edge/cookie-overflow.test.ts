// Requests whose cookies are too large get a 431 that deletes the cookies, at the hosts where that is allowed, over
// HTTP/1.1 and HTTP/2.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { requestText } from '../raw-connection.ts'
import { makeCertificate } from './certificates.ts'
import { askHttp2, openHttp2, openTcp, openTls } from './clients.ts'
import { type Edge, edgeForTest } from './started-edge.ts'

const pem = makeCertificate(['a.test', 'b.test'])
const clear = /^clear-site-data: "cookies"\r$/im
const cookieOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `c${i}=${'x'.repeat(4000)}`).join('; ')

let edge: Edge
beforeEach(async () => {
  const handler: Handler = (_, response) => void response.writeHead(204).end()
  const clearsCookies = (host: string) => host === 'a.test' || host === 'a.localhost'
  edge = await edgeForTest(handler, { 'a.test': pem, 'b.test': pem }, { intake: { clearsCookies } })
})

interface Sent {
  cookies: number
  path?: string
  fields?: string
}

async function ask(socket: Socket, host: string, sent: Sent): Promise<string> {
  const { cookies, fields = '', path = '/' } = sent
  const answer = text(socket)
  socket.write(requestText('GET', path, { Host: host }).slice(0, -2))
  socket.write(`${fields}Cookie: ${cookieOf(cookies)}\r\n\r\n`)
  return await answer
}
const askPlain = async (host: string, sent: Sent) =>
  await ask(await openTcp(edge.plainPort), host, sent)
const askSecure = async (host: string, sent: Sent) =>
  await ask(await openTls(edge.port, host, pem.chain), host, sent)

async function askOverHttp2(host: string, { cookies, path = '/' }: Sent) {
  const session = await openHttp2(edge.port, host, pem.chain)
  const cookie = Array.from({ length: cookies }, () => `c=${'x'.repeat(4000)}`)
  const given = { ':path': path, ':authority': host, cookie }
  const { headers: answered, status } = await askHttp2(session, given)
  return [status, answered['clear-site-data']]
}

it('HTTP/2: deletes cookies at such a host only', async () => {
  for (const cookies of [9, 25]) {
    expect(await askOverHttp2('a.test', { cookies })).toEqual([431, '"cookies"'])
    expect(await askOverHttp2('b.test', { cookies })).toEqual([431, undefined])
  }
  expect(await askOverHttp2('a.test', { cookies: 3 })).toEqual([204, undefined])
})

it('HTTP/2: deletes no cookies because of a long address', async () => {
  const path = `/?${'x'.repeat(20_000)}`
  expect(await askOverHttp2('a.test', { cookies: 4, path })).toEqual([431, undefined])
})

it('HTTP/1.1 over TLS: deletes cookies at such a host only', async () => {
  for (const cookies of [12, 50]) {
    expect(await askSecure('a.test', { cookies })).toMatch(clear)
    const other = await askSecure('b.test', { cookies })
    expect(other).toMatch(/^HTTP\/1\.1 431 /)
    expect(other).not.toMatch(clear)
  }
})

it('plain HTTP: deletes cookies below localhost and behind a TLS proxy', async () => {
  const cookies = 12
  const fields = 'X-Forwarded-Proto: https\r\n'
  expect(await askPlain('a.localhost:8080', { cookies })).toMatch(clear)
  expect(await askPlain('a.test', { cookies, fields })).toMatch(clear)
  for (const [host, sent] of [
    ['a.test', { cookies }],
    ['b.test', { cookies, fields }],
    ['a.localhost, a.localhost', { cookies }],
    ['a.localhost', { cookies: 3, path: `/?${'x'.repeat(24_000)}` }],
    ['a.localhost', { cookies: 3, fields: `X: ${'x'.repeat(24_000)}\r\n` }],
    ['a.localhost', { cookies, fields: 'Host: a.localhost\r\n' }],
  ] as const) {
    const answer = await askPlain(host, sent)
    expect(answer).toMatch(/^HTTP\/1\.1 4(14|31) /)
    expect(answer).not.toMatch(clear)
  }
})

it('answers pipelined requests before it', async () => {
  const socket = await openTcp(edge.plainPort)
  socket.write('GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n')
  await once(socket, 'readable')
  const answer = text(socket)
  socket.write(`GET / HTTP/1.1\r\nHost: a.localhost\r\nCookie: ${cookieOf(12)}\r\n\r\n`)
  expect((await answer).match(/^HTTP\/1\.1 (204|431) /gm)).toHaveLength(2)
})
