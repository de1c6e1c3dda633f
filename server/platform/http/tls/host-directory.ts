// What the secure listener asks about hosts. It keeps nothing of the answers but certificates by their id.
import type { Awaitable } from '../../database/database.ts'

export interface Pem {
  /** The certificate and those that lead to its root, in PEM. */
  chain: string
  /** The private key, in PEM. */
  key: string
}

export interface HostCertificate {
  /** Another for each certificate: what is shown under an id never changes. */
  id: string
  load(): Awaitable<Pem>
}

/** Hosts are in lower case, without a dot at the end. An answer is true at the time of asking. */
export interface HostDirectory {
  /**
   * The certificate to show for a host; undefined: none, and the handshake is refused, and so is the next
   * request on a connection that is open. Asked at every handshake and at every request, so that an answer
   * at once is worth having. Rejects when it cannot be known now.
   */
  certificateFor(host: string): Awaitable<HostCertificate | undefined>
  /** The certificate that answers a TLS-ALPN-01 challenge for a host (RFC 8737), while there is one. */
  challengeFor(host: string): Awaitable<Pem | undefined>
}
