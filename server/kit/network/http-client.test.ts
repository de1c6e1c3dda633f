// The limits of the HTTP client, against servers that respond slowly, endlessly, partly or not at all.
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnFreePort } from '../../../test/listen.ts'
import { type RequestOptions, sendRequest, urlOfAddress } from './http-client.ts'

const usual = {
  method: 'GET',
  headers: { 'x-key': 'secret' },
  timeoutMs: 10_000,
  maxBytes: 1000,
  oversize: 'fail',
} satisfies RequestOptions
const headOf = (rest: string): string => `HTTP/1.1 200 OK\r\n${rest}`

/** Calls `respond` once a request has arrived. Listens on 127.0.0.1 until the test ends. */
async function listen(respond: (socket: Socket, request: string) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).once('data', (data) => respond(socket, String(data)))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const port = await listenOnFreePort(server)
  return { port, sockets, url: urlOfAddress('127.0.0.1', port, '/?token=secret') }
}

/** Writes until the client closes the connection. */
function writeEndlessly(socket: Socket): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write('x'.repeat(500)));
  }
  socket.on('drain', write).write(headOf('\r\n'))
  write()
}

const part = headOf('content-length: 9\r\n\r\nstart')
const tooLarge = headOf(`content-length: 1001\r\n\r\n${'x'.repeat(1001)}`)
const longHead = headOf(`x: ${'x'.repeat(17_000)}\r\n\r\n`)

it.each([
  ['slow: no response', () => {}, 'timeout', undefined, 50],
  ['slow: a body that does not end', (socket) => socket.write(part), 'timeout', 200, 1000],
  ['endless', writeEndlessly, 'too large', 200],
  ['too large by one byte', (socket) => socket.end(tooLarge), 'too large', 200],
  ['headers that are too large', (socket) => socket.end(longHead), 'malformed', undefined],
  ['not HTTP', (socket) => socket.end('hello\r\n'), 'malformed', undefined],
  ['cut off before the response', (socket) => socket.destroy(), 'cut off', undefined],
  ['cut off in the body', (socket) => socket.end(part), 'cut off', 200],
] as [string, (socket: Socket) => void, string, number | undefined, number?][])(
  '%s',
  async (_, respond, reason, status, timeoutMs = usual.timeoutMs) => {
    const closed = Promise.withResolvers<void>()
    const { url } = await listen((socket) => {
      socket.on('close', () => closed.resolve())
      respond(socket)
    })
    const error = await sendRequest(url, { ...usual, timeoutMs }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ reason, isStale: false })
    expect((error as { head?: { status: number } }).head?.status).toBe(status)
    expect(String(error)).not.toContain('secret')
    await closed.promise
  },
)

it('reports a refused connection', async () => {
  const { port } = await listen(() => {})
  const url = urlOfAddress('127.0.0.2', port, '/')
  const sent = sendRequest(url, usual)
  await expect(sent).rejects.toMatchObject({ reason: 'unreachable', code: 'ECONNREFUSED' })
})

it('returns the start of an endless response and closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const { url } = await listen((socket) => {
    socket.on('close', () => closed.resolve())
    writeEndlessly(socket)
  })
  const { body, status } = await sendRequest(url, { ...usual, oversize: 'truncate' })
  expect({ length: body.length, status }).toEqual({ length: 1000, status: 200 })
  await closed.promise
})

it('returns a response of the maximum size, and does not follow redirects', async () => {
  const text = 'x'.repeat(1000)
  const { sockets, url } = await listen((socket, request) => {
    expect(request).toMatch(/^POST \/\?token=secret HTTP\/1\.1\r\n/)
    expect(request).toContain('content-length: 4\r\n')
    socket.end(`HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 1000\r\n\r\n${text}`)
  })
  const { body, headers, status } = await sendRequest(url, {
    ...usual,
    method: 'POST',
    body: 'body',
  })
  expect([status, headers.location, String(body)]).toEqual([302, '/', text])
  expect(sockets).toHaveLength(1)
})

it('stops when the caller cancels, before and after the request is sent', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const { sockets, url } = await listen(() => controller.abort())
  for (let i = 0; i < 2; i++) {
    const sent = sendRequest(url, { ...usual, signal })
    await expect(sent).rejects.toMatchObject({ reason: 'cancelled' })
  }
  expect(sockets).toHaveLength(1)
})

it('connects to a checked address only', async () => {
  const { port, sockets } = await listen((socket) => socket.end(headOf('\r\n')))
  const url = new URL(`http://hook.example:${port}/`)
  const answers = [['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], []]
  const destinations = {
    judge: (address: string) =>
      address === '127.0.0.1' ? ('allowed' as const) : ('refused' as const),
    resolve: async () => answers.shift() ?? [],
  }
  const send = () => sendRequest(url, { ...usual, destinations })
  expect((await send()).status).toBe(200)
  await expect(send()).rejects.toThrow('refused: hook.example is not a public address')
  await expect(send()).rejects.toThrow('refused: hook.example has no address')
  expect(sockets).toHaveLength(1)
})

it('formats an IPv6 address as in URLs', () => {
  expect(urlOfAddress('2001:db8::1', 8080, '/a?b').href).toBe('http://[2001:db8::1]:8080/a?b')
})

it('applies the timeout to name resolution, too', async () => {
  const resolve = () => new Promise<string[]>(() => {})
  const destinations = { judge: () => 'allowed' as const, resolve }
  const sent = sendRequest(new URL('http://hook.example/'), {
    ...usual,
    timeoutMs: 50,
    destinations,
  })
  await expect(sent).rejects.toMatchObject({
    reason: 'timeout',
    message: 'no answer within 0.05 s',
  })
})
