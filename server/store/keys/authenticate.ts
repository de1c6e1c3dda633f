// Authenticates a request by its bearer credential (RFC 6750) and the keys of its environment. A verified key is remembered
// until the version of the keys moves, so that most requests cost a look-up in memory.
import type { Database } from '#kit/database/database.ts'
import { AppError, type ErrorCode } from '#kit/errors.ts'
import type { RequestHead } from '#kit/http/request/request-head.ts'
import { hashSecret, sameHash } from '#kit/identifiers.ts'
import type { Metrics } from '#kit/metrics.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import type { Versions } from '../database/state.ts'
import { parseKey } from './api-key.ts'
import { type ApiKey, findKey } from './keys.ts'

const realm = 'Bearer realm="animal-store"'
const maxRemembered = 10_000

export type Authenticator = ReturnType<typeof createAuthenticator>

/** `databases` holds all environments', so that a key sent to the wrong base address gets its own error. */
export function createAuthenticator(
  environment: EnvironmentName,
  databases: Record<EnvironmentName, Database>,
  metrics: Metrics,
) {
  // By the key's text, however the field is written: one key has one entry. It is found by a seeded hash, so timing
  // reveals nothing about a secret.
  const verified = new Map<string, ApiKey>()
  let under: bigint | undefined

  function remembered(head: RequestHead, keysVersion: bigint, now: number): ApiKey | undefined {
    if (head.authorization === undefined || head.authorizations !== 1) return undefined
    if (under !== keysVersion) {
      verified.clear()
      under = keysVersion
    }
    const text = bearerIn(head.authorization)
    const key = text === undefined ? undefined : verified.get(text)
    return key && isCurrent(key, now) ? key : undefined
  }

  return {
    /** The key of a request if it was verified under these versions and is still valid at `now`. */
    remembered,
    /** The same, under the versions that were read last: to be confirmed before the request has any effect. */
    lastVerified(head: RequestHead, now: number): { key: ApiKey; keysVersion: bigint } | undefined {
      if (under === undefined) return undefined
      const key = remembered(head, under, now)
      return key && { key, keysVersion: under }
    },
    /** The key of a request. Throws a 401 that says what is wrong, as far as the client may know. */
    async authenticate(head: RequestHead, versions: Versions, now: number) {
      const known = remembered(head, versions.keys, now)
      metrics.countCache('keys', known ? 'hit' : 'miss')
      if (known) return known
      const text = readBearer(head)
      const parsed = parseKey(text)
      const key = parsed && (await findKey(databases[parsed.environment].read, parsed.id))
      if (!parsed || !key || !sameHash(key.secretHash, hashSecret(text))) {
        throw refuse('invalid_api_key', 'Unknown API key. Check that it is complete.')
      }
      // From here on the secret is proven, so its owner may know more.
      if (parsed.environment !== environment) {
        throw refuse(
          'wrong_environment',
          `This API key is for ${parsed.environment}; this is ${environment}.`,
        )
      }
      if (key.revokedAt !== undefined)
        throw refuse('revoked_api_key', 'This API key has been revoked.')
      if (!isCurrent(key, now)) throw refuse('expired_api_key', 'This API key has expired.')
      if (under === versions.keys && verified.size < maxRemembered) {
        // A copy: a part of the field would keep all of it.
        verified.set(Buffer.from(text, 'latin1').toString('latin1'), key)
      }
      return key
    },
  }
}

function isCurrent(key: ApiKey, now: number): boolean {
  return key.expiresAt === undefined || now < key.expiresAt
}

/** The credential of a Bearer field. The usual form is cut out without a pattern; only known keys are looked up. */
function bearerIn(field: string): string | undefined {
  const isUsual = field.startsWith('Bearer ') && field.indexOf(' ', usualPrefix) < 0
  return isUsual ? field.slice(usualPrefix) : /^bearer +(\S+) *$/i.exec(field)?.[1]
}

const usualPrefix = 'Bearer '.length

function readBearer(head: RequestHead): string {
  const { authorization = '', authorizations } = head
  if (authorizations > 1) {
    throw refuse('invalid_api_key', 'Send one Authorization header, not several.')
  }
  const text = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1]
  if (text !== undefined) return text
  if (/^bearer\b/i.test(authorization)) {
    throw refuse('invalid_api_key', 'The Authorization header must be "Bearer <API_KEY>".')
  }
  const message = 'Send your API key as "Authorization: Bearer <API_KEY>".'
  throw refuse('missing_api_key', message, realm)
}

/** RFC 6750, section 3: the challenge names an error only where a credential was sent. */
function refuse(
  code: ErrorCode,
  message: string,
  challenge = `${realm}, error="invalid_token"`,
): AppError {
  return new AppError(code, message, { headers: { 'WWW-Authenticate': challenge } })
}
