// The OpenSSL contexts of certificates, and what the HTTPS listener asks about hosts. A context takes 35 KiB and a sixth of a
// millisecond: it is created for the first connection to its host. Dropped are those that were not used for a while, as those
// of renewed certificates, and beyond a maximum the least recently used. Session tickets are encrypted with a key of the day,
// derived from a secret that all nodes share: one key reveals nothing of other days, and all nodes have the same without
// communication.
import { constants, hash, hkdfSync } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Clock } from '../../clock.ts'
import type { Awaitable } from '../../database/database.ts'
import { freeContext } from '../node-internals.ts'

interface SecureContextsOptions {
  maxContexts: number
  /**
   * The 48 bytes that encrypt session tickets: the same in all workers and on all nodes. Another Buffer is another
   * key, which a context gets when it is next used.
   */
  ticketKeys(): Buffer
  /** Milliseconds from any start. */
  now?: () => number
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
  readonly id: string
  usedAt: number
  ticketKeys: Buffer
  context: Awaitable<SecureContext>
}

/** Frees the memory of a context that is not used any more. Not while it is loaded, because handshakes wait for it. */
function free({ context }: Entry): void {
  // Handshakes that have just been given it start in this turn.
  if (!(context instanceof Promise)) setImmediate(freeContext, context)
}

function createContext({ chain, key }: Pem, options: SecureContextOptions): SecureContext {
  return createSecureContext({ cert: chain, key, minVersion: 'TLSv1.2', ciphers, ...options })
}

/** For a handshake that shows a challenge's certificate (RFC 8737), and is never resumed. */
export function challengeContext(pem: Pem): SecureContext {
  const secureOptions = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
  return createContext(pem, { secureOptions })
}

export function createSecureContexts(options: SecureContextsOptions) {
  const { maxContexts, now = () => performance.now(), ticketKeys } = options
  // Least recently used first.
  const entries = new Map<string, Entry>()
  let newest: Entry | undefined

  async function load(certificate: HostCertificate, entry: Entry): Promise<SecureContext> {
    try {
      entry.context = createContext(await certificate.load(), {
        secureOptions:
          constants.SSL_OP_CIPHER_SERVER_PREFERENCE | constants.SSL_OP_NO_RENEGOTIATION,
        ticketKeys: entry.ticketKeys,
        // A session is valid for the certificate that it started with only.
        sessionIdContext: hash('sha256', entry.id).slice(0, 32),
        sessionTimeout: ticketSeconds,
      })
      return entry.context
    } catch (error) {
      if (entries.get(entry.id) === entry) entries.delete(entry.id)
      throw error
    }
  }

  /** One for each handshake: together they would delay it. */
  function dropOldest(used: Entry | undefined, usedAt: number): void {
    const [oldest] = entries.values()
    if (!oldest || oldest === used) return
    const isFull = used === undefined && entries.size >= maxContexts
    if (!isFull && oldest.usedAt >= usedAt - maxIdleMs) return
    entries.delete(oldest.id)
    free(oldest)
  }

  return {
    /**
     * To be used in the same turn: later it may have been freed. Concurrent calls share one load of the certificate.
     */
    contextFor(certificate: HostCertificate): Awaitable<SecureContext> {
      const { id } = certificate
      const keys = ticketKeys()
      const usedAt = now()
      const cached = entries.get(id)
      dropOldest(cached, usedAt)
      if (cached?.ticketKeys === keys) {
        cached.usedAt = usedAt
        if (cached !== newest) {
          entries.delete(id)
          entries.set(id, cached)
          newest = cached
        }
        return cached.context
      }
      if (cached) {
        entries.delete(id)
        free(cached)
      }
      const entry = { id, ticketKeys: keys, usedAt } as Entry
      entries.set(id, entry)
      newest = entry
      entry.context = load(certificate, entry)
      return entry.context
    },
    get size() {
      return entries.size
    },
  }
}

export interface Pem {
  /** The certificate with its chain, in PEM. */
  chain: string
  /** The private key, in PEM. */
  key: string
}

export interface HostCertificate {
  /** The certificate of an id never changes. */
  id: string
  load(): Awaitable<Pem>
}

/** Hosts are in lower case, without a trailing dot. */
export interface HostDirectory {
  /**
   * The certificate of a host. Undefined refuses the handshake, or the next request on an open connection.
   * Called for every handshake and every request, so a synchronous answer is worth having. Rejects if the
   * certificate cannot be determined now.
   */
  certificateFor(host: string): Awaitable<HostCertificate | undefined>
  /** The certificate that answers a TLS-ALPN-01 challenge for a host (RFC 8737), while there is one. */
  challengeFor(host: string): Awaitable<Pem | undefined>
}

const dayMs = 24 * 60 * 60_000

/** Gives the key of the moment, the same Buffer all day (UTC). `secret` is 32 random bytes or more. */
export function createTicketKeys(secret: Buffer, clock: Clock): () => Buffer {
  let day = -1
  let keys = Buffer.alloc(0)
  return () => {
    const today = Math.floor(clock() / dayMs)
    if (today !== day) {
      day = today
      keys = Buffer.from(hkdfSync('sha256', secret, '', `TLS session tickets, day ${today}`, 48))
    }
    return keys
  }
}
