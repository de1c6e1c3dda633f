// Keys on the curve P-256, for accounts (ES256) and certificates. Private keys are PEM (PKCS #8), to be encrypted and
// stored as text.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'

/** The public half of an account's key, as a JWK (RFC 7518, section 6.2.1). */
export interface PublicJwk {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
}

const generate = promisify(generateKeyPair)

/** A new private key. */
export async function createKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Throws unless it is a private key on P-256. */
export function readKey(pem: string): KeyObject {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new RangeError('the key is not on the curve P-256')
  return key
}

export function publicJwk(key: KeyObject): PublicJwk {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { kty: 'EC', crv: 'P-256', x, y }
}

/** Base64url; RFC 7638 defines the order of the members. */
export function thumbprint({ crv, kty, x, y }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** SubjectPublicKeyInfo, DER. */
export function publicKeyInfo(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' })
}

/** The identifier of a key in certificates (RFC 7093, section 2, method 1). */
export function keyIdOf(info: Buffer): Buffer {
  // The point is the last 65 bytes: 04, x, y.
  return createHash('sha256').update(info.subarray(-65)).digest().subarray(0, 20)
}
