// When a certificate is renewed: the authority is asked, again and again (RFC 9773), because it may have to
// revoke it; where it says nothing, the share of its life that is left decides.
import { AcmeNoResponse, AcmeProblem } from '../../acme/requests/acme-error.ts'
import { getRenewalInfo, type RenewalInfo } from '../../acme/resources/renewal-info.ts'
import { chooseRenewalTime, pointInWindow } from '../../acme/resources/renewal-time.ts'
import { applyEvent } from '../../domains/database/apply-event.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'
import { internalDirectory } from '../authorities/authorities.ts'
import type { CurrentCertificate } from '../records/certificate-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { leasedWrite } from './leased-write.ts'

const hour = 3_600_000
/** What has no renewal information may have it later. */
const lookAgainMs = 12 * hour
const askAgainMs = hour

/** The moment, which the domain has from now on. */
export async function fetchRenewalTime(
  issuance: IssuanceContext,
  { host, state }: FoundDomain,
  certificate: CurrentCertificate,
): Promise<number> {
  const { context, lease } = issuance
  const now = context.clock()
  const info = await ask(issuance, certificate)
  const point = pointInWindow(certificate.fingerprint)
  const usual = state.renewAt ?? chooseRenewalTime(certificate, undefined, point)
  const renewAt =
    info === 'failed' || !info
      ? usual
      : limitEarlyRenewal(chooseRenewalTime(certificate, info.window, point), certificate)
  const wait = info === 'failed' ? askAgainMs : lookAgainMs
  const lookAt = info === 'failed' || !info ? now + wait : info.askAgainAt
  await context.database.write(saveRenewalTimeTransaction, { lease, now, renewAt, lookAt })
  if (renewAt <= now && state.renewAt !== null && state.renewAt > now) {
    const explanation = info === 'failed' ? undefined : info?.explanationUrl
    context.log.info({ host, explanation }, 'the authority wants a certificate renewed early')
  }
  return renewAt
}

/**
 * However early it is said to be: a certificate is used for an hour, or for half of what it had left, so that no
 * authority and no clock can make us renew again and again.
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

interface RenewalTimeInput {
  lease: IssuanceContext['lease']
  now: number
  renewAt: number
  lookAt: number
}

const saveRenewalTimeTransaction = leasedWrite(
  async (session, domain, { lookAt, now, renewAt }: RenewalTimeInput): Promise<void> => {
    await applyEvent(session, domain, { type: 'renewal', at: now, renewAt, lookAt })
  },
)
