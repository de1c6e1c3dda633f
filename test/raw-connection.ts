// A bare TCP connection that reads answers off the wire one by one: for requests no client would send,
// and for answers byte by byte.
import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  /** Status line and fields, as they came. */
  head: string
  /** By lower-case name. */
  headers: Record<string, string>
  body: Buffer
  text: string
  json: unknown
}

export interface RawConnection {
  write(text: string | Uint8Array): void
  /** Says that nothing more is coming, and goes on reading. */
  end(): void
  /** The next answer; undefined when the connection has ended. `isHead` means that no body follows. */
  answer(isHead?: boolean): Promise<RawAnswer | undefined>
  /** Whatever else comes before the other side closes. */
  rest(): Promise<string>
  close(): void
}

/** Opens a connection to 127.0.0.1. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  let received = Buffer.alloc(0)
  let isOver = false
  let wake = (): void => {}
  const over = (): void => {
    isOver = true
    wake()
  }
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('end', over)
  socket.on('close', over)
  // A reset is an end like another: what was received before it counts.
  socket.on('error', over)
  await once(socket, 'connect')

  const more = (): Promise<void> => new Promise((resolve) => (wake = resolve))
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.end(),
    async answer(isHead = false) {
      for (;;) {
        const found = takeAnswer(received, isHead)
        if (found) {
          received = received.subarray(found.length)
          return found.answer
        }
        if (isOver) return undefined
        await more()
      }
    },
    async rest() {
      while (!isOver) await more()
      return received.toString('latin1')
    },
    close: () => void socket.destroy(),
  }
}

/** Sends one text on a connection of its own and gives the first answer. */
export async function askRaw(
  port: number,
  text: string | Uint8Array,
  isHead = false,
): Promise<RawAnswer> {
  const connection = await openRaw(port)
  try {
    connection.write(text)
    const answer = await connection.answer(isHead)
    if (!answer) throw new Error('the connection ended without an answer')
    return answer
  } finally {
    connection.close()
  }
}

/** The text of a request: `requestText('GET', '/v1/pets', { Host: 'localhost' })`. */
export function requestText(
  method: string,
  target: string,
  headers: Record<string, string>,
  body = '',
): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n${body}`
}

/** Every answer of the service has a Content-Length, except those that have no body. */
function takeAnswer(
  bytes: Buffer,
  isHead: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const [line = '', ...fields] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(':')
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim()
  }
  const status = Number(line.split(' ')[1])
  const isEmpty = isHead || status < 200 || status === 204 || status === 304
  const size = isEmpty ? 0 : Number(headers['content-length'])
  if (bytes.length < end + 4 + size) return undefined
  const body = bytes.subarray(end + 4, end + 4 + size)
  const text = body.toString()
  return {
    answer: { status, head, headers, body, text, json: toJson(text) },
    length: end + 4 + size,
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
