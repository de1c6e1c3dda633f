// Pipelined requests (RFC 9112, section 9.3.2): those that arrive on an HTTP/1.1 connection before earlier ones have their
// responses. A few are handled ahead of their turn. The others wait unhandled, so that they hold no more than their heads,
// and nothing is done for them if the connection closes.
import type { Socket } from 'node:net'
import type { Limits } from '../limits.ts'
import type { Clients } from './clients.ts'
import { type Connection, type Exchange, headBytes } from './connections.ts'

interface Pipeline {
  readonly connection: Connection
  readonly waiting: Exchange[]
  /** Nothing is read from the connection. */
  isHeld: boolean
}

/** Returns a function that takes a request whose response does not have its turn. */
export function createPipelines(
  clients: Clients,
  limits: Pick<Limits, 'pipelinedAhead' | 'pipelinedWaiting'>,
  handle: (exchange: Exchange) => void,
): (exchange: Exchange, connection: Connection) => void {
  const bySocket = new WeakMap<Socket, Pipeline>()

  function begin(socket: Socket, connection: Connection): Pipeline {
    const pipeline: Pipeline = { connection, waiting: [], isHeld: false }
    bySocket.set(socket, pipeline)
    socket.once('close', () => forget(pipeline))
    // Node resumes a socket after each response.
    socket.on('resume', () => {
      if (pipeline.isHeld) socket.pause()
    })
    return pipeline
  }

  function forget({ connection, waiting }: Pipeline): void {
    clients.releaseWaiting(connection.client, waiting.length)
    waiting.length = 0
  }

  function handleAhead(pipeline: Pipeline, exchange: Exchange): void {
    pipeline.connection.ahead.push(exchange.response)
    exchange.request.isWaiting = false
    exchange.response.once('socket', (socket: Socket) => advance(pipeline, socket))
    handle(exchange)
  }

  /** The first of those that were handled ahead has its turn: another one takes its place. */
  function advance(pipeline: Pipeline, socket: Socket): void {
    pipeline.connection.ahead.shift()
    if (socket.destroyed) {
      forget(pipeline)
      return
    }
    const { connection, waiting } = pipeline
    const next = waiting.shift()
    if (!next) return
    clients.releaseWaiting(connection.client)
    connection.headBytes -= headBytes(next.request.rawHeaders)
    if (pipeline.isHeld && waiting.length <= limits.pipelinedWaiting / 2) {
      pipeline.isHeld = false
      socket.resume()
    }
    handleAhead(pipeline, next)
  }

  return (exchange, connection) => {
    const { socket } = exchange.request
    if (socket.destroyed) return
    const pipeline = bySocket.get(socket) ?? begin(socket, connection)
    const { waiting } = pipeline
    if (waiting.length === 0 && connection.ahead.length < limits.pipelinedAhead) {
      handleAhead(pipeline, exchange)
    } else if (clients.takeWaiting(connection.client)) {
      exchange.request.isWaiting = true
      connection.headBytes += headBytes(exchange.request.rawHeaders)
      waiting.push(exchange)
      if (pipeline.isHeld || waiting.length < limits.pipelinedWaiting) return
      pipeline.isHeld = true
      socket.pause()
    } else {
      // One response cannot be left out, so that the client repeats all that it did not get.
      socket.destroy()
    }
  }
}
