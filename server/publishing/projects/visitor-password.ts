// The password of a site or a preview, hashed as those of accounts are and under the same rules.
import { findPasswordProblem } from '#accounts/password-rules.ts'
import type { Passwords } from '#accounts/passwords.ts'
import { AppError } from '#kit/errors.ts'
import type { Caller } from '#kit/management/caller.ts'

export type HashPassword = Passwords['hashingOf']

/** Throws `invalid_body` for a password that is too weak. */
export async function hashVisitorPassword(
  hashingOf: HashPassword,
  { caller }: { caller: Caller },
  password: string,
): Promise<string> {
  const problem = findPasswordProblem(password, '')
  if (problem !== undefined) {
    const message = `password ${problem}.`
    throw new AppError('invalid_body', message, { details: [{ path: 'password', message }] })
  }
  return await hashingOf({ network: caller.account.id, isKnown: true }).hash(password)
}
