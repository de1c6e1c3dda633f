// The internal certificate authority for localhost and private networks, which public authorities cannot reach.
// Clients must trust its root explicitly. It stores nothing: root and certificates are PEM.
import { randomBytes, X509Certificate } from 'node:crypto'
import type { CertificateWithKey } from './certificate-facts.ts'
import {
  authorityKeyId,
  basicConstraints,
  keyUsage,
  serverAuthUsage,
  subjectAltName,
  subjectKeyId,
} from './extensions.ts'
import { createKey, keyIdOf, publicKeyInfo, readKey } from './keys.ts'
import { signCertificate } from './sign-certificate.ts'

const dayMs = 86_400_000
const rootDays = 3650
/** Tolerates clock differences in private networks. */
const hourMs = 3_600_000

/** A new root for ten years. Its key signs host certificates, never those of other authorities. */
export async function createInternalRoot(title: string, now: number): Promise<CertificateWithKey> {
  const privateKey = await createKey()
  const key = readKey(privateKey)
  const publicKey = publicKeyInfo(key)
  // Two installations must not have roots of the same name.
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
 * A certificate with a new key for host names (wildcards, too) and IP addresses. It expires with its root at the
 * latest. The chain is the certificate alone: clients that trust the root have the root.
 */
export async function issueInternally(
  root: CertificateWithKey,
  names: string[],
  { days, now }: { days: number; now: number },
): Promise<CertificateWithKey> {
  const privateKey = await createKey()
  const publicKey = publicKeyInfo(readKey(privateKey))
  const validity = { notBefore: now - hourMs, notAfter: now + days * dayMs }
  return { chain: signHostCertificate(root, names, publicKey, validity), key: privateKey }
}

/** Signs a certificate for a public key (SubjectPublicKeyInfo, DER). Returns PEM. */
export function signHostCertificate(
  root: CertificateWithKey,
  names: string[],
  publicKey: Buffer,
  { notAfter, notBefore }: { notBefore: number; notAfter: number },
): string {
  const authority = new X509Certificate(root.chain)
  const signer = readKey(root.key)
  return signCertificate(
    {
      subject: '',
      issuer: /^CN=(.*)$/m.exec(authority.subject)?.[1] ?? '',
      notBefore,
      notAfter: Math.min(notAfter, authority.validToDate.getTime()),
      publicKey,
      extensions: [
        // Critical, because the subject is empty (RFC 5280, section 4.2.1.6).
        subjectAltName(names, true),
        basicConstraints(false),
        keyUsage('host'),
        serverAuthUsage(),
        subjectKeyId(keyIdOf(publicKey)),
        authorityKeyId(keyIdOf(publicKeyInfo(signer))),
      ],
    },
    signer,
  )
}
