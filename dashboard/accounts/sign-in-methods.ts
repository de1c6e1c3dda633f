// How a session was started, in words.
import type { Answer } from '../../client/management-client.ts'

type SignInMethod = Answer<'GET /account/sessions'>['items'][number]['signedInBy']

export const signInMethods: Record<SignInMethod, string> = {
  password: 'by password',
  password_code: 'by password and code',
  password_recovery_code: 'by password and recovery code',
  link: 'by one-time link',
  passkey: 'by passkey',
  provider: 'by identity provider',
  provider_mfa: 'by identity provider with two factors',
  provider_code: 'by identity provider and code',
  provider_recovery_code: 'by identity provider and recovery code',
}

/** Of a value in the audit log. */
export function methodText(method: unknown): string | undefined {
  return Object.entries(signInMethods).find(([name]) => name === method)?.[1]
}
