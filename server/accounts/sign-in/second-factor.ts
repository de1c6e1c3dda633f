// One-time codes as second factor, with recovery codes for a lost device. The secret is encrypted at rest, recovery
// codes are stored as hashes. Each code is accepted once, also by requests at the same time.

import { randomBytes } from 'node:crypto'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, getOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { hashSecret } from '#kit/identifiers.ts'
import type { Secrets } from '#kit/secrets.ts'
import { findAccount, targetOf } from '../people/accounts.ts'
import { type AccountTables, insertRow, prepare } from '../people/tables.ts'
import { setSignedInBy } from '../sessions/sessions.ts'
import { createCodeSecret, findStep, isCode, toBase32, withoutSpaces } from './one-time-code.ts'

const recoveryCodeCount = 10
const recoveryCodeBytes = 10

const byAccount = prepare.select('one_time_codes', 'all', { account_id: 'account' })
const remove = prepare.delete('one_time_codes', { account_id: 'account' })
const setConfirmed = prepare.update(
  'one_time_codes',
  { confirmed_at: 'now' },
  { account_id: 'account' },
)
const useStep = prepare.update(
  'one_time_codes',
  { last_step: 'step' },
  { account_id: 'account', last_step: { '<': 'step' } },
  ['account_id'],
)
const removeRecoveryCodes = prepare.delete('recovery_codes', { account_id: 'account' })
const countRecoveryCodes = prepare.count('recovery_codes', { account_id: 'account', used_at: null })
const setRecoveryCodeUsed = prepare.update(
  'recovery_codes',
  { used_at: 'now' },
  { account_id: 'account', code_hash: 'hash', used_at: null },
  ['account_id'],
)

interface SecondFactorState {
  /** Milliseconds since the epoch; undefined while it is off. */
  since: number | undefined
  recoveryCodesLeft: number
}

export async function readSecondFactor(
  session: Session,
  accountId: string,
): Promise<SecondFactorState> {
  const row = await findOne(session, byAccount, { account: accountId })
  if (!row?.confirmed_at) return { since: undefined, recoveryCodesLeft: 0 }
  const { count: codes } = await getOne(session, countRecoveryCodes, { account: accountId })
  return { since: Number(row.confirmed_at), recoveryCodesLeft: Number(codes) }
}

/** Creates the secret, which replaces one that was not confirmed. Returns a `conflict` if codes are on already. */
export const startCodeSetUp = locked(
  async (session, accountId: string, secrets: Secrets, now: number): Promise<Buffer | AppError> => {
    const row = await findOne(session, byAccount, { account: accountId })
    if (row?.confirmed_at) {
      return new AppError('conflict', 'One-time codes are on already. Turn them off first.')
    }
    const secret = createCodeSecret()
    await session.all(remove, { account: accountId })
    await insertRow(session, 'one_time_codes', {
      accountId,
      secret: secrets.encrypt(secret, codeSecretContext(accountId)),
      ...{ createdAt: now, lastStep: 0 },
    })
    return secret
  },
)

/** Turns codes on with a first code. Returns the recovery codes, which are not stored. */
export const confirmCodeSetUp = locked(
  async (
    session,
    accountId: string,
    code: string,
    secrets: Secrets,
    origin: AuditOrigin,
  ): Promise<string[] | AppError> => {
    const row = await findOne(session, byAccount, { account: accountId })
    if (!row || row.confirmed_at) return notFound()
    if (!(await acceptCode(session, row, code, secrets, origin.at))) return wrongCode()
    await session.all(setConfirmed, { account: accountId, now: origin.at })
    await setSignedInBy(session, origin.credentialId, 'password_code')
    await recordAudit(session, origin, 'sign_in.codes_added', ownTarget(accountId, origin))
    return await replaceRecoveryCodes(session, accountId)
  },
)

/** Replaces all recovery codes. Returns `second_factor_not_found` while codes are off. */
export const createRecoveryCodes = locked(
  async (session, accountId: string, origin: AuditOrigin): Promise<string[] | AppError> => {
    const row = await findOne(session, byAccount, { account: accountId })
    if (!row?.confirmed_at) return notFound()
    const target = ownTarget(accountId, origin)
    await recordAudit(session, origin, 'sign_in.recovery_codes_created', target)
    return await replaceRecoveryCodes(session, accountId)
  },
)

/** Turns codes off, for the owner or, after a lost device, by an operator. */
export const removeSecondFactor = locked(
  async (session, accountId: string, origin: AuditOrigin): Promise<AppError | undefined> => {
    const account = await findAccount(session, accountId)
    const row = await findOne(session, byAccount, { account: accountId })
    if (!account || !row) return notFound()
    await session.all(remove, { account: accountId })
    await session.all(removeRecoveryCodes, { account: accountId })
    await recordAudit(session, origin, 'sign_in.codes_removed', targetOf(account))
    return undefined
  },
)

export type SecondFactorOutcome = 'off' | 'code' | 'recovery_code' | 'missing' | 'wrong'

/**
 * Inside a transaction that holds the lock: checks the second factor of an account whose password was right. A code
 * that was accepted cannot be used again.
 */
export async function verifySecondFactor(
  session: Session,
  accountId: string,
  code: string | undefined,
  secrets: Secrets,
  origin: AuditOrigin,
): Promise<SecondFactorOutcome> {
  const row = await findOne(session, byAccount, { account: accountId })
  if (!row?.confirmed_at) return 'off'
  if (code === undefined) return 'missing'
  if (isCode(withoutSpaces(code))) {
    return (await acceptCode(session, row, code, secrets, origin.at)) ? 'code' : 'wrong'
  }
  const hash = hashOf(accountId, code)
  const used = await findOne(session, setRecoveryCodeUsed, {
    account: accountId,
    hash,
    now: origin.at,
  })
  if (!used) return 'wrong'
  await recordAudit(session, origin, 'sign_in.recovery_code_used', ownTarget(accountId, origin))
  return 'recovery_code'
}

async function acceptCode(
  session: Session,
  { account_id: account, secret: stored }: AccountTables['one_time_codes'],
  code: string,
  secrets: Secrets,
  now: number,
): Promise<boolean> {
  const secret = secrets.decrypt(stored, codeSecretContext(account))
  const step = findStep(secret, withoutSpaces(code), now)
  if (step === undefined) return false
  return (await findOne(session, useStep, { account, step })) !== undefined
}

async function replaceRecoveryCodes(session: Session, accountId: string): Promise<string[]> {
  await session.all(removeRecoveryCodes, { account: accountId })
  // 80 bits each, so that a plain hash is enough.
  const codes = Array.from({ length: recoveryCodeCount }, () =>
    toBase32(randomBytes(recoveryCodeBytes))
      .toLowerCase()
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  )
  for (const code of codes) {
    await insertRow(session, 'recovery_codes', { accountId, codeHash: hashOf(accountId, code) })
  }
  return codes
}

/** Case, spaces and hyphens do not matter. */
function hashOf(accountId: string, code: string): string {
  return hashSecret(`recovery ${accountId} ${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)
}

export const codeSecretContext = (accountId: string): string => `one-time codes ${accountId}`
const ownTarget = (id: string, { actorName }: AuditOrigin) => ({ id, name: actorName })

function notFound(): AppError {
  return new AppError('second_factor_not_found', 'One-time codes are not on for this account.')
}

export function wrongCode(): AppError {
  const message = 'This code is not valid. Enter the current code of the app, each works once.'
  return new AppError('invalid_code', message)
}
