// A TCP connection that reads HTTP responses one by one, for requests that no client would send and for the exact bytes
// of responses.
import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  /** Status line and headers as received. */
  head: string
  /** By lower-case name. */
  headers: Record<string, string>
  body: Buffer
  text: string
  json: unknown
}

export interface RawConnection {
  write(text: string | Uint8Array): void
  /** Closes the writing side; reading continues. */
  end(): void
  /** The next response; undefined if the connection is closed. `isHead` means that no body follows. */
  response(isHead?: boolean): Promise<RawAnswer | undefined>
  /** The remaining bytes until the server closes the connection. */
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
  // A reset is treated like a close: bytes received before it count.
  socket.on('error', over)
  await once(socket, 'connect')

  const more = (): Promise<void> => new Promise((resolve) => (wake = resolve))
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.end(),
    async response(isHead = false) {
      for (;;) {
        const found = takeAnswer(received, isHead)
        if (found) {
          received = received.subarray(found.length)
          return found.response
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

/** Sends a text on a new connection and returns the first response. */
export async function askRaw(
  port: number,
  text: string | Uint8Array,
  isHead = false,
): Promise<RawAnswer> {
  const connection = await openRaw(port)
  try {
    connection.write(text)
    const response = await connection.response(isHead)
    if (!response) throw new Error('the connection was closed without a response')
    return response
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

/** Every response of the server has a Content-Length, except those without a body. */
function takeAnswer(
  bytes: Buffer,
  isHead: boolean,
): { response: RawAnswer; length: number } | undefined {
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
    response: { status, head, headers, body, text, json: toJson(text) },
    length: end + 4 + size,
  }
}

/** Undefined if it is not JSON. */
export function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
