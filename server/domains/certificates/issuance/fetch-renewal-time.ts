// The renewal time of a certificate. Renewal information is requested repeatedly (RFC 9773), because the authority
// may revoke the certificate; without it, the remaining lifetime decides.
import { AcmeNoResponse, AcmeProblem } from '#acme/requests/acme-error.ts'
import { getRenewalInfo, type RenewalInfo } from '#acme/resources/renewal-info.ts'
import { chooseRenewalTime, pointInWindow } from '#acme/resources/renewal-time.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { internalDirectory } from '../authorities/authority-clients.ts'
import type { CurrentCertificate } from '../records/certificate-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { applyEventTransaction } from './leased-write.ts'

const hour = 3_600_000
/** When renewal information is requested again where there is none. */
const noInfoRetryMs = 12 * hour
const failedRetryMs = hour

/** Returns the renewal time, which is stored with the domain. */
export async function fetchRenewalTime(
  issuance: IssuanceContext,
  { host, state }: FoundDomain,
  certificate: CurrentCertificate,
): Promise<number> {
  const { context, lease } = issuance
  const now = context.clock()
  const answer = await ask(issuance, certificate)
  const info = answer === 'failed' ? undefined : answer
  const point = pointInWindow(certificate.fingerprint)
  const renewAt = info
    ? limitEarlyRenewal(chooseRenewalTime(certificate, info.window, point), certificate)
    : (state.renewAt ?? chooseRenewalTime(certificate, undefined, point))
  const lookAt = info?.askAgainAt ?? now + (answer === 'failed' ? failedRetryMs : noInfoRetryMs)
  const event = { type: 'renewal', at: now, renewAt, lookAt } as const
  await context.database.write(applyEventTransaction, { lease, event })
  if (renewAt <= now && state.renewAt !== null && state.renewAt > now) {
    const explanation = info?.explanationUrl
    context.log.info(
      { event: 'certificate.early_renewal', host, explanation },
      'the authority suggests an early renewal',
    )
  }
  return renewAt
}

/**
 * A certificate is used for at least an hour, or half of its lifetime if that is shorter, so that neither a faulty
 * authority nor a wrong clock causes a renewal loop.
 */
export function limitEarlyRenewal(
  renewAt: number,
  { issuedAt, notAfter }: Pick<CurrentCertificate, 'issuedAt' | 'notAfter'>,
): number {
  const used = Math.min(hour, Math.floor((notAfter - issuedAt) / 2))
  return Math.max(renewAt, issuedAt + used)
}

async function ask(
  { context, signal }: IssuanceContext,
  { directory, renewalId }: CurrentCertificate,
): Promise<RenewalInfo | 'failed' | undefined> {
  if (directory === internalDirectory || renewalId === null) return undefined
  const client = context.authorities.clientOf(directory)
  try {
    return await getRenewalInfo(client, renewalId, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AcmeProblem || error instanceof AcmeNoResponse) return 'failed'
    throw error
  }
}
