// The operator may require a second factor: REQUIRE_SECOND_FACTOR.
import type { SecondFactorRule } from '#kit/config/variables.ts'
import type { Account } from '#kit/management/caller.ts'
import type { SignInMethod } from './schema.ts'

/** The ways to start a session that prove two factors. */
export const strongMethods: ReadonlySet<SignInMethod> = new Set<SignInMethod>([
  'password_code',
  'password_recovery_code',
  'passkey',
  'provider_mfa',
  'provider_code',
  'provider_recovery_code',
])

export function isSecondFactorRequired(
  rule: SecondFactorRule,
  { role }: Pick<Account, 'role'>,
): boolean {
  return rule === 'all' || (rule === 'operators' && role === 'operator')
}
