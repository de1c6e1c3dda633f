// The dependencies of certificate issuance in one process.

import type { ChallengeType } from '#acme/resources/authorizations.ts'
import type { PortByAddress } from '#kit/network/address-port.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import type { DomainLease } from '../../scheduling/domain-lease.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { LimitsOf } from '../rate-limits/rate-limits.ts'

export interface CertificatesContext extends Pick<PublishingContext, 'clock' | 'database' | 'log'> {
  secrets: Secrets
  authorities: Authorities
  /** A certificate profile of the first authority. */
  profile: string | undefined
  /** The hosts that the internal root may certify, in addition to those that it is asked for. */
  internalHosts: readonly string[]
  /** Logs once that an authority does not offer the profile. */
  noteMissingProfile(directory: string): void
  /** The challenge types that this server can answer, in order of preference. */
  methods: readonly ChallengeType[]
  /** Certificates are issued only when HTTPS is enabled. */
  servesHttps: boolean
  limitsOf: LimitsOf
  /** Checks a domain's DNS and stores the result. Returns the changed domain; undefined when it was removed. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<FoundDomain | undefined>
  /** Addresses that may be requested besides public ones on port 80. */
  probePorts: PortByAddress
  count(authority: string, result: 'issued' | 'renewed' | 'failed'): void
  /** From 0 to below 1. */
  random(): number
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** The processing of one domain by the holder of its lease. */
export interface IssuanceContext {
  context: CertificatesContext
  lease: DomainLease
  /** Aborts when the lease is lost or the program stops. */
  signal: AbortSignal
}
