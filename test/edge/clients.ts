// Clients for the edge, with one connection each: TLS, HTTP/1.1 over TLS, HTTP/2.
import { once } from 'node:events'
import { type Agent, request as httpRequest } from 'node:http'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished } from 'vitest'

export interface Answer {
  status: number
  headers: Record<string, string>
  text: string
  json: unknown
}

/** Resolves after the handshake; rejects with its error. With an empty `host` no SNI is sent. */
export async function openTls(
  port: number,
  host: string,
  ca: string,
  options: ConnectionOptions & { localAddress?: string } = {},
): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca, ...options })
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed in the handshake')))
  })
  socket.on('error', () => {})
  return socket
}

/** The error code of a failing handshake: `ERR_SSL_TLSV1_UNRECOGNIZED_NAME`. */
export async function handshakeFault(
  port: number,
  host: string,
  options: ConnectionOptions = {},
): Promise<string> {
  try {
    const socket = await openTls(port, host, '', { rejectUnauthorized: false, ...options })
    socket.destroy()
    return 'none'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}

/** Closed at the end of the test, if it is not before. */
export async function openTcp(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** The session of a connection that was closed after one response. */
export async function sessionOf(
  port: number,
  host: string,
  ca: string,
  options: ConnectionOptions = {},
): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca, ...options })
  const sessions: Buffer[] = []
  socket.on('session', (session: Buffer) => sessions.push(session))
  await once(socket, 'secureConnect')
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  await readAll(socket)
  expect(sessions.length).toBeGreaterThan(0)
  return sessions.at(-1) as Buffer
}

/** SHA-256 of the certificate that the host has now, as in the database. */
export async function shownFingerprint(port: number, host: string, ca: string): Promise<string> {
  const socket = await openTls(port, host, ca)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256.replaceAll(':', '').toLowerCase()
}

/** Resolves when it is closed, with or without an error. To be called before the action that closes it. */
export function closed(
  one: Pick<Socket | ClientHttp2Session | ClientHttp2Stream, 'on'>,
): Promise<void> {
  one.on('error', () => {})
  return new Promise((resolve) => void one.on('close', () => resolve()))
}

/** Everything received until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  if (!socket.destroyed) await once(socket, 'close')
  return text
}

interface AskOptions {
  /** Default: POST with a body, GET without one. */
  method?: string
  body?: string | undefined
  encoding?: BufferEncoding
  /** Of the server. */
  host?: string
  /** Of the client. */
  localAddress?: string | undefined
  /** Keeps connections open; without it, each request uses a new one. */
  agent?: Agent | false
  timeoutMs?: number
}

/** One request over HTTP/1.1; without `ca` it is plain. */
export function ask(
  port: number,
  host: string,
  ca: string | undefined,
  path = '/',
  headers: Record<string, string> = {},
  { body, encoding = 'utf8', timeoutMs = 60_000, ...options }: AskOptions = {},
): Promise<Answer> {
  const send: typeof httpsRequest = ca === undefined ? httpRequest : httpsRequest
  return new Promise((resolve, reject) => {
    const request = send({
      ...{ host: '127.0.0.1', method: body === undefined ? 'GET' : 'POST', agent: false },
      ...{ timeout: timeoutMs, port, servername: host, ca, path, headers: { host, ...headers } },
      ...options,
    })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error(`no response in time to ${host}${path}`)))
    request.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding(encoding)) text += chunk
      const fields = Object.entries(response.headers).map(([n, value]) => [
        n,
        [value].flat().join(', '),
      ])
      resolve(answerOf(response.statusCode ?? 0, Object.fromEntries(fields), text))
    })
    request.end(body)
  })
}

/** Resolves when the other side's settings have arrived. */
export async function openHttp2(
  port: number,
  host: string,
  ca: string,
  address = '127.0.0.1',
): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://${host}:${port}`, {
    host: address,
    servername: host,
    ca,
    // Uncompressed; Node's default is 64 KiB.
    maxSendHeaderBlockLength: 1024 * 1024,
  } as Parameters<typeof connectHttp2>[1])
  session.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    session.once('remoteSettings', () => resolve())
    session.once('error', reject)
    session.once('close', () => reject(new Error('closed in the handshake')))
  })
  return session
}

/** One request on a stream; rejects when the stream is reset or ends without a response. */
export async function askHttp2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Buffer,
  encoding: BufferEncoding = 'utf8',
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const ended = new AbortController()
  stream.once('close', () => ended.abort())
  const [fields] = (await once(stream, 'response', ended)) as [Record<string, string | string[]>]
  let text = ''
  for await (const chunk of stream.setEncoding(encoding)) text += chunk
  const named = Object.entries(fields).map(([name, value]) => [name, [value].flat().join(', ')])
  return answerOf(Number(fields[':status']), Object.fromEntries(named), text)
}

function answerOf(status: number, headers: Record<string, string>, text: string): Answer {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status, headers, text, json }
}
