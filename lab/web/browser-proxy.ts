// An HTTP proxy for browsers and curl that resolves names through the lab's resolver, so that
// http://docs.mossy.example/ can be opened. Ports 80 and 443 become the lab's ports for HTTP and HTTPS. It
// connects to loopback addresses only.
import { connect, isIPv4, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { recordsOfType } from '#dns/messages/exchange.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { LabPorts } from '../network/topology.ts'
import { forward, listen, type WebServer } from './web-servers.ts'

export function startBrowserProxy(
  { address, port }: { address: string; port: number },
  resolver: Resolver,
  ports: Pick<LabPorts, 'http' | 'https'>,
): Promise<WebServer> {
  const sockets = new Set<Duplex>()

  const toLabPort = (port: string): number =>
    port === '80' ? ports.http : port === '443' ? ports.https : Number(port)

  async function findAddress(host: string): Promise<string | undefined> {
    if (host === 'localhost' || host.endsWith('.localhost')) return '127.0.0.1'
    if (isIPv4(host)) return host.startsWith('127.') ? host : undefined
    const { answers } = await resolver.resolve(host.toLowerCase(), 'A')
    const addresses = recordsOfType(answers, 'A').map(({ address }) => address)
    return addresses.find((address) => address.startsWith('127.'))
  }

  const starting = listen(
    address,
    port,
    (request, response) => {
      const url = URL.parse(request.url ?? '')
      if (url?.protocol !== 'http:') {
        response.writeHead(400).end('This is a proxy: request http://host/\n')
        return
      }
      void findAddress(url.hostname).then((address) => {
        if (address === undefined) {
          response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8' })
          response.end(`No address found for ${url.hostname} in the lab.\n`)
          return
        }
        const to = { address, port: Number(url.port) || ports.http }
        forward(request, response, { ...to, path: url.pathname + url.search })
      })
    },
    (server) =>
      server.on('connect', (request, socket, head) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        socket.on('error', () => socket.destroy())
        const [, host = '', requestedPort = ''] = /^(.*):(\d+)$/.exec(request.url ?? '') ?? []
        void findAddress(host).then((address) => {
          if (address === undefined) socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
          else tunnel(socket, head, connect(toLabPort(requestedPort), address))
        })
      }),
  )
  return starting.then((place) => ({
    port: place.port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await place.close()
    },
  }))
}

function tunnel(socket: Duplex, head: Buffer, onward: Socket): void {
  onward.on('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    onward.write(head)
    socket.pipe(onward).pipe(socket)
  })
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
}
