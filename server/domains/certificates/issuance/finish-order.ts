// Stores a new certificate, serves it, and updates the domain's state, all in one write.

import { chooseRenewalTime, pointInWindow } from '#acme/resources/renewal-time.ts'
import { type CertificateWithKey, readCertificate } from '#acme/x509/certificate-facts.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { createRecordId } from '#kit/record-id.ts'
import { changePublished } from '#publishing/database/publishing-state.ts'
import { abandonChallenge } from '../../database/abandon-challenge.ts'
import { applyEvent } from '../../database/apply-event.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { recordAttempt } from '../rate-limits/attempt-log.ts'
import { keyContext, type StoredCertificate, showCertificate } from '../records/certificate-rows.ts'
import { type CertificateOrder, findOrder, removeOrder } from '../records/order-rows.ts'
import { limitEarlyRenewal } from './fetch-renewal-time.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { leasedWrite, setProblem } from './leased-write.ts'

/** When renewal information is requested for the first time. */
const firstLookAfterMs = 12 * 3_600_000

interface NewCertificate extends CertificateWithKey {
  /** The authority's display name. */
  issuer: string
  directory: string
  /** Undefined for the internal authority. */
  order: CertificateOrder | undefined
}

/** The chain must match the host and the key. */
export async function finishOrder(
  { context, lease }: IssuanceContext,
  domain: FoundDomain,
  { chain, directory, issuer, key, order }: NewCertificate,
): Promise<void> {
  const { clock, count, database, log, secrets } = context
  const now = clock()
  const id = createRecordId('crt', now)
  const facts = readCertificate(chain)
  const { fingerprint, notAfter, notBefore, renewalId = null, serial } = facts
  const kept: StoredCertificate = {
    id,
    domainId: domain.id,
    host: domain.host,
    issuer,
    directory,
    chain,
    privateKey: secrets.encrypt(Buffer.from(key), keyContext('certificate', id)),
    fingerprint,
    serial,
    notBefore,
    notAfter,
    issuedAt: now,
    renewalId,
  }
  const usual = chooseRenewalTime(facts, undefined, pointInWindow(fingerprint))
  const renewAt = limitEarlyRenewal(usual, kept)
  const installation = { lease, kept, order, renewAt, now }
  const before = await database.write(installCertificateTransaction, installation)
  const isRenewal = before.state.expiresAt !== null
  count(issuer, isRenewal ? 'renewed' : 'issued')
  const until = new Date(notAfter).toISOString()
  log.info(
    {
      event: isRenewal ? 'certificate.renewed' : 'certificate.issued',
      host: domain.host,
      authority: issuer,
      until,
    },
    isRenewal ? 'certificate renewed' : 'certificate issued',
  )
}

interface CertificateInstallation {
  kept: StoredCertificate
  order: CertificateOrder | undefined
  renewAt: number
  now: number
}

/** Returns the domain as it was before. */
const installCertificateTransaction = leasedWrite(
  async (
    session,
    domain,
    { kept, now, order, renewAt }: CertificateInstallation,
  ): Promise<FoundDomain> => {
    if (domain.state.ownership !== 'proven')
      throw new LeaseLostError('the domain is no longer proven')
    if (order) {
      const begun = await findOrder(session, domain.id)
      if (begun?.orderUrl !== order.orderUrl) throw new LeaseLostError('the order was replaced')
      // The value was used: a renewal by DNS needs another one.
      await abandonChallenge(session, domain, 'renewal', now)
      await removeOrder(session, domain.id)
      const kind = order.replaces === null ? 'certificate' : 'renewal'
      await recordAttempt(session, order, { kind, at: now })
    }
    await showCertificate(session, kept)
    await setProblem(session, domain.id, undefined)
    await changePublished(session)
    const lookAt = now + firstLookAfterMs
    let changed = domain
    // The internal authority needs no order.
    for (const type of order ? [] : (['begun', 'ordered'] as const)) {
      changed = await applyEvent(session, changed, { type, at: now })
    }
    const { notAfter: expiresAt } = kept
    await applyEvent(session, changed, { type: 'issued', at: now, expiresAt, renewAt, lookAt })
    return domain
  },
)
