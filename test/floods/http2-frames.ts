// Raw HTTP/2 (RFC 9113), for clients that no library is: the preface, settings, frames one by one.
import type { TLSSocket } from 'node:tls'
import { openTls } from '../edge/clients.ts'

/** Types of frames (section 6). */
const frameTypes = {
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
} as const

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function windowUpdate(stream: number, bytes: number): Buffer {
  return frame(frameTypes.windowUpdate, 0, stream, uint32(bytes))
}

export function reset(stream: number): Buffer {
  return frame(frameTypes.reset, 0, stream, uint32(8))
}

/** A PRIORITY frame of RFC 7540: the stream depends on `on`. */
export function priority(stream: number, on: number): Buffer {
  return frame(frameTypes.priority, 0, stream, Buffer.concat([uint32(on), Buffer.from([15])]))
}

/** A GET without compression of its own: literal fields, never indexed. */
export function get(stream: number, path: string, authority: string): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value)
    if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
    const length = [127]
    let rest = bytes.length - 127
    for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128)
    return Buffer.concat([Buffer.from([...length, rest]), bytes])
  }
  const fields = Buffer.concat([
    // :method GET and :scheme https are in the static table.
    Buffer.from([0x82, 0x87]),
    Buffer.from([0x04]),
    text(path),
    Buffer.from([0x01]),
    text(authority),
  ])
  // END_STREAM, END_HEADERS.
  return frame(frameTypes.headers, 5, stream, fields)
}

/** Opens a connection whose streams begin with a window of so many bytes. */
export async function openFrames(
  port: number,
  host: string,
  ca: string,
  windowBytes: number,
  localAddress = '127.0.0.1',
): Promise<TLSSocket> {
  const options = { ALPNProtocols: ['h2'], localAddress }
  const socket = await openTls(port, host, ca, options)
  const setting = Buffer.concat([Buffer.from([0, 4]), uint32(windowBytes)])
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame(frameTypes.settings, 0, 0, setting))
  return socket
}
