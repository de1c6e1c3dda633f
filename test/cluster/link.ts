// A network between two parts of a cluster: a TCP proxy whose connections a test cuts, silences or slows down.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '../listen.ts'

/**
 * - `open`: everything passes.
 * - `cut`: connections are reset, and new ones are, too, as by a firewall that rejects.
 * - `silent`: nothing passes and nobody is told, as with a pulled cable. What was sent arrives when the link opens again.
 * - `slow`: everything arrives `slowMs` later.
 */
export type LinkState = 'open' | 'cut' | 'silent' | 'slow'

const slowMs = 20

export interface Link {
  /** On 127.0.0.1. */
  port: number
  set(state: LinkState): void
  close(): Promise<void>
}

/** `target` is asked for each connection, so that a link can be opened before what it leads to. */
export async function openLink(target: () => number): Promise<Link> {
  let state: LinkState = 'open'
  const sockets = new Set<Socket>()
  /** Connections that were opened while the link was silent. */
  const waiting = new Set<Socket>()

  const server = createServer({ pauseOnConnect: true }, (client) => {
    track(client)
    if (state === 'cut') client.resetAndDestroy()
    else if (state === 'silent') waiting.add(client)
    else join(client)
  })

  function track(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      waiting.delete(socket)
    })
  }

  function join(client: Socket): void {
    const upstream = connect(target(), '127.0.0.1')
    track(upstream)
    pass(client, upstream)
    pass(upstream, client)
  }

  function pass(from: Socket, to: Socket): void {
    const send = (deliver: () => void): void => {
      if (state === 'slow') setTimeout(deliver, slowMs)
      else deliver()
    }
    from.on('data', (bytes) =>
      send(() => {
        if (to.destroyed || to.write(bytes)) return
        from.pause()
        to.once('drain', () => resume(from))
      }),
    )
    from.on('end', () => send(() => to.end()))
    from.on('close', () => send(() => to.destroySoon()))
    resume(from)
  }

  function resume(socket: Socket): void {
    if (state !== 'silent') socket.resume()
  }

  return {
    port: await listenOnFreePort(server),
    set(next) {
      state = next
      for (const socket of sockets) {
        if (state === 'cut') socket.resetAndDestroy()
        else if (state === 'silent') socket.pause()
        else if (waiting.delete(socket)) join(socket)
        else socket.resume()
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
