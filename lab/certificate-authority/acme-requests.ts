// The signed requests of ACME (RFC 8555, section 6): nonces, signatures and problems.
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { type PublicJwk, thumbprint } from '#acme/x509/keys.ts'

export class Problem extends Error {
  readonly type: string
  readonly status: number
  constructor(status: number, type: string, detail: string) {
    super(detail)
    this.type = type
    this.status = status
  }
}

export interface SignedRequest {
  /** Undefined for POST-as-GET. */
  payload: Record<string, unknown> | undefined
  /** The key that signed it; `kid` is the URL of its account, if the request names it. */
  jwk: PublicJwk
  kid: string | undefined
}

interface Parts {
  protected: string
  payload: string
  signature: string
}

const maxNonces = 10_000

export function createNonces() {
  const open = new Set<string>()
  return {
    create(): string {
      const nonce = randomBytes(16).toString('base64url')
      const [oldest] = open
      if (oldest !== undefined && open.size >= maxNonces) open.delete(oldest)
      open.add(nonce)
      return nonce
    },
    use: (nonce: unknown): boolean => open.delete(String(nonce)),
  }
}

/** `keyOf` gives the key of an account by its URL. Throws Problem. */
export function readSigned(
  body: string,
  url: string,
  isFresh: (nonce: unknown) => boolean,
  keyOf: (kid: string) => PublicJwk | undefined,
): SignedRequest {
  const { header, payload, jwk, kid } = readJws(JSON.parse(body) as Parts, keyOf)
  if (!isFresh(header.nonce)) throw new Problem(400, 'badNonce', 'this nonce is not known')
  if (header.url !== url)
    throw new Problem(401, 'unauthorized', 'the url is not that of the request')
  return { payload, jwk, kid }
}

/** The same for a signature inside of a signed request. */
function readJws(
  jws: Parts,
  keyOf: (kid: string) => PublicJwk | undefined,
): SignedRequest & { header: Record<string, unknown> } {
  const header = decode(jws.protected) as Record<string, unknown>
  if (header.alg !== 'ES256') throw new Problem(400, 'badSignatureAlgorithm', 'sign with ES256')
  const kid = typeof header.kid === 'string' ? header.kid : undefined
  const jwk = kid === undefined ? (header.jwk as PublicJwk | undefined) : keyOf(kid)
  if (!jwk) throw new Problem(400, 'accountDoesNotExist', 'there is no such account')
  const isSigned = verify(
    'sha256',
    Buffer.from(`${jws.protected}.${jws.payload}`),
    {
      key: createPublicKey({ key: jwk as never, format: 'jwk' }),
      dsaEncoding: 'ieee-p1363',
    },
    Buffer.from(jws.signature, 'base64url'),
  )
  if (!isSigned) throw new Problem(400, 'malformed', 'the signature does not fit the key')
  const payload = jws.payload === '' ? undefined : (decode(jws.payload) as Record<string, unknown>)
  return { header, payload, jwk, kid }
}

export function keyAuthorizationOf(token: string, jwk: PublicJwk): string {
  return `${token}.${thumbprint(jwk)}`
}

function decode(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}
