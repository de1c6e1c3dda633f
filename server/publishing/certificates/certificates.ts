// What the rest of publishing asks of certificates.
import type { Pem } from '../../platform/http/tls/host-directory.ts'
import type { Ours } from '../domains/evidence/evidence.ts'
import type { Work } from '../domains/scheduling/due-domains.ts'

export interface Certificates {
  /** Issues and renews, step by step; what is begun goes on where it stopped, whoever goes on with it. */
  attend: Work['attend']
  /** What answers HTTP-01 at a host, while that is asked (RFC 8555, section 8.3); from the database. */
  keyAuthorizationFor(host: string, token: string): Promise<string | undefined>
  /** What answers TLS-ALPN-01 at a host, while that is asked (RFC 8737); from the database. */
  challengeFor(host: string): Promise<Pem | undefined>
  /** A certificate with its key, in the clear. Rejects when there is none of this id, or it cannot be decrypted. */
  load(id: string): Promise<Pem>
  /** Who issues, as CAA records have to name them, as far as that is known now. */
  authorities(): Promise<Ours['authorities']>
  stop(): Promise<void>
}
