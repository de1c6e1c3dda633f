// Reads and validates certificate chains before use: hosts, validity, and whether key and host match. Chains are PEM,
// the host's certificate first.
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { readAuthorityKeyId, readExtensions, readHosts } from './extensions.ts'
import { pemOf } from './sign-certificate.ts'

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
  const all = readChain(chain)
  const [certificate] = all
  const extensions = readExtensions(certificate.raw)
  const authorityKeyId = readAuthorityKeyId(extensions)
  return {
    /** Lower case. */
    hosts: readHosts(extensions).map((host) => host.toLowerCase()),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    /** The issuer of the certificate, and of the last certificate in the chain. */
    issuer: nameOf(certificate.issuer),
    rootIssuer: nameOf(all.at(-1)?.issuer ?? ''),
    /** Lower-case hexadecimal, without leading zeros. */
    serial: certificate.serialNumber.toLowerCase().replace(/^0+(?=.)/, ''),
    authorityKeyId: authorityKeyId?.toString('hex'),
    /** SHA-256 of the certificate, lower-case hexadecimal. */
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    /** For renewal information (RFC 9773, section 4.1); undefined without authorityKeyId. */
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
  if (!ours.equals(certificate.publicKey.export({ type: 'spki', format: 'der' }))) {
    return 'the certificate is not for this key'
  }
  for (const [place, each] of all.entries()) {
    const name = place === 0 ? 'the certificate' : `certificate ${place + 1} of the chain`
    if (now > each.validToDate.getTime()) return `${name} has expired`
    // Clocks differ: the authority's may be ahead.
    if (now < each.validFromDate.getTime() - 3_600_000) return `${name} is not valid yet`
    const signer = all[place + 1]
    if (signer && !(each.checkIssued(signer) && each.verify(signer.publicKey))) {
      return `${name} is not signed by the one after it`
    }
  }
  return undefined
}

/** A wildcard stands for one label (RFC 6125, section 6.4.3). */
export function covers(names: string[], host: string): boolean {
  const wanted = host.toLowerCase()
  const dot = wanted.indexOf('.')
  return names.includes(wanted) || (dot > 0 && names.includes(`*${wanted.slice(dot)}`))
}

function renewalIdOf(authorityKeyId: Buffer, serialNumber: string): string {
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  const bytes = Buffer.from(hex, 'hex')
  // The content of the DER integer: a sign byte where the first bit is set.
  const signed = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  return `${authorityKeyId.toString('base64url')}.${signed.toString('base64url')}`
}

/** The common name of a distinguished name as Node writes it, or all of it in one line. */
function nameOf(lines: string): string {
  return /^CN=(.*)$/m.exec(lines)?.[1] ?? lines.replaceAll('\n', ', ')
}
