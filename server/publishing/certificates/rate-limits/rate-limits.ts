// What an authority gives in which time, so that we never ask for what it has to refuse.

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** At most so many within so long, counted back from now. */
export interface Limit {
  most: number
  withinMs: number
}

/** Undefined for what is not limited. */
export interface Limits {
  /** Of one host. */
  failedValidations: Limit | undefined
  /** Of one host; renewals that say what they replace are not counted. */
  certificatesOfHost: Limit | undefined
  /** Of a registered domain with all that is below it; the same. */
  certificatesOfDomain: Limit | undefined
  /** Of our account. */
  orders: Limit | undefined
}

export type LimitsOf = (directory: string) => Limits

/** https://letsencrypt.org/docs/rate-limits/ */
export const letsEncryptLimits: Limits = {
  failedValidations: { most: 5, withinMs: hour },
  certificatesOfHost: { most: 5, withinMs: 7 * day },
  certificatesOfDomain: { most: 50, withinMs: 7 * day },
  orders: { most: 300, withinMs: 3 * hour },
}

/** What Let's Encrypt bounds for all of its users others leave free; what shows a fault of ours is bounded anywhere. */
export const limitsOf: LimitsOf = (directory) =>
  /(^|\.)letsencrypt\.org$/.test(URL.parse(directory)?.hostname ?? '')
    ? letsEncryptLimits
    : { ...letsEncryptLimits, certificatesOfDomain: undefined, orders: undefined }

/** Nothing of the ledger is older than any limit looks back. */
export const attemptRetentionMs = 7 * day
