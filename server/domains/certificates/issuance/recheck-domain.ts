// The check that a certificate request relies on: the last one while it is recent, otherwise a new one.
import { LeaseLostError } from '#kit/jobs/lease.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { findLastEvidence } from '../../database/find-domains.ts'
import type { Evidence } from '../../evidence/evidence.ts'
import type { DomainState } from '../../state/domain-state.ts'
import type { IssuanceContext } from './issuance-context.ts'

export interface RecheckedDomain {
  domain: FoundDomain
  /** Undefined when no check has found any. */
  evidence: Evidence | undefined
}

/**
 * A check is used for `maxAgeMs`. Undefined when `isIssuable` no longer holds: then the state says what is next. Throws
 * LeaseLostError when the domain was removed.
 */
export async function recheckDomain(
  { context: { check, clock, database }, signal }: IssuanceContext,
  domain: FoundDomain,
  maxAgeMs: number,
  isIssuable: (state: DomainState) => boolean,
): Promise<RecheckedDomain | undefined> {
  const { checkedAt } = domain.state
  const isFresh = checkedAt !== null && clock() - checkedAt < maxAgeMs
  const checked = isFresh ? domain : await check(domain, signal)
  signal.throwIfAborted()
  if (!checked) throw new LeaseLostError(`domain ${domain.id} was removed`)
  if (!isIssuable(checked.state)) return undefined
  const kept = await findLastEvidence(database.read, domain.id)
  return { domain: checked, evidence: kept === undefined ? undefined : JSON.parse(kept) }
}
