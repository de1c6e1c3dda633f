// What the rooms of certificates have in common in one process.
import type { PortByAddress } from '../../../platform/network/address-port.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { ChallengeType } from '../../acme/resources/authorizations.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'
import type { DomainLease } from '../../domains/scheduling/domain-lease.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { LimitsOf } from '../rate-limits/rate-limits.ts'

export interface CertificatesContext extends Pick<PublishingContext, 'clock' | 'database' | 'log'> {
  secrets: Secrets
  authorities: Authorities
  /** One of the kinds of certificate that the first authority offers. */
  profile: string | undefined
  /** An authority does not offer that kind. */
  noteMissingProfile(directory: string): void
  /** By which hosts can be validated here, the best one first. */
  methods: readonly ChallengeType[]
  /** Without it nobody would see a certificate. */
  servesHttps: boolean
  limitsOf: LimitsOf
  /** Checks a domain's DNS and records it; the domain as it is then, undefined when it has been removed. */
  check(domain: FoundDomain, signal: AbortSignal): Promise<FoundDomain | undefined>
  /** Where addresses are asked besides public ones on port 80. */
  probePorts: PortByAddress
  count(authority: string, result: 'issued' | 'renewed' | 'failed'): void
  /** From 0 to below 1. */
  random(): number
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** One domain that is seen to, by whoever has its lease. */
export interface IssuanceContext {
  context: CertificatesContext
  lease: DomainLease
  /** The lease is lost, or the program stops. */
  signal: AbortSignal
}
