// The internal certificate authority for localhost and private networks, which public authorities cannot reach.
// Clients must trust its root explicitly. It stores nothing: root and certificates are PEM.
import { randomBytes, X509Certificate } from 'node:crypto'
import type { CertificateWithKey } from './certificate-facts.ts'
import {
  authorityKeyId,
  basicConstraints,
  keyUsage,
  nameConstraints,
  readExtensions,
  readPermittedHosts,
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

/** Addresses of this machine and of private networks. */
const privateRanges = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['100.64.0.0/10', '::1/128', 'fc00::/7', 'fe80::/10'],
]

/**
 * A new root for ten years. Its key signs host certificates, never those of other authorities. With `permittedHosts`,
 * clients accept its certificates for these hosts, names below them and private addresses only.
 */
export async function createInternalRoot(
  title: string,
  now: number,
  permittedHosts?: readonly string[],
): Promise<CertificateWithKey> {
  // Two installations must not have roots of the same name.
  const name = `${title} ${randomBytes(4).toString('hex')}`
  const key = await createKey()
  return { chain: signRoot(name, key, now, permittedHosts), key }
}

/**
 * The same root for ten more years, for these hosts: with its name and key, so that its certificates are valid under
 * both, and clients that trust the earlier one have until its end to trust this one.
 */
export function renewInternalRoot(
  root: CertificateWithKey,
  now: number,
  permittedHosts: readonly string[],
): CertificateWithKey {
  return { chain: signRoot(nameOf(root), root.key, now, permittedHosts), key: root.key }
}

/** When a root ends, and the hosts that it may certify; undefined if it may certify any. */
export function readRoot(chain: string): {
  notAfter: number
  permittedHosts: string[] | undefined
} {
  const { raw, validToDate } = new X509Certificate(chain)
  return {
    notAfter: validToDate.getTime(),
    permittedHosts: readPermittedHosts(readExtensions(raw)),
  }
}

function signRoot(
  name: string,
  privateKey: string,
  now: number,
  permittedHosts: readonly string[] | undefined,
): string {
  const key = readKey(privateKey)
  const publicKey = publicKeyInfo(key)
  const extensions = [
    basicConstraints(true),
    keyUsage('authority'),
    subjectKeyId(keyIdOf(publicKey)),
  ]
  if (permittedHosts) {
    extensions.push(nameConstraints([...permittedHosts, ...privateRanges]), serverAuthUsage())
  }
  return signCertificate(
    {
      subject: name,
      issuer: name,
      notBefore: now - hourMs,
      notAfter: now + rootDays * dayMs,
      publicKey,
      extensions,
    },
    key,
  )
}

function nameOf({ chain }: CertificateWithKey): string {
  return /^CN=(.*)$/m.exec(new X509Certificate(chain).subject)?.[1] ?? ''
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
      issuer: nameOf(root),
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
