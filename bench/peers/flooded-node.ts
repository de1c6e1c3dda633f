// The least that a server on node:http and node:http2 does under the floods: a small page, a large one, and 431 for more
// fields than the Animal Store accepts. RESPONSES names a JSON file (jobs/floods.ts).

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'

interface Settings {
  chain: string
  key: string
  port: number
  httpsPort: number
  page: string
  largePath: string
  largeBytes: number
}

const { chain, httpsPort, key, largeBytes, largePath, page, port }: Settings = JSON.parse(
  readFileSync(process.env.RESPONSES ?? '', 'utf8'),
)
const small = Buffer.from(page)
const large = Buffer.alloc(largeBytes, 'x')

const server = createServer(
  { maxHeaderSize: 32 * 1024, noDelay: true },
  (request: IncomingMessage, response: ServerResponse) => {
    if (request.rawHeaders.length > 2 * 100) {
      response.writeHead(431, { 'Content-Length': 0, Connection: 'close' }).end()
      return
    }
    const body = request.url === largePath ? large : small
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': body.length })
    response.end(body)
  },
)
server.maxHeadersCount = 0
server.listen(port, '127.0.0.1')
createSecureServer({ cert: chain, key }, (_, response) => response.end(small))
  .on('sessionError', () => {})
  .listen(httpsPort, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
