// The password of a preview, hashed as those of accounts are and under the same rules.
import { findPasswordProblem } from '../../platform/accounts/password-rules.ts'
import type { Passwords } from '../../platform/accounts/passwords.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/management/caller.ts'

export type HashPassword = Passwords['hashingOf']

/** Null and undefined are returned. Throws `invalid_body` for a password that is too weak. */
export async function hashPreviewPassword(
  hashingOf: HashPassword,
  { caller }: { caller: Caller },
  password: string | null | undefined,
): Promise<string | null | undefined> {
  if (typeof password !== 'string') return password
  const problem = findPasswordProblem(password, '')
  if (problem !== undefined) {
    const message = `password ${problem}.`
    throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
  }
  return await hashingOf({ network: caller.account.id, isKnown: true }).hash(password)
}
