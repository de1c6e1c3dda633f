// Accounts, orders, authorizations and certificates of the lab's authority, kept in memory, and their ACME
// representation (RFC 8555, section 7.1).
import { randomBytes } from 'node:crypto'
import { type PublicJwk, thumbprint } from '../../server/publishing/acme/x509/keys.ts'
import type { ValidationError } from './validate-host.ts'

export const challengeTypes = ['http-01', 'tls-alpn-01'] as const
export type ChallengeType = (typeof challengeTypes)[number]

export interface Account {
  url: string
  jwk: PublicJwk
  status: 'valid' | 'deactivated'
  contact: string[]
}

export interface Authorization {
  url: string
  host: string
  status: 'pending' | 'valid' | 'invalid' | 'deactivated'
  token: string
  /** The type of the challenge that the client answered. */
  challengeType: ChallengeType | undefined
  error: ValidationError | undefined
}

export interface Order {
  url: string
  account: string
  authorizations: Authorization[]
  certificate: string | undefined
  replaces: string | undefined
}

export type AcmeState = ReturnType<typeof createAcmeState>

export interface AcmeResponse {
  status: number
  body?: unknown
  location?: string
  type?: string
}

/** Each resource by its URL. `base` is the authority's origin. */
export function createAcmeState(base: string) {
  return {
    accounts: new Map<string, Account>(),
    orders: new Map<string, Order>(),
    authorizations: new Map<string, Authorization>(),
    certificates: new Map<string, { chain: string; account: string; isRevoked: boolean }>(),
    newUrl: (kind: string) => `${base}/${kind}/${randomBytes(9).toString('base64url')}`,
  }
}

export function findAccountByKey({ accounts }: AcmeState, jwk: PublicJwk): Account | undefined {
  return [...accounts.values()].find((account) => thumbprint(account.jwk) === thumbprint(jwk))
}

export function showAccount({ contact, status, url }: Account, httpStatus = 200): AcmeResponse {
  return { status: httpStatus, location: url, body: { status, contact, orders: `${url}/orders` } }
}

export function isReady({ authorizations }: Order): boolean {
  return authorizations.every(({ status }) => status === 'valid')
}

export function showOrder(order: Order, httpStatus = 200): AcmeResponse {
  const { authorizations, certificate, replaces, url } = order
  const failed = authorizations.find(({ status }) => status !== 'valid' && status !== 'pending')
  const open = isReady(order) ? 'ready' : 'pending'
  return {
    status: httpStatus,
    location: url,
    body: {
      status: certificate ? 'valid' : failed ? 'invalid' : open,
      identifiers: authorizations.map(({ host }) => ({ type: 'dns', value: host })),
      authorizations: authorizations.map((authorization) => authorization.url),
      finalize: `${url}/finalize`,
      ...(certificate && { certificate }),
      ...(replaces && { replaces }),
      ...(failed?.error && { error: problemDocument(failed.error) }),
    },
  }
}

export function showAuthorization(authorization: Authorization): AcmeResponse {
  const { challengeType, host, status } = authorization
  const body = {
    status,
    identifier: { type: 'dns', value: host },
    challenges: challengeTypes
      .filter((type) => (challengeType ?? type) === type)
      .map((type) => showChallenge(authorization, type)),
  }
  return { status: 200, body }
}

export function showChallenge(authorization: Authorization, type: ChallengeType): object {
  const { error, status, token, url } = authorization
  const isAnswered = authorization.challengeType === type
  return {
    type,
    url: `${url}/${type}`,
    token,
    status: isAnswered ? (status === 'pending' ? 'processing' : status) : 'pending',
    ...(isAnswered && error && { error: problemDocument(error) }),
  }
}

export function problemDocument({ detail, type }: { type: string; detail: string }): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail }
}
