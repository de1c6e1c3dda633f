// How a session was started, in words.
import type { Answer } from '../../client/management-client.ts'

type SignInMethod = Answer<'GET /account/sessions'>['items'][number]['signedInBy']

export const signInMethods: Record<SignInMethod, string> = {
  password: 'by password',
  password_code: 'by password and code',
  password_recovery_code: 'by password and recovery code',
  link: 'by one-time link',
  passkey: 'by passkey',
}

/** Of a value in the audit log. */
export function methodText(method: unknown): string | undefined {
  return Object.entries(signInMethods).find(([name]) => name === method)?.[1]
}
