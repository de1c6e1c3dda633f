// What answers a challenge: the key authorization (RFC 8555, section 8.1), where HTTP-01 looks for it, and the
// certificate that TLS-ALPN-01 wants to see (RFC 8737).
import { createHash } from 'node:crypto'
import { extension, oids, subjectAltName } from '../x509/extensions.ts'
import { createKey, publicJwk, publicKeyInfo, readKey, thumbprint } from '../x509/keys.ts'
import { signCertificate } from '../x509/sign-certificate.ts'
import { octetString } from '../x509/write-der.ts'

/** What follows is the token; the answer is the key authorization, as `application/octet-stream`. */
export const httpChallengePath = '/.well-known/acme-challenge/'
/** The name of the protocol in ALPN. */
export const tlsChallengeProtocol = 'acme-tls/1'

const dayMs = 86_400_000

/** `privateKey` is the account's. */
export function keyAuthorization(token: string, privateKey: string): string {
  return `${token}.${thumbprint(publicJwk(readKey(privateKey)))}`
}

/** The certificate for TLS-ALPN-01 with a key of its own, both PEM. It proves nothing to anybody else. */
export async function createChallengeCertificate(
  host: string,
  authorization: string,
  now: number,
): Promise<{ chain: string; key: string }> {
  const privateKey = await createKey()
  const key = readKey(privateKey)
  const digest = createHash('sha256').update(authorization).digest()
  const chain = signCertificate(
    {
      subject: '',
      issuer: 'ACME challenge',
      notBefore: now - dayMs,
      notAfter: now + 7 * dayMs,
      publicKey: publicKeyInfo(key),
      extensions: [
        subjectAltName([host]),
        extension(oids.acmeIdentifier, octetString(digest), true),
      ],
    },
    key,
  )
  return { chain, key: privateKey }
}
