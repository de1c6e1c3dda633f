// What the HTTPS listener asks about hosts. It caches loaded certificates by their ids only.
import type { Awaitable } from '../../database/database.ts'

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
