// API keys that grant access, and many that must be refused.

import fc, { type Arbitrary } from 'fast-check'
import { commandLineOrigin } from '../../server/platform/audit/record-audit.ts'
import { createKey, revokeKey } from '../../server/store/keys/keys.ts'
import { scopes } from '../../server/store/keys/scopes.ts'
import type { RunningStore } from '../running-store.ts'
import type { EnvironmentName } from './request.ts'

export interface Keys {
  /** The text of a key with all scopes. */
  fullAccess: string
  /** Keys with a single scope. */
  ofScope: Record<string, string>
  expired: string
  revoked: string
}

export type Credentials = Record<EnvironmentName, Keys>

export async function createCredentials(store: RunningStore): Promise<Credentials> {
  const now = store.clock.now
  const createKeys = async (environment: EnvironmentName): Promise<Keys> => {
    const database = store.running.store.databases[environment]
    const create = async (more: object) =>
      await createKey(database, environment, { label: 'fuzz', ...more }, commandLineOrigin(now))
    const ofScope: Record<string, string> = {}
    for (const scope of scopes) ofScope[scope] = (await create({ scopes: [scope] })).text
    const expired = await create({ expiresAt: now - 1 })
    const revoked = await create({})
    await revokeKey(database, environment, revoked.key.id, commandLineOrigin(now))
    const texts = { ofScope, expired: expired.text, revoked: revoked.text }
    return { fullAccess: store.keys[environment], ...texts }
  }
  return { production: await createKeys('production'), staging: await createKeys('staging') }
}

interface KeyPart {
  headers?: string[]
  faults?: { status: number; codes: string[] }[]
}

export function validKeys(fullAccess: string): Arbitrary<KeyPart> {
  return fc
    .tuple(
      fc.constantFrom('Authorization', 'authorization', 'AUTHORIZATION'),
      fc.constantFrom('Bearer ', 'bearer ', 'BEARER ', 'Bearer  '),
    )
    .map(([name, scheme]) => ({ headers: [name, scheme + fullAccess] }))
}

/** Each causes a 401, regardless of other faults of the request. */
export function invalidKeys(
  credentials: Credentials,
  environment: EnvironmentName,
): Arbitrary<KeyPart> {
  const { fullAccess, expired, revoked } = credentials[environment]
  const other = credentials[environment === 'production' ? 'staging' : 'production'].fullAccess
  const known: [codes: string, ...headers: string[]][] = [
    ['missing_api_key'],
    ['wrong_environment', 'Authorization', `Bearer ${other}`],
    ['expired_api_key', 'Authorization', `Bearer ${expired}`],
    ['revoked_api_key', 'Authorization', `Bearer ${revoked}`],
    [
      'missing_api_key',
      'Authorization',
      `Basic ${Buffer.from(`${fullAccess}:`).toString('base64')}`,
    ],
    ['missing_api_key', 'Authorization', fullAccess],
    ['missing_api_key', 'Authorization', `Digest ${fullAccess}`],
    ['missing_api_key', 'X-Api-Key', fullAccess],
    ['missing_api_key', 'Proxy-Authorization', `Bearer ${fullAccess}`],
    ['missing_api_key', 'Cookie', `key=${fullAccess}`],
    ['missing_api_key invalid_api_key', 'Authorization', ''],
    ['invalid_api_key', 'Authorization', 'Bearer'],
    ['invalid_api_key', 'Authorization', `Bearer ${fullAccess} ${fullAccess}`],
    ['invalid_api_key', 'Authorization', `Bearer "${fullAccess}"`],
    ['invalid_api_key', 'Authorization', `Bearer ${fullAccess},`],
    [
      'invalid_api_key',
      'Authorization',
      `Bearer ${fullAccess}`,
      'Authorization',
      `Bearer ${fullAccess}`,
    ],
    ['invalid_api_key', 'Authorization', `Bearer ${fullAccess}`, 'authorization', 'Bearer x'],
  ]
  const listed = fc.constantFrom(...known)
  const changed = fc
    .integer({ min: 0, max: fullAccess.length - 1 })
    .map((at): (typeof known)[number] => {
      const letter = fullAccess[at] === 'A' ? 'B' : 'A'
      const text = fullAccess.slice(0, at) + letter + fullAccess.slice(at + 1)
      return ['invalid_api_key', 'Authorization', `Bearer ${text}`]
    })
  const cut = fc
    .integer({ min: 1, max: fullAccess.length - 1 })
    .map((end): (typeof known)[number] => [
      'invalid_api_key',
      'Authorization',
      `Bearer ${fullAccess.slice(0, end)}`,
    ])
  const random = fc
    .stringMatching(/^[\w.~+/-]+=*$/)
    .map((text): (typeof known)[number] => ['invalid_api_key', 'Authorization', `Bearer ${text}`])
  return fc
    .oneof({ weight: 4, arbitrary: listed }, changed, cut, random)
    .map(([codes, ...headers]) => ({ headers, faults: [{ status: 401, codes: codes.split(' ') }] }))
}
