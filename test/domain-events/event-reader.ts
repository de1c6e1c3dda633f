// Reads a stream of server-sent events as a browser does, over HTTP/1.1 or HTTP/2.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'

export interface ReadEvent {
  id: string
  name: string
  data: unknown
}

export interface EventReader {
  status: number
  headers: Record<string, string>
  /** The next event. Rejects when none arrives in time, or when the stream has ended. */
  next(): Promise<ReadEvent>
  /** The next event of this name. */
  nextOf(name: string): Promise<ReadEvent>
  /** The next comment. */
  comment(): Promise<string>
  /** How the stream ended: `end` is regular, anything else is an abort. */
  ended: Promise<string>
  /** Stops reading from the connection. */
  pause(): void
  close(): void
}

const withinMs = 30_000

/** Opens a stream over HTTP/1.1. `path` is below `/api`. */
export async function followByHttp1(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<EventReader> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: `/api${path}`,
    agent: false,
    headers: { host: `localhost:${port}`, accept: 'text/event-stream', ...headers },
  }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const fields = Object.entries(response.headers).map(([name, value]) => [name, `${value}`])
  return readerOf(response, response.statusCode ?? 0, Object.fromEntries(fields), () =>
    asked.destroy(),
  )
}

/** Opens a stream on a connection of HTTP/2. */
export async function followByHttp2(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string>,
): Promise<EventReader> {
  const stream: ClientHttp2Stream = session.request({
    ':path': `/api${path}`,
    accept: 'text/event-stream',
    ...headers,
  })
  const [fields] = (await once(stream, 'response')) as [Record<string, string | number>]
  return readerOf(stream, Number(fields[':status']), fields as Record<string, string>, () =>
    stream.close(),
  )
}

function readerOf(
  stream: Readable,
  status: number,
  headers: Record<string, string>,
  close: () => void,
): EventReader {
  const events: ReadEvent[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  let over: string | undefined
  const notifyWaiting = (): void => {
    for (const wake of [...waiting]) wake()
  }
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      over ??= how
      resolve(over)
      notifyWaiting()
    }
    stream.on('end', () => end('end'))
    stream.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    stream.on('close', () => end('close'))
  })
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block.slice(2))
      else events.push(eventOf(block))
    }
    notifyWaiting()
  })

  function take<T>(from: T[], isWanted: (one: T) => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = from.findIndex(isWanted)
        if (at < 0 && over === undefined) return
        clearTimeout(timer)
        waiting.delete(look)
        if (at < 0) reject(new Error(`the stream has ended: ${over}`))
        else resolve(from.splice(0, at + 1)[at] as T)
      }
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`nothing came; there is ${JSON.stringify(from)}`))
      }, withinMs)
      waiting.add(look)
      look()
    })
  }

  return {
    status,
    headers,
    next: () => take(events, () => true),
    nextOf: (name) => take(events, (event) => event.name === name),
    comment: () => take(comments, () => true),
    ended,
    pause: () => void stream.pause(),
    close,
  }
}

function eventOf(block: string): ReadEvent {
  const fields: Record<string, string> = Object.fromEntries(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  const { data = 'null', event = '', id = '' } = fields
  return { id, name: event, data: JSON.parse(data) }
}
