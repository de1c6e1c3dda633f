// Between the program and its object storage: holds requests, so that a process can be killed at each step, and cuts the
// connection.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '../listen.ts'

export type StorageProxy = Awaited<ReturnType<typeof startStorageProxy>>

interface Hold {
  method: string
  moment: 'before' | 'after'
  reach(): void
  released: Promise<void>
}

export async function startStorageProxy(targetPort: number) {
  const methods: string[] = []
  let hold: Hold | undefined
  let isOut = false

  async function pause(request: IncomingMessage, moment: Hold['moment']): Promise<void> {
    const held = hold
    if (held?.method !== request.method || held?.moment !== moment) return
    if (request.url?.endsWith('/owner')) return
    hold = undefined
    held.reach()
    await held.released
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    methods.push(incoming.method ?? '')
    const body = Buffer.concat(await incoming.toArray())
    await pause(incoming, 'before')
    const { headers, method = '', url = '' } = incoming
    const sent = request({ host: '127.0.0.1', port: targetPort, method, path: url, headers })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const answered = Buffer.concat(await answer.toArray())
    await pause(incoming, 'after')
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.end(answered)
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    if (isOut) socket.destroy()
  })

  return {
    port: await listenOnFreePort(server),
    /** The methods of all requests so far. */
    methods,
    /**
     * Holds the next request with the method for a file's object: `reached` resolves before it is passed on, or after it had
     * its effect. `release` lets it continue, `drop` closes its connection.
     */
    hold(method: string, moment: Hold['moment']) {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      hold = { method, moment, reach: reached.resolve, released: released.promise }
      const drop = () => released.reject(new Error('dropped'))
      return { reached: reached.promise, release: released.resolve, drop }
    },
    /** Refuses all connections until it is called with false. */
    setOut(out: boolean) {
      isOut = out
      if (out) server.closeAllConnections()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
