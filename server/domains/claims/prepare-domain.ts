// Requests that the certificate of a domain is issued before DNS points to us, or cancels that.
import { transaction } from '#accounts/lock-accounts.ts'
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { abandonChallenge } from '../database/abandon-challenge.ts'
import { applyEvent } from '../database/apply-event.ts'
import { releaseAuthorizations } from '../database/authorizations.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'
import { recordEvent } from '../events/record-event.ts'

interface SetPreparation {
  id: string
  isRequested: boolean
  /** Who requests it. */
  origin: AuditOrigin
}

/** Returns the domain after it; undefined when it was removed meanwhile. */
export const setPreparation = transaction(
  async (session, { id, ...change }: SetPreparation): Promise<FoundDomain | undefined> => {
    const domain = await findDomainById(session, id)
    return domain && (await applyPreparation(session, domain, change))
  },
)

/** The same inside a write. */
export async function applyPreparation(
  session: Session,
  domain: FoundDomain,
  { isRequested, origin }: Omit<SetPreparation, 'id'>,
): Promise<FoundDomain> {
  const event = { type: 'preparation', at: origin.at, isRequested } as const
  const after = await applyEvent(session, domain, event)
  const wasRequested = domain.state.preparation === 'requested'
  if ((after.state.preparation === 'requested') === wasRequested) return after
  // A record that is still there is of no use to anybody.
  if (wasRequested && (await abandonChallenge(session, domain, 'canceled', origin.at))) {
    await releaseAuthorizations(session, domain.id, origin.at)
  }
  const type = isRequested ? 'preparation_requested' : 'preparation_canceled'
  await recordEvent(session, domain, { type, detail: {}, isNotice: false, origin })
  return after
}
