// The rate limits of authorities, so that no request is sent that would be refused.

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** At most this many attempts in a sliding window. */
export interface Limit {
  most: number
  withinMs: number
}

/** Undefined for limits that do not apply. */
export interface Limits {
  /** Per host. */
  failedValidations: Limit | undefined
  /** Per host. Renewals that name their predecessor are not counted. */
  certificatesOfHost: Limit | undefined
  /** Per registrable domain. Renewals that name their predecessor are not counted. */
  certificatesOfDomain: Limit | undefined
  /** Per account at the authority. */
  orders: Limit | undefined
  /** Of these, orders for hosts without a certificate: the rest is kept for renewals. */
  newOrders: Limit | undefined
  /** Of those, orders for the domains of one owner. */
  newOrdersOfHolder: Limit | undefined
  /**
   * Of the certificates for the platform's registrable domain, which all sites share, orders for the sites of one
   * owner.
   */
  newOrdersOfSiteOwner: Limit | undefined
}

export type LimitsOf = (directory: string) => Limits

/** https://letsencrypt.org/docs/rate-limits/ */
const letsEncryptLimits: Limits = {
  failedValidations: { most: 5, withinMs: hour },
  certificatesOfHost: { most: 5, withinMs: 7 * day },
  certificatesOfDomain: { most: 50, withinMs: 7 * day },
  orders: { most: 300, withinMs: 3 * hour },
  newOrders: { most: 200, withinMs: 3 * hour },
  newOrdersOfHolder: { most: 50, withinMs: 3 * hour },
  newOrdersOfSiteOwner: { most: 10, withinMs: 7 * day },
}

const withoutSharedLimits = {
  certificatesOfDomain: undefined,
  orders: undefined,
  newOrders: undefined,
  newOrdersOfHolder: undefined,
  newOrdersOfSiteOwner: undefined,
}

function isLetsEncrypt(directory: string): boolean {
  return /(^|\.)letsencrypt\.org$/.test(URL.parse(directory)?.hostname ?? '')
}

/** Other authorities have no limits per registrable domain and account; the rest applies everywhere to stop faulty retries. */
export const limitsOf: LimitsOf = (directory) =>
  isLetsEncrypt(directory) ? letsEncryptLimits : { ...letsEncryptLimits, ...withoutSharedLimits }

/** The longest window of any limit. */
export const attemptRetentionMs = 7 * day
