// Reads what a TLS client says first (RFC 8446, section 4.1.2) from the bytes of the connection, before any
// cryptography: which host it wants (RFC 6066, section 3), and which protocols it speaks (RFC 7301).
// Bounded: whatever is sent, no more than `maxHelloBytes` are looked at.
import { isIP } from 'node:net'

export interface ClientHello {
  /** Lower case, without a dot at the end; undefined when none is named, or an address is. */
  host: string | undefined
  /** What stands in server_name to the letter; empty without. */
  serverName: string
  /** By preference; empty when the client names none. */
  protocols: string[]
}

export type ReadHello =
  | { kind: 'hello'; hello: ClientHello }
  /** There must be so many bytes before it is worth another look. */
  | { kind: 'more'; bytes: number }
  /** Another protocol, plain HTTP perhaps. */
  | { kind: 'other' }
  /** TLS that is broken, or longer than anybody's. */
  | { kind: 'bad' }

/** Ten times what browsers send, keys for the days of quantum computers included. */
export const maxHelloBytes = 16 * 1024
const maxRecords = 32
const maxRecordBytes = 16 * 1024
const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const protocolsExtension = 16

/** `bytes` are all that have come so far, from the first one on. */
export function readClientHello(bytes: Buffer): ReadHello {
  const gathered = gatherRecords(bytes)
  if ('kind' in gathered) return gathered
  try {
    return { kind: 'hello', hello: readMessage(gathered.message) }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'bad' }
    throw error
  }
}

/** The handshake message, which may be in several records. */
function gatherRecords(bytes: Buffer): { message: Buffer } | ReadHello {
  const parts: Buffer[] = []
  let at = 0
  let have = 0
  for (let records = 0; records < maxRecords; records++) {
    if (bytes.length > at && bytes[at] !== handshakeRecord)
      return { kind: at === 0 ? 'other' : 'bad' }
    if (bytes.length > at + 1 && bytes[at + 1] !== 3) return { kind: at === 0 ? 'other' : 'bad' }
    if (bytes.length < at + 5) return { kind: 'more', bytes: at + 5 }
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > maxRecordBytes) return { kind: 'bad' }
    const end = at + 5 + length
    // What the message announces can be refused before all of it is there.
    const part = bytes.subarray(at + 5, end)
    parts.push(part)
    have += part.length
    const start = parts.length === 1 ? part : Buffer.concat(parts)
    if (have >= 1 && start[0] !== clientHello) return { kind: 'bad' }
    const whole = have >= 4 ? 4 + start.readUIntBE(1, 3) : 4
    if (whole > maxHelloBytes) return { kind: 'bad' }
    if (have >= whole && whole > 4) return { message: start.subarray(4, whole) }
    if (bytes.length < end) return { kind: 'more', bytes: Math.min(end, at + 5 + whole) }
    at = end
  }
  return { kind: 'bad' }
}

class Malformed extends Error {}

function readMessage(message: Buffer): ClientHello {
  const reader = new Reader(message)
  // Version and random.
  reader.take(34)
  reader.vector(1)
  reader.vector(2)
  reader.vector(1)
  const hello: ClientHello = { host: undefined, serverName: '', protocols: [] }
  if (reader.isAtEnd) return hello
  const extensions = new Reader(reader.vector(2))
  const seen = new Set<number>()
  while (!extensions.isAtEnd) {
    const type = extensions.take(2).readUInt16BE()
    const data = new Reader(extensions.vector(2))
    if (seen.has(type)) throw new Malformed('an extension is there twice')
    seen.add(type)
    if (type === serverNameExtension) {
      hello.serverName = readServerName(data)
      hello.host = hostOf(hello.serverName)
    } else if (type === protocolsExtension) hello.protocols = readProtocols(data)
  }
  return hello
}

function readServerName(data: Reader): string {
  const names = new Reader(data.vector(2))
  const type = names.take(1)[0]
  const name = names.vector(2).toString('latin1')
  // There is one type, and of one type one name.
  if (type !== 0 || !names.isAtEnd) throw new Malformed('server_name is not one host name')
  if (!/^[A-Za-z0-9._:-]{1,254}$/.test(name)) throw new Malformed('server_name is no host name')
  return name
}

function hostOf(name: string): string | undefined {
  if (isIP(name)) return undefined
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

function readProtocols(data: Reader): string[] {
  const list = new Reader(data.vector(2))
  const protocols: string[] = []
  while (!list.isAtEnd) protocols.push(list.vector(1).toString('latin1'))
  return protocols
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Malformed('it ends too soon')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** What stands behind its own length, which is written in so many bytes. */
  vector(lengthBytes: number): Buffer {
    return this.take(this.take(lengthBytes).readUIntBE(0, lengthBytes))
  }
}
