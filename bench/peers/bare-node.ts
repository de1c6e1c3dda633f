// What Node's sockets, TLS and HTTP/2 allow: fixed bytes for whatever arrives, without reading it. It is no server, only
// the cost of the steps that every server on Node has. RESPONSES names a JSON file: {list, pet, port, tls}, with whole
// responses of HTTP/1.1, one character per byte; `tls`, if there is one, {chain, key, port, headers, body} for HTTP/2.

import { readFileSync } from 'node:fs'
import { performServerHandshake } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

interface Settings {
  list: string
  pet: string
  port: number
  tls?: {
    chain: string
    key: string
    port: number
    /** Of a response on HTTP/2. */
    headers: Record<string, string>
    body: string
  }
}

const settings: Settings = JSON.parse(readFileSync(process.env.RESPONSES ?? '', 'utf8'))
const { list, pet, port, tls } = settings
const petLine = 'GET /v1/pets/'

function answer(socket: Socket): void {
  socket.on('data', (chunk: Buffer) => {
    const isPet = chunk.toString('latin1', 0, petLine.length) === petLine
    socket.write(isPet ? pet : list, 'latin1')
  })
  socket.on('error', () => {})
}

createServer({ noDelay: true }, answer).listen(port, '127.0.0.1')
if (tls) {
  const { body, headers } = tls
  const bytes = Buffer.from(body, 'latin1')
  createTlsServer(
    { cert: tls.chain, key: tls.key, ALPNProtocols: ['h2', 'http/1.1'], noDelay: true },
    (socket) => {
      if (socket.alpnProtocol !== 'h2') return answer(socket)
      const session = performServerHandshake(socket)
      session.on('error', () => {})
      session.on('stream', (stream) => {
        stream.on('error', () => {})
        stream.respond({ ':status': 200, ...headers })
        stream.end(bytes)
      })
    },
  ).listen(tls.port, '127.0.0.1')
}
process.once('SIGTERM', () => process.exit(0))
