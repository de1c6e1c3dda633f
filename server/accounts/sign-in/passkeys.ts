// Passkeys (WebAuthn Level 3): credentials that replace the password. The authenticator verifies its user, so that a passkey
// is two factors. Attestation is not requested, and certificates are not read.

import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Account } from '#kit/caller.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { findPlain, type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import type { AccountContext } from '../people/account-context.ts'
import { findAccount, withoutSecrets } from '../people/accounts.ts'
import type { AssertionJson, AttestationJson } from '../people/schema.ts'
import { type AccountTables, insertRow, prepare } from '../people/tables.ts'
import { setSignedInBy } from '../sessions/sessions.ts'
import { createChallenge, isChallenge, takeChallenge } from './challenges.ts'
import { enter, type SignedIn, type Visitor } from './sign-in.ts'
import type { Expected } from './verify-webauthn.ts'

/** Times are milliseconds since the epoch. */
export type Passkey = PlainRow<AccountTables['passkeys']>

const maxPasskeys = 20
const timeoutMs = 5 * 60_000
/** ES256, EdDSA, RS256 (COSE). */
const algorithms = [-7, -8, -257]

const byId = prepare.select('passkeys', 'all', { id: 'id' })
const ofAccount = prepare.select(
  'passkeys',
  'all',
  { account_id: 'account' },
  { orderBy: ['created_at desc', 'id'], limit: maxPasskeys },
)
const remove = prepare.delete('passkeys', { id: 'id', account_id: 'account' }, ['id', 'label'])
const setUsed = prepare.update(
  'passkeys',
  { counter: 'counter', last_used_at: 'now' },
  { id: 'id', counter: 'before' },
  ['id'],
)

type PasskeyContext = Pick<AccountContext, 'clock' | 'dashboardUrl' | 'database' | 'secrets'>

/** Newest first. */
export const listPasskeys = async (session: Session, account: string) =>
  (await session.all(ofAccount, { account })).map(plainRow)

/** PublicKeyCredentialCreationOptionsJSON. */
export async function registrationOptions(
  { clock, dashboardUrl, database, secrets }: PasskeyContext,
  { email, id, name }: Account,
) {
  const passkeys = await listPasskeys(database.read, id)
  return {
    challenge: createChallenge(secrets, registrationOf(id), clock()),
    rp: { id: dashboardUrl.hostname, name: 'Animal Store' },
    user: { id: Buffer.from(id).toString('base64url'), name: email, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: timeoutMs,
    attestation: 'none' as const,
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    excludeCredentials: passkeys.map((passkey) => ({
      type: 'public-key' as const,
      id: passkey.id,
    })),
  }
}

/** PublicKeyCredentialRequestOptionsJSON, the same for every visitor. */
export function assertionOptions({ clock, dashboardUrl, secrets }: PasskeyContext) {
  return {
    challenge: createChallenge(secrets, signInPurpose, clock()),
    rpId: dashboardUrl.hostname,
    timeout: timeoutMs,
    userVerification: 'required' as const,
  }
}

/** Adds the passkey of a response. Throws `invalid_passkey`, `limit_reached`. */
export async function addPasskey(
  context: PasskeyContext,
  account: Account,
  label: string,
  response: AttestationJson,
  origin: AuditOrigin,
): Promise<Passkey> {
  const purpose = registrationOf(account.id)
  const { challenge, verified } = await verify(context, purpose, ({ register }, expected) =>
    register(response, { ...expected, supportedAlgorithmIDs: algorithms }),
  )
  const row = {
    id: verified.id,
    accountId: account.id,
    label,
    publicKey: Buffer.from(verified.publicKey).toString('base64url'),
    counter: verified.counter,
    transports: (response.response.transports ?? []).join(' '),
    createdAt: origin.at,
  }
  const insert = locked(async (session): Promise<AppError | undefined> => {
    if (!(await takeChallenge(session, challenge))) return invalidPasskey()
    if (await findOne(session, byId, { id: row.id })) return invalidPasskey()
    if ((await listPasskeys(session, account.id)).length >= maxPasskeys) {
      const message = `You have ${maxPasskeys} passkeys. Remove the ones that you no longer use.`
      return new AppError('limit_reached', message)
    }
    await insertRow(session, 'passkeys', row)
    await setSignedInBy(session, origin.credentialId, 'passkey')
    const target = { id: account.id, name: origin.actorName }
    await recordAudit(session, origin, 'sign_in.passkey_added', target, { label })
    return undefined
  })
  await insert(context.database)
  return { ...row, lastUsedAt: undefined }
}

/** Returns `passkey_not_found` if the account has no such passkey. */
export const removePasskey = locked(
  async (session, accountId: string, id: string, origin: AuditOrigin) => {
    const [removed] = await session.all(remove, { id, account: accountId })
    if (!removed) return new AppError('passkey_not_found', 'Passkey not found.')
    const target = { id: accountId, name: origin.actorName }
    const { label } = removed
    await recordAudit(session, origin, 'sign_in.passkey_removed', target, { label })
    return undefined
  },
)

/** Starts a session. Throws `invalid_passkey` without saying whether the passkey is known. */
export async function signInByPasskey(
  context: PasskeyContext,
  response: AssertionJson,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database } = context
  const passkey = await findPlain(database.read, byId, { id: response.id })
  if (!passkey) throw invalidPasskey()
  const { challenge, verified: counter } = await verify(
    context,
    signInPurpose,
    ({ authenticate }, expected) => authenticate(response, passkey, expected),
  )
  const enterByPasskey = locked(async (session): Promise<SignedIn | AppError> => {
    if (!(await takeChallenge(session, challenge))) return invalidPasskey()
    const { accountId, counter: before, id } = passkey
    const now = clock()
    // Removed, or used by another request, during the check.
    if (!(await findOne(session, setUsed, { id, before, counter, now }))) return invalidPasskey()
    const account = await findAccount(session, accountId)
    if (!account) return invalidPasskey()
    return await enter(session, withoutSecrets(account), 'passkey', visitor, now)
  })
  return await enterByPasskey(database)
}

/** The packages are large, and most processes never need them. */
const loadWebauthn = () => import('./verify-webauthn.ts')
type Webauthn = Awaited<ReturnType<typeof loadWebauthn>>

/** What `check` gives for a response, and the challenge that it answers. Throws `invalid_passkey`. */
async function verify<T>(
  { clock, dashboardUrl, secrets }: PasskeyContext,
  purpose: string,
  check: (webauthn: Webauthn, expected: Expected) => Promise<T>,
): Promise<{ challenge: string; verified: T }> {
  let challenge = ''
  const expected: Expected = {
    expectedOrigin: dashboardUrl.origin,
    expectedRPID: dashboardUrl.hostname,
    expectedChallenge(given) {
      challenge = given
      return isChallenge(secrets, purpose, given, clock())
    },
  }
  const webauthn = await loadWebauthn()
  try {
    return { verified: await check(webauthn, expected), challenge }
  } catch (cause) {
    throw invalidPasskey(cause)
  }
}

const signInPurpose = 'sign in by passkey'
const registrationOf = (accountId: string): string => `add a passkey to ${accountId}`

function invalidPasskey(cause?: unknown): AppError {
  const message = 'This passkey is not valid here. Use another one, or your password.'
  return new AppError('invalid_passkey', message, { cause })
}
