// Pre-checks of a certificate that is issued before DNS points to us: what can be known is told before the owner is
// asked for a TXT record, and nothing is asked of the authority.
import type { FoundDomain } from '../../database/domain-row.ts'
import { findPreparationBlocker, judge } from '../../doctor/judge.ts'
import { isEarlyProblem, tooShort } from '../../doctor/preparation-rules.ts'
import type { DiagnosticCode } from '../../doctor/rules.ts'
import { mayIssueAhead } from '../../state/domain-state.ts'
import type { CurrentCertificate } from '../records/certificate-rows.ts'
import type { CertificateOrder } from '../records/order-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { applyEventTransaction } from './leased-write.ts'
import { beginOrder, blockIssuance, chooseIssuanceMethod, recentCheckMs } from './prepare-order.ts'
import { type RecheckedDomain, recheckDomain } from './recheck-domain.ts'

/**
 * An order that can be placed now. Undefined when the domain is blocked or has changed.
 */
export async function prepareEarlyOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  current: CurrentCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const { context, lease } = issuance
  const { clock, database } = context
  await database.write(applyEventTransaction, { lease, event: { type: 'begun', at: clock() } })
  const seen = await preCheckEarly(issuance, domain, recentCheckMs)
  if (!seen) return undefined
  if (seen.blockedBy !== undefined) return await blockIssuance(issuance, { by: seen.blockedBy })
  const { failures } = seen.domain.state
  const way = await chooseIssuanceMethod(issuance, seen.evidence, failures, ['dns-01'])
  if (!way) return await blockIssuance(issuance, { by: 'C01' })
  const { directory, retryAt = 0, type = '' } = seen.domain.problem ?? {}
  if (directory === way.directory && retryAt > clock()) {
    const by = isEarlyProblem(type) ? codeOfProblem(type) : 'T05'
    return await blockIssuance(issuance, { by, until: retryAt })
  }
  return await beginOrder(issuance, seen.domain, way, current)
}

/** The diagnostic by which an authority is not used before the switch. */
export function codeOfProblem(type: string): DiagnosticCode {
  return type === tooShort ? 'M11' : 'M12'
}

interface EarlyCheck extends RecheckedDomain {
  blockedBy: DiagnosticCode | undefined
}

/**
 * A check that is younger than `maxAgeMs`, or a new one. Undefined when no certificate may be issued ahead any more:
 * then the state says what is next.
 */
export async function preCheckEarly(
  issuance: IssuanceContext,
  domain: FoundDomain,
  maxAgeMs: number,
): Promise<EarlyCheck | undefined> {
  const seen = await recheckDomain(issuance, domain, maxAgeMs, mayIssueAhead)
  if (!seen) return undefined
  const { evidence } = seen
  return { ...seen, blockedBy: evidence ? findPreparationBlocker(judge(evidence)) : 'D03' }
}
