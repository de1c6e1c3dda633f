// Creates X.509 certificates (RFC 5280) and certificate requests (RFC 2986), signed with ECDSA and SHA-256, and reads
// chains to validate them before use: hosts, validity, and whether key and host match. Chains are PEM, the host's
// certificate first; nothing is stored here.
// Certificates are created by the internal authority, for localhost and private networks that public authorities cannot
// reach. Clients must trust its root explicitly.
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import {
  authorityKeyId,
  basicConstraints,
  keyUsage,
  nameConstraints,
  readAuthorityKeyId,
  readExtensions,
  readHosts,
  readPermittedHosts,
  serverAuthUsage,
  subjectAltName,
  subjectKeyId,
} from './extensions.ts'
import { createKey, keyIdOf, publicKeyInfo, readKey } from './keys.ts'
import {
  bitString,
  contextTag,
  element,
  integer,
  objectId,
  sequence,
  setOf,
  time,
  utf8,
} from './write-der.ts'

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
  return { chain: signRoot(rootNameOf(root), root.key, now, permittedHosts), key: root.key }
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
  if (permittedHosts)
    extensions.push(nameConstraints([...permittedHosts, ...privateRanges]), serverAuthUsage())
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

function rootNameOf({ chain }: CertificateWithKey): string {
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
      issuer: rootNameOf(root),
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

interface CertificateParts {
  /** Common names; an empty one gives an empty name. */
  subject: string
  issuer: string
  /** Milliseconds since the epoch; seconds are kept. */
  notBefore: number
  notAfter: number
  publicKey: Buffer
  extensions: Buffer[]
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
const version1 = integer(Buffer.from([0]))
const version3 = contextTag(0, integer(Buffer.from([2])))

/** A certificate with a random serial number, signed by `key`, as PEM. */
export function signCertificate(parts: CertificateParts, key: KeyObject): string {
  const serial = randomBytes(16)
  // Positive, and never short (RFC 5280, section 4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    version3,
    integer(serial),
    ecdsaWithSha256,
    distinguishedName(parts.issuer),
    sequence(time(parts.notBefore), time(parts.notAfter)),
    distinguishedName(parts.subject),
    parts.publicKey,
    contextTag(3, sequence(...parts.extensions)),
  )
  return pemOf('CERTIFICATE', signed(body, key))
}

/** A request for a certificate of these hosts with this key, DER (RFC 8555, section 7.4). */
export function signRequest(hosts: string[], privateKey: string): Buffer {
  const key = readKey(privateKey)
  const extensionRequest = sequence(
    objectId('1.2.840.113549.1.9.14'),
    setOf(sequence(subjectAltName(hosts))),
  )
  const attributes = contextTag(0, extensionRequest)
  return signed(sequence(version1, distinguishedName(''), publicKeyInfo(key), attributes), key)
}

/** A DER certificate as PEM, in lines of 64. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, key)))
}

function distinguishedName(commonName: string): Buffer {
  if (commonName === '') return element(0x30)
  return sequence(setOf(sequence(objectId('2.5.4.3'), utf8(commonName))))
}

/** A chain with the private key of its first certificate, both PEM. */
export interface CertificateWithKey {
  chain: string
  key: string
}

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
const maxCertificates = 10

/** The certificates of a chain. Throws RangeError when there are none, too many, or one cannot be read. */
export function readChain(chain: string): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = (chain.match(block) ?? []).map((pem) => {
    try {
      return new X509Certificate(pem)
    } catch {
      throw new RangeError('a certificate of the chain cannot be read')
    }
  })
  if (!first) throw new RangeError('there is no certificate')
  if (others.length >= maxCertificates) throw new RangeError('there are too many certificates')
  return [first, ...others]
}

/** The same chain and nothing else: no text around the certificates, lines of 64. Throws as readChain does. */
export function tidyChain(chain: string): string {
  return readChain(chain)
    .map(({ raw }) => pemOf('CERTIFICATE', raw))
    .join('')
}

/** Times are milliseconds since the epoch. Throws RangeError when the chain cannot be read. */
export function readCertificate(chain: string) {
  const [certificate] = readChain(chain)
  const extensions = readExtensions(certificate.raw)
  const authorityKeyId = readAuthorityKeyId(extensions)
  return {
    /** Lower case. */
    hosts: readHosts(extensions).map((host) => host.toLowerCase()),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    /** Lower-case hexadecimal, without leading zeros. */
    serial: certificate.serialNumber.toLowerCase().replace(/^0+(?=.)/, ''),
    /** SHA-256 of the certificate, lower-case hexadecimal. */
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    /** For renewal information (RFC 9773, section 4.1); undefined without an authority key identifier. */
    renewalId: authorityKeyId && renewalIdOf(authorityKeyId, certificate.serialNumber),
  }
}

/**
 * Why a chain cannot be used for a host: it is not for the host, not of this key, not valid now, or its
 * certificates do not follow one another. Undefined when it can. Throws when it cannot be read.
 */
export function findChainProblem(
  { chain, key }: CertificateWithKey,
  host: string,
  now: number,
): string | undefined {
  const all = readChain(chain)
  const [certificate] = all
  if (!covers(readCertificate(chain).hosts, host)) return `the certificate is not for ${host}`
  const ours = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' })
  if (!ours.equals(certificate.publicKey.export({ type: 'spki', format: 'der' })))
    return 'the certificate is not for this key'
  for (const [place, each] of all.entries()) {
    const name = place === 0 ? 'the certificate' : `certificate ${place + 1} of the chain`
    if (now > each.validToDate.getTime()) return `${name} has expired`
    // Clocks differ: the authority's may be ahead.
    if (now < each.validFromDate.getTime() - 3_600_000) return `${name} is not valid yet`
    const signer = all[place + 1]
    if (signer && !(each.checkIssued(signer) && each.verify(signer.publicKey)))
      return `${name} is not signed by the one after it`
  }
  return undefined
}

/** A wildcard stands for one label (RFC 6125, section 6.4.3). */
export function covers(names: string[], host: string): boolean {
  const name = host.toLowerCase()
  const dot = name.indexOf('.')
  return names.includes(name) || (dot > 0 && names.includes(`*${name.slice(dot)}`))
}

function renewalIdOf(authorityKeyId: Buffer, serialNumber: string): string {
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  const bytes = Buffer.from(hex, 'hex')
  // The content of the DER integer: a sign byte where the first bit is set.
  const signed = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  return `${authorityKeyId.toString('base64url')}.${signed.toString('base64url')}`
}
