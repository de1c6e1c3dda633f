// Which sign-ins at a provider count as two factors: `amr`, authentication method references (RFC 8176).

const kinds = new Map<string, 'knowledge' | 'possession' | 'inherence'>([
  ['pwd', 'knowledge'],
  ['pin', 'knowledge'],
  ['kba', 'knowledge'],
  ['otp', 'possession'],
  ['sms', 'possession'],
  ['tel', 'possession'],
  ['sc', 'possession'],
  ['hwk', 'possession'],
  ['swk', 'possession'],
  ['pop', 'possession'],
  ['face', 'inherence'],
  ['fpt', 'inherence'],
  ['iris', 'inherence'],
  ['retina', 'inherence'],
  ['vbm', 'inherence'],
])
/** `mfa` says so; a smart card or a hardware key is released by its user. */
const sufficient = new Set(['mfa', 'sc', 'hwk'])

/**
 * Whether the provider has checked two factors: it says so, or names methods of two kinds. `otp` alone does not count:
 * some providers mail a code instead of asking for a password.
 */
export function hasTwoFactors(amr: unknown): boolean {
  if (!Array.isArray(amr)) return false
  const methods = amr.filter((each) => typeof each === 'string')
  if (methods.some((method) => sufficient.has(method))) return true
  return new Set(methods.flatMap((method) => kinds.get(method) ?? [])).size >= 2
}
