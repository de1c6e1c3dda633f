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

type ReadHello =
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
  reader.skip(34)
  reader.skip(reader.number(1))
  reader.skip(reader.number(2))
  reader.skip(reader.number(1))
  const hello: ClientHello = { host: undefined, serverName: '', protocols: [] }
  if (reader.isAtEnd) return hello
  const extensions = reader.vector(2)
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    if (type === serverNameExtension) {
      if (hello.serverName !== '') throw new Malformed('server_name is there twice')
      hello.serverName = readServerName(extensions.vector(2))
      hello.host = hostOf(hello.serverName)
    } else if (type === protocolsExtension) {
      if (hello.protocols.length > 0) throw new Malformed('the protocols are there twice')
      hello.protocols = readProtocols(extensions.vector(2))
    } else extensions.skip(extensions.number(2))
  }
  return hello
}

function readServerName(data: Reader): string {
  const names = data.vector(2)
  const type = names.number(1)
  const name = names.text(2)
  // There is one type, and of one type one name.
  if (type !== 0 || !names.isAtEnd) throw new Malformed('server_name is not one host name')
  if (!/^[A-Za-z0-9._:-]{1,254}$/.test(name)) throw new Malformed('server_name is no host name')
  return name
}

function hostOf(name: string): string | undefined {
  // Most names have no digit, and isIP is slow.
  if (/[:\d]/.test(name) && isIP(name) !== 0) return undefined
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

function readProtocols(data: Reader): string[] {
  const list = data.vector(2)
  const protocols: string[] = []
  while (!list.isAtEnd) protocols.push(list.text(1))
  return protocols
}

class Reader {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  /** Returns where the skipped bytes begin. */
  skip(length: number): number {
    const start = this.#at
    if (start + length > this.#end) throw new Malformed('it ends too soon')
    this.#at = start + length
    return start
  }

  number(bytes: 1 | 2): number {
    const at = this.skip(bytes)
    const first = this.#bytes[at] as number
    return bytes === 1 ? first : first * 256 + (this.#bytes[at + 1] as number)
  }

  /** What stands behind its own length, which is written in so many bytes. */
  vector(lengthBytes: 1 | 2): Reader {
    const length = this.number(lengthBytes)
    const start = this.skip(length)
    return new Reader(this.#bytes, start, start + length)
  }

  /** The same as text. */
  text(lengthBytes: 1 | 2): string {
    const length = this.number(lengthBytes)
    const start = this.skip(length)
    return this.#bytes.toString('latin1', start, start + length)
  }
}
