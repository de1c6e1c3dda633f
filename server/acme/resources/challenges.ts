// Challenge responses: the key authorization (RFC 8555, section 8.1), the path of HTTP-01, and the certificate of
// TLS-ALPN-01 (RFC 8737).
import { createHash } from 'node:crypto'
import { extension, oids, subjectAltName } from '../x509/extensions.ts'
import { createKey, publicJwk, publicKeyInfo, readKey, thumbprint } from '../x509/keys.ts'
import { signCertificate } from '../x509/sign-certificate.ts'
import { octetString } from '../x509/write-der.ts'

/** Followed by the token; the response is the key authorization, as `application/octet-stream`. */
export const httpChallengePath = '/.well-known/acme-challenge/'
/** The ALPN protocol name. */
export const tlsChallengeProtocol = 'acme-tls/1'

const dayMs = 86_400_000

/** `privateKey` is the account's. */
export function keyAuthorization(token: string, privateKey: string): string {
  return `${token}.${thumbprint(publicJwk(readKey(privateKey)))}`
}

/** Of the TXT record of DNS-01, before the host (RFC 8555, section 8.4). */
export const dnsChallengeLabel = '_acme-challenge'

/** The value of that record. */
export function dnsChallengeValue(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64url')
}

/** The certificate for TLS-ALPN-01 with a new key, both PEM. */
export async function createChallengeCertificate(host: string, authorization: string, now: number) {
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
