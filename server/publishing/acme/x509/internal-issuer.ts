// An authority of our own for localhost and private networks, where no public one can look. Whoever wants its
// certificates to be believed trusts its root by hand. It keeps nothing: root and certificates are PEM.
import { randomBytes, X509Certificate } from 'node:crypto'
import type { CertificateWithKey } from './certificate-facts.ts'
import {
  authorityKeyId,
  basicConstraints,
  forServers,
  keyUsage,
  subjectAltName,
  subjectKeyId,
} from './extensions.ts'
import { createKey, keyIdOf, publicKeyInfo, readKey } from './keys.ts'
import { signCertificate } from './sign-certificate.ts'

const dayMs = 86_400_000
const rootDays = 3650
/** Clocks of private networks differ. */
const hourMs = 3_600_000

/** A new root for ten years. Its key signs certificates of hosts, never of other authorities. */
export async function createInternalRoot(title: string, now: number): Promise<CertificateWithKey> {
  const privateKey = await createKey()
  const key = readKey(privateKey)
  const publicKey = publicKeyInfo(key)
  // Roots of two installations must not be taken for each other.
  const name = `${title} ${randomBytes(4).toString('hex')}`
  const chain = signCertificate(
    {
      subject: name,
      issuer: name,
      notBefore: now - hourMs,
      notAfter: now + rootDays * dayMs,
      publicKey,
      extensions: [basicConstraints(true), keyUsage('authority'), subjectKeyId(keyIdOf(publicKey))],
    },
    key,
  )
  return { chain, key: privateKey }
}

/**
 * A certificate with a new key for host names (wildcards, too) and IP addresses. It ends when its root does at
 * the latest. Its chain is itself alone, because those who trust the root have it.
 */
export async function issueInternally(
  root: CertificateWithKey,
  names: string[],
  { days, now }: { days: number; now: number },
): Promise<CertificateWithKey> {
  const authority = new X509Certificate(root.chain)
  const signer = readKey(root.key)
  const privateKey = await createKey()
  const publicKey = publicKeyInfo(readKey(privateKey))
  const issuer = /^CN=(.*)$/m.exec(authority.subject)?.[1] ?? ''
  const chain = signCertificate(
    {
      subject: '',
      issuer,
      notBefore: now - hourMs,
      notAfter: Math.min(now + days * dayMs, authority.validToDate.getTime()),
      publicKey,
      extensions: [
        // Critical, because the subject is empty (RFC 5280, section 4.2.1.6).
        subjectAltName(names, true),
        basicConstraints(false),
        keyUsage('host'),
        forServers(),
        subjectKeyId(keyIdOf(publicKey)),
        authorityKeyId(keyIdOf(publicKeyInfo(signer))),
      ],
    },
    signer,
  )
  return { chain, key: privateKey }
}
