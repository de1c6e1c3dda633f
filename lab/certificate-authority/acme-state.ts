// The state of the lab's authority, in memory, and what it decides for itself.
import { randomBytes } from 'node:crypto'
import type { ChallengeType } from '#acme/resources/authorizations.ts'
import type { PublicJwk } from '#acme/x509/keys.ts'
import type { ChallengeRequest, ValidationError } from './validate-host.ts'

export const challengeTypes: readonly ChallengeType[] = ['http-01', 'tls-alpn-01', 'dns-01']

export interface Account {
  url: string
  jwk: PublicJwk
  status: 'valid' | 'deactivated'
  contact: string[]
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
  isRevoked: boolean
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
