// How many accounts of holders are created at an authority: those that were closed count, too.

const hour = 3_600_000

/** At most this many in a sliding window. */
export interface AccountLimit {
  most: number
  withinMs: number
}

interface AccountLimits {
  newAccounts: AccountLimit
  newAccountsOfHolder: AccountLimit
}

/** Let's Encrypt creates ten for an address: two are left for the installation itself. */
const letsEncryptLimits: AccountLimits = {
  newAccounts: { most: 8, withinMs: 3 * hour },
  newAccountsOfHolder: { most: 3, withinMs: 3 * hour },
}

export function accountLimitsOf(directory: string): AccountLimits {
  if (isLetsEncrypt(directory)) return letsEncryptLimits
  return { ...letsEncryptLimits, newAccounts: { most: 100, withinMs: 3 * hour } }
}

export function isLetsEncrypt(directory: string): boolean {
  return /(^|\.)letsencrypt\.org$/.test(URL.parse(directory)?.hostname ?? '')
}
