// Extensions of certificates and requests (RFC 5280, section 4.2): writing, and reading untrusted ones.
import { isIP } from 'node:net'
import {
  bitString,
  contextTag,
  element,
  objectId,
  octetString,
  plainInContext,
  readElement,
  readElements,
  readObjectId,
  sequence,
  truth,
} from './write-der.ts'

export const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  /** RFC 8737, section 3. */
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
} as const

/** One extension; `value`: its content as DER. */
export function extension(oid: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectId(oid), ...(isCritical ? [truth()] : []), octetString(value))
}

/** Host names in ASCII, wildcards too, and IP addresses. */
export function subjectAltName(names: string[], isCritical = false): Buffer {
  const general = names.map((name) =>
    isIP(name) === 0
      ? plainInContext(2, Buffer.from(name, 'ascii'))
      : plainInContext(7, addressBytes(name)),
  )
  return extension(oids.subjectAltName, sequence(...general), isCritical)
}

/** An authority that may sign host certificates but no other authorities; or not an authority. */
export function basicConstraints(isAuthority: boolean): Buffer {
  const content = isAuthority ? [truth(), element(0x02, Buffer.from([0]))] : []
  return extension(oids.basicConstraints, sequence(...content), true)
}

/**
 * The only names that an authority may certify: host names, each with the names below it, and ranges of IP addresses
 * such as 10.0.0.0/8 (RFC 5280, section 4.2.1.10). Without a range, all addresses are allowed.
 */
export function nameConstraints(permitted: readonly string[]): Buffer {
  const subtrees = permitted.map((name) => {
    const [address = '', bits] = name.split('/')
    return bits === undefined
      ? sequence(plainInContext(2, Buffer.from(name, 'ascii')))
      : sequence(plainInContext(7, addressRange(address, Number(bits))))
  })
  return extension(oids.nameConstraints, sequence(contextTag(0, ...subtrees)), true)
}

/** The host names that an authority may certify; undefined if it may certify any. */
export function readPermittedHosts(extensions: Map<string, Buffer>): string[] | undefined {
  const value = extensions.get(oids.nameConstraints)
  if (!value) return undefined
  const permitted = readElements(readElement(value, 0x30)).find(({ tag }) => tag === 0xa0)
  if (!permitted) return undefined
  return readElements(permitted.content).flatMap(({ content }) => {
    const [base] = readElements(content)
    return base?.tag === 0x82 ? [base.content.toString('latin1')] : []
  })
}

export function keyUsage(of: 'authority' | 'host'): Buffer {
  // keyCertSign and cRLSign; digitalSignature.
  const value =
    of === 'authority' ? bitString(Buffer.from([0x06]), 1) : bitString(Buffer.from([0x80]), 7)
  return extension(oids.keyUsage, value, true)
}

export function serverAuthUsage(): Buffer {
  return extension(oids.extendedKeyUsage, sequence(objectId(oids.serverAuth)))
}

export function subjectKeyId(keyId: Buffer): Buffer {
  return extension(oids.subjectKeyId, octetString(keyId))
}

export function authorityKeyId(keyId: Buffer): Buffer {
  return extension(oids.authorityKeyId, sequence(plainInContext(0, keyId)))
}

/** Values by OID. Throws RangeError when it is not a certificate. */
export function readExtensions(certificate: Buffer): Map<string, Buffer> {
  const [toBeSigned] = readElements(readElement(certificate, 0x30))
  const list = readElements(toBeSigned?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === 0xa3)
  return list ? readExtensionList(list.content) : new Map()
}

/** Values by OID, from a list of extensions as certificates and requests have it. Throws RangeError when it is none. */
export function readExtensionList(list: Buffer): Map<string, Buffer> {
  const extensions = new Map<string, Buffer>()
  for (const { content } of readElements(readElement(list, 0x30))) {
    const [oid, ...others] = readElements(content)
    const value = others.at(-1)
    if (oid?.tag === 0x06 && value?.tag === 0x04)
      extensions.set(readObjectId(oid.content), value.content)
  }
  return extensions
}

/** The host names of a certificate, in the case they have there; addresses are left out. */
export function readHosts(extensions: Map<string, Buffer>): string[] {
  const value = extensions.get(oids.subjectAltName)
  if (!value) return []
  return readElements(readElement(value, 0x30))
    .filter(({ tag }) => tag === 0x82)
    .map(({ content }) => content.toString('latin1'))
}

/** The identifier of the key that signed; undefined if the certificate has none. */
export function readAuthorityKeyId(extensions: Map<string, Buffer>): Buffer | undefined {
  const value = extensions.get(oids.authorityKeyId)
  if (!value) return undefined
  return readElements(readElement(value, 0x30)).find(({ tag }) => tag === 0x80)?.content
}

/** The address, then its mask, each as long as the address. */
function addressRange(address: string, bits: number): Buffer {
  const bytes = addressBytes(address)
  const mask = bytes.map((_, i) => (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))) & 0xff)
  return Buffer.concat([bytes, mask])
}

/** Four bytes, or sixteen. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // URL writes every group in hexadecimal, also an IPv4 address at the end.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after] = text
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))))
  const zeros = after ? new Array<number>(8 - before.length - after.length).fill(0) : []
  const words = [...before, ...zeros, ...(after ?? [])]
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]))
}
