// Floods a server until it is killed. Its own process, so that it does not delay the client that is measured.
// Arguments: the flood's name, the ports for HTTP and HTTPS, a host, and the path of a large file.

import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'

const [name = '', httpPort, httpsPort, host = '', path = '/'] = process.argv.slice(2)
/** Another client network than that of the client that is measured. */
const from = { host: '127.0.0.1', localAddress: '127.0.0.2' }
const get = (fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`

async function openTcp(): Promise<Socket> {
  const socket = connect({ ...from, port: Number(httpPort) })
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

async function openTls(): Promise<TLSSocket> {
  const port = Number(httpsPort)
  const options = { servername: host, rejectUnauthorized: false, ALPNProtocols: ['h2'] }
  const socket = connectTls({ ...from, port, ...options })
  socket.on('error', () => {})
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')])
  return socket
}

/** Writes the same text on a connection until it is closed, and then on another. */
async function repeat(open: () => Promise<Socket>, first: string | Buffer, text: string | Buffer) {
  for (;;) {
    const socket = await open()
    socket.resume()
    socket.write(first)
    while (!socket.destroyed) {
      if (!socket.write(text)) {
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
      }
      await nextTurn()
    }
  }
}

async function closeWithResponsesQueued(): Promise<never> {
  for (;;) {
    const sockets = await Promise.all(Array.from({ length: 10 }, openTcp))
    for (const socket of sockets) socket.pause().write(get().repeat(500))
    await Promise.all(sockets.map((socket) => once(socket, 'readable').catch(() => {})))
    for (const socket of sockets) socket.destroy()
  }
}

async function keepConnections(): Promise<never> {
  for (;;) {
    await openTcp()
    await nextTurn()
  }
}

async function openZeroWindows(): Promise<void> {
  for (;;) {
    const socket = await openTls()
    const session = connectHttp2(`https://${host}`, {
      createConnection: () => socket,
      settings: { initialWindowSize: 0 },
    })
    session.on('error', () => {})
    for (let i = 0; i < 100 && !session.destroyed; i++) {
      session.request({ ':path': path, ':authority': host }).on('error', () => {})
    }
    await nextTurn()
  }
}

const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('000000040000000000', 'hex'),
])
const windowUpdates = Buffer.from('00000408000000000000000001'.repeat(1000), 'hex')

const floods: Record<string, () => Promise<void>> = {
  closing: closeWithResponsesQueued,
  connections: keepConnections,
  fields: () => repeat(openTcp, '', get('Idempotency-Key: x\r\n'.repeat(1700))),
  hosts: () => repeat(openTcp, '', get().replace(host, 'x'.repeat(30_000))),
  'zero windows': openZeroWindows,
  'window updates': () => repeat(openTls, preface, windowUpdates),
}

await floods[name]?.()
