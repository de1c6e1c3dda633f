// Signs requests (RFC 8555, section 6.2): flattened JWS, ES256 with an account's key, and HS256 for the binding
// to an account elsewhere (section 7.3.4).
import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { PublicJwk } from '../x509/keys.ts'

/** `kid`, the account's URL, or `jwk`, where there is no account yet. */
export type Signer = { kid: string } | { jwk: PublicJwk }

/** The body of a request. Without a payload it is a POST-as-GET (section 6.3). */
export function signJws(
  protectedHeader: { nonce?: string; url: string } & Signer,
  payload: object | undefined,
  key: KeyObject,
): Jws {
  return complete({ alg: 'ES256', ...protectedHeader }, payload, (text) =>
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }),
  )
}

export interface Jws {
  protected: string
  payload: string
  signature: string
}

/** `macKey` is base64url, as authorities give it. */
export function bindExternalAccount(
  { keyId, macKey }: { keyId: string; macKey: string },
  jwk: PublicJwk,
  url: string,
): Jws {
  return complete({ alg: 'HS256', kid: keyId, url }, jwk, (text) =>
    createHmac('sha256', Buffer.from(macKey, 'base64url')).update(text).digest(),
  )
}

function complete(
  protectedHeader: object,
  payload: object | undefined,
  signText: (text: string) => Buffer,
): Jws {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const parts = { protected: encode(protectedHeader), payload: payload ? encode(payload) : '' }
  const signature = signText(`${parts.protected}.${parts.payload}`).toString('base64url')
  return { ...parts, signature }
}
