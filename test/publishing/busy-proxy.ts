// A proxy that refuses each request for an upload or a deploy's state once, as a busy or starting server does.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '../listen.ts'

export async function startBusyProxy(target: string) {
  const refused = new Set<string>()
  const { host, hostname, port } = new URL(target)

  function refuse(asked: IncomingMessage, response: ServerResponse): void {
    refused.add(keyOf(asked))
    asked.resume()
    // Some get a response, others only a closed connection.
    if (refused.size % 2 === 0) return void response.destroy()
    const body = JSON.stringify({ code: 'unavailable', message: 'Later.', status: 503 })
    response.writeHead(503, { 'content-type': 'application/json' }).end(body)
  }

  const server = createServer((asked, response) => {
    const isIdempotent = asked.method === 'PUT' || /\/deploys\/\d|\/missing$/.test(asked.url ?? '')
    if (isIdempotent && !refused.has(keyOf(asked))) return refuse(asked, response)
    const { method, url: path } = asked
    const headers = { ...asked.headers, host }
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    asked.pipe(passed)
  })
  return {
    port: await listenOnFreePort(server, 'localhost'),
    /** How many requests it has refused. */
    refusals: () => refused.size,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function keyOf({ method, url = '' }: IncomingMessage): string {
  return `${method} ${url.split('?')[0]}`
}
