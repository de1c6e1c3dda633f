// Creates X.509 certificates (RFC 5280) and certificate requests (RFC 2986), signed with ECDSA and SHA-256.
import { type KeyObject, randomBytes, sign } from 'node:crypto'
import { subjectAltName } from './extensions.ts'
import { publicKeyInfo, readKey } from './keys.ts'
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
