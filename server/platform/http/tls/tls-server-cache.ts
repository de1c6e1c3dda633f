// The certificates in use. Each has a TLS server of its own that listens nowhere: connections are handed to
// it once it is known whom they want. A door costs 40 KiB and half a millisecond, so that one is made when
// its host is first asked for, and those that were asked for longest ago make room.
import { constants, hash } from 'node:crypto'
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Awaitable } from '../../database/database.ts'
import type { HostCertificate, Pem } from './host-directory.ts'

export interface DoorOptions {
  /** Kept at most. */
  most: number
  /**
   * The 48 bytes that session tickets are sealed with: the same in all workers and on all nodes. Another
   * Buffer is another key; doors follow when they are next asked for.
   */
  ticketKeys(): Buffer
  handshakeTimeoutMs: number
  /** Called with each connection whose handshake is done. */
  onSecure(socket: TLSSocket): void
  onFailure(): void
}

export interface Doors {
  /** Emit 'connection' on it to begin a handshake. Those who ask at the same time wait for one loading. */
  doorOf(certificate: HostCertificate): Awaitable<Server>
  /** For a handshake that shows a challenge's certificate (RFC 8737), and is never resumed. */
  challengeDoor(pem: Pem): Server
  readonly size: number
}

/** The protocol of TLS-ALPN-01 (RFC 8737, section 6.2). */
export const challengeProtocol = 'acme-tls/1'

/** A ticket is good for so long (RFC 8446, section 4.6.1, allows seven days). */
const ticketSeconds = 12 * 60 * 60

interface Entry {
  ticketKeys: Buffer
  door: Awaitable<Server>
}

export function createDoors(options: DoorOptions): Doors {
  const { handshakeTimeoutMs, most, onFailure, onSecure, ticketKeys } = options
  // In the order in which they were last asked for.
  const entries = new Map<string, Entry>()

  function makeDoor({ chain, key }: Pem, secureOptions: number, given: TlsOptions): Server {
    const door = createServer({
      cert: chain,
      key,
      minVersion: 'TLSv1.2',
      secureOptions: secureOptions | constants.SSL_OP_NO_RENEGOTIATION,
      handshakeTimeout: handshakeTimeoutMs,
      ...given,
    })
    door.on('secureConnection', onSecure)
    door.on('tlsClientError', (_, socket) => {
      onFailure()
      socket.destroy()
    })
    return door
  }

  async function load(certificate: HostCertificate, entry: Entry): Promise<Server> {
    const { id } = certificate
    try {
      const pem = await certificate.load()
      entry.door = makeDoor(pem, constants.SSL_OP_CIPHER_SERVER_PREFERENCE, {
        ALPNProtocols: ['h2', 'http/1.1'],
        ticketKeys: entry.ticketKeys,
        // A session is good for the certificate under which it began, and for no other.
        sessionIdContext: hash('sha256', id).slice(0, 32),
        sessionTimeout: ticketSeconds,
      })
      return entry.door
    } catch (error) {
      if (entries.get(id) === entry) entries.delete(id)
      throw error
    }
  }

  return {
    doorOf(certificate) {
      const { id } = certificate
      const keys = ticketKeys()
      const known = entries.get(id)
      entries.delete(id)
      if (known?.ticketKeys === keys) {
        entries.set(id, known)
        return known.door
      }
      const [oldest] = entries.keys()
      if (oldest !== undefined && entries.size >= most) entries.delete(oldest)
      const entry = { ticketKeys: keys } as Entry
      entries.set(id, entry)
      entry.door = load(certificate, entry)
      return entry.door
    },
    challengeDoor: (pem) =>
      makeDoor(pem, constants.SSL_OP_NO_TICKET, { ALPNProtocols: [challengeProtocol] }),
    get size() {
      return entries.size
    },
  }
}
