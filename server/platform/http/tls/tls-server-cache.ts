// A TLS server for each certificate in use, which listens nowhere: connections are handed to it once their host is
// known. A server takes 40 KiB and half a millisecond: it is created for the first connection to its host. Those that
// were not used for a while are dropped, as those of certificates that were renewed, and beyond a number the least
// recently used ones.
import { constants, hash } from 'node:crypto'
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Awaitable } from '../../database/database.ts'
import type { HostCertificate, Pem } from './host-directory.ts'

export interface TlsServerCacheOptions {
  maxServers: number
  /**
   * The 48 bytes that encrypt session tickets: the same in all workers and on all nodes. Another Buffer is another
   * key, which a server gets when it is next used.
   */
  ticketKeys(): Buffer
  handshakeTimeoutMs: number
  /** Milliseconds from any start. */
  now?: () => number
  /** Called with each connection whose handshake is done. */
  onSecure(socket: TLSSocket): void
  onFailure(): void
}

/** The protocol of TLS-ALPN-01 (RFC 8737, section 6.2). */
export const challengeProtocol = 'acme-tls/1'

/** Forward secrecy and authenticated encryption only, with the suites of TLS 1.3 first (RFC 9325, section 4.2). */
const ciphers = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':')

/** The lifetime of a ticket (RFC 8446, section 4.6.1, allows seven days). */
const ticketSeconds = 12 * 60 * 60

const maxIdleMs = 10 * 60 * 1000

interface Entry {
  usedAt: number
  ticketKeys: Buffer
  server: Awaitable<Server>
}

/** Where Node keeps what OpenSSL holds for a server; it frees the context of a single connection in this way. */
interface ServerWithContext extends Server {
  _sharedCreds?: { context?: { close?(): void } } | undefined
}

/**
 * Frees the memory of a server that is not used any more. V8 does not know of it: with its garbage collection alone,
 * thousands of dropped servers stayed. Open connections keep what they need. Not while it is loaded, because then
 * handshakes wait for it.
 */
function free({ server }: Entry): void {
  if (server instanceof Promise) return
  // Handshakes that have just been given it start in this turn.
  setImmediate((dropped: ServerWithContext) => {
    const context = dropped._sharedCreds?.context
    // A handshake with a closed context would end the process; without one it fails.
    dropped._sharedCreds = undefined
    context?.close?.()
  }, server)
}

export function createTlsServerCache(options: TlsServerCacheOptions) {
  const { handshakeTimeoutMs, maxServers, now = () => performance.now() } = options
  const { onFailure, onSecure, ticketKeys } = options
  // Least recently used first.
  const entries = new Map<string, Entry>()

  function createTlsServer({ chain, key }: Pem, secureOptions: number, given: TlsOptions): Server {
    const server = createServer({
      cert: chain,
      key,
      minVersion: 'TLSv1.2',
      ciphers,
      secureOptions: secureOptions | constants.SSL_OP_NO_RENEGOTIATION,
      handshakeTimeout: handshakeTimeoutMs,
      ...given,
    })
    server.on('secureConnection', onSecure)
    server.on('tlsClientError', (_, socket) => {
      onFailure()
      socket.destroy()
    })
    return server
  }

  async function load(certificate: HostCertificate, entry: Entry): Promise<Server> {
    const { id } = certificate
    try {
      const pem = await certificate.load()
      entry.server = createTlsServer(pem, constants.SSL_OP_CIPHER_SERVER_PREFERENCE, {
        ALPNProtocols: ['h2', 'http/1.1'],
        ticketKeys: entry.ticketKeys,
        // A session is valid for the certificate that it started with only.
        sessionIdContext: hash('sha256', id).slice(0, 32),
        sessionTimeout: ticketSeconds,
      })
      return entry.server
    } catch (error) {
      if (entries.get(id) === entry) entries.delete(id)
      throw error
    }
  }

  return {
    /**
     * Emit 'connection' on it to start a handshake, in the same turn: later it may have been dropped. Concurrent calls
     * share one load of the certificate.
     */
    serverFor(certificate: HostCertificate) {
      const { id } = certificate
      const keys = ticketKeys()
      const usedAt = now()
      const known = entries.get(id)
      entries.delete(id)
      const [oldest] = entries
      // One for each handshake: together they would delay it.
      if (oldest && (entries.size >= maxServers || oldest[1].usedAt < usedAt - maxIdleMs)) {
        entries.delete(oldest[0])
        free(oldest[1])
      }
      if (known?.ticketKeys === keys) {
        known.usedAt = usedAt
        entries.set(id, known)
        return known.server
      }
      if (known) free(known)
      const entry = { ticketKeys: keys, usedAt } as Entry
      entries.set(id, entry)
      entry.server = load(certificate, entry)
      return entry.server
    },
    /** For a handshake that shows a challenge's certificate (RFC 8737), and is never resumed. */
    challengeServer: (pem: Pem) =>
      createTlsServer(pem, constants.SSL_OP_NO_TICKET, { ALPNProtocols: [challengeProtocol] }),
    get size() {
      return entries.size
    },
  }
}
