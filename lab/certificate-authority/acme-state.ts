// The state of the lab's authority, in memory; the signed requests that change it (RFC 8555, section 6); and its resources as
// responses show them (section 7.1). An authorization is pending until its validation makes it valid or invalid; its account
// can deactivate it at any time; whether it has expired follows from the time. The status of an order is not stored: it
// follows from its authorizations, the time, and whether it has a certificate.
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import type { ChallengeType } from '#acme/resources/orders.ts'
import { type PublicJwk, thumbprint } from '#acme/x509/keys.ts'
import type { ChallengeRequest, ValidationError } from './validate-host.ts'

export const challengeTypes: readonly ChallengeType[] = ['http-01', 'tls-alpn-01', 'dns-01']

export interface Account {
  url: string
  jwk: PublicJwk
}

/** What an authority decides for itself. Tests change it while it runs. */
export interface AuthorityPolicy {
  /** How long orders, and authorizations that nobody has validated, are open. */
  openMinutes: number
  /** For how long an account can use a valid authorization for other orders; 0: not at all. */
  reuseMinutes: number
  /** The challenges that it offers. */
  challenges: readonly ChallengeType[]
  /** How long orders of a profile are open, by its name (draft-ietf-acme-profiles). */
  profiles: Record<string, { openMinutes: number }>
}

export const usualPolicy: AuthorityPolicy = {
  openMinutes: 7 * 24 * 60,
  reuseMinutes: 0,
  challenges: challengeTypes,
  profiles: {},
}

export interface Authorization {
  url: string
  account: string
  host: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  status: 'pending' | 'valid' | 'invalid' | 'deactivated'
  token: string
  /** The type of the challenge that the client answered. */
  challengeType: ChallengeType | undefined
  error: ValidationError | undefined
}

export interface Order {
  url: string
  account: string
  /** Milliseconds since the epoch. */
  placedAt: number
  expiresAt: number
  profile: string | undefined
  authorizations: Authorization[]
  certificate: string | undefined
  replaces: string | undefined
}

interface Certificate {
  chain: string
  account: string
}

export type AcmeState = ReturnType<typeof createAcmeState>

/** Each resource by its URL. `base` is the authority's origin. */
export function createAcmeState(base: string) {
  return {
    accounts: new Map<string, Account>(),
    orders: new Map<string, Order>(),
    authorizations: new Map<string, Authorization>(),
    certificates: new Map<string, Certificate>(),
    /** By renewal ID (RFC 9773, section 4.1). */
    renewals: new Map<string, Certificate>(),
    newUrl: (kind: string) => `${base}/${kind}/${randomBytes(9).toString('base64url')}`,
  }
}

export interface AcmeContext {
  state: AcmeState
  policy: AuthorityPolicy
  /** Its name in CAA and TXT records. */
  identity: string
  now(): number
  /** Never throws; undefined when the challenge was answered correctly. */
  validate(challenge: ChallengeRequest): Promise<ValidationError | undefined>
  /** A chain for these hosts and this key (SubjectPublicKeyInfo, DER), PEM. */
  sign(hosts: string[], publicKey: Buffer): string
}

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

/**
 * A request in the flattened form of JWS (RFC 7515), whose signature is checked. `keyOf` gives the key of an account by its
 * URL. Throws Problem.
 */
export function readSigned(
  body: string,
  url: string,
  isFresh: (nonce: unknown) => boolean,
  keyOf: (kid: string) => PublicJwk | undefined,
): SignedRequest {
  const jws = JSON.parse(body) as Record<'protected' | 'payload' | 'signature', string>
  const header = decode(jws.protected)
  if (header.alg !== 'ES256') throw new Problem(400, 'badSignatureAlgorithm', 'sign with ES256')
  const kid = typeof header.kid === 'string' ? header.kid : undefined
  const jwk = kid === undefined ? (header.jwk as PublicJwk | undefined) : keyOf(kid)
  if (!jwk) throw new Problem(400, 'accountDoesNotExist', 'there is no such account')
  const isSigned = verify(
    'sha256',
    Buffer.from(`${jws.protected}.${jws.payload}`),
    { key: createPublicKey({ key: jwk as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(jws.signature, 'base64url'),
  )
  if (!isSigned) throw new Problem(400, 'malformed', 'the signature does not fit the key')
  if (!isFresh(header.nonce)) throw new Problem(400, 'badNonce', 'this nonce is not known')
  if (header.url !== url)
    throw new Problem(401, 'unauthorized', 'the url is not that of the request')
  return { payload: jws.payload === '' ? undefined : decode(jws.payload), jwk, kid }
}

export function keyAuthorizationOf(token: string, jwk: PublicJwk): string {
  return `${token}.${thumbprint(jwk)}`
}

function decode(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}

export interface AcmeResponse {
  status: number
  body?: unknown
  location?: string
  type?: string
}

export function showAccount({ url }: Account, httpStatus = 200): AcmeResponse {
  return {
    status: httpStatus,
    location: url,
    body: { status: 'valid', orders: `${url}/orders` },
  }
}

export function isReady({ now }: AcmeContext, { authorizations, expiresAt }: Order): boolean {
  return expiresAt > now() && authorizations.every(({ status }) => status === 'valid')
}

function statusOf({ now }: AcmeContext, { expiresAt, status }: Authorization): string {
  return (status === 'pending' || status === 'valid') && expiresAt <= now() ? 'expired' : status
}

export function showOrder(context: AcmeContext, order: Order, httpStatus = 200): AcmeResponse {
  const { authorizations, certificate, expiresAt, profile, replaces, url } = order
  const ended = authorizations.find(
    (each) => !['valid', 'pending'].includes(statusOf(context, each)),
  )
  const isFailed = ended !== undefined || expiresAt <= context.now()
  const open = isReady(context, order) ? 'ready' : 'pending'
  return {
    status: httpStatus,
    location: url,
    body: {
      status: certificate ? 'valid' : isFailed ? 'invalid' : open,
      expires: new Date(expiresAt).toISOString(),
      identifiers: authorizations.map(({ host }) => ({ type: 'dns', value: host })),
      authorizations: authorizations.map((authorization) => authorization.url),
      finalize: `${url}/finalize`,
      ...(certificate && { certificate }),
      ...(replaces && { replaces }),
      ...(profile && { profile }),
      ...(ended?.error && { error: problemDocument(ended.error) }),
    },
  }
}

export function showAuthorization(
  context: AcmeContext,
  authorization: Authorization,
): AcmeResponse {
  const { challengeType, expiresAt, host } = authorization
  const body = {
    status: statusOf(context, authorization),
    expires: new Date(expiresAt).toISOString(),
    identifier: { type: 'dns', value: host },
    challenges: context.policy.challenges
      .filter((type) => (challengeType ?? type) === type)
      .map((type) => showChallenge(authorization, type)),
  }
  return { status: 200, body }
}

export function showChallenge(authorization: Authorization, type: ChallengeType): object {
  const { error, token, url } = authorization
  const isAnswered = authorization.challengeType === type
  return {
    type,
    url: `${url}/${type}`,
    token,
    status: isAnswered ? challengeStatus(authorization) : 'pending',
    ...(isAnswered && error && { error: problemDocument(error) }),
  }
}

/** Of the challenge that was answered: it does not change when its authorization is deactivated. */
function challengeStatus({ error, status }: Authorization): string {
  if (status === 'pending') return 'processing'
  return error ? 'invalid' : 'valid'
}

export function problemDocument({ detail, type }: { type: string; detail: string }): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail }
}
