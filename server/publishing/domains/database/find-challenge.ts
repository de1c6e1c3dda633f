// The TXT record of the challenge that the owner of a domain has to set, from the open order (RFC 8555, section 8.4).
import { findOne, type Session } from '../../../platform/database/database.ts'
import { dnsChallengeLabel, dnsChallengeValue } from '../../acme/resources/challenges.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { WantedChallenge } from '../evidence/evidence.ts'
import type { FoundDomain } from './domain-row.ts'

/** Of an open order; null without one. */
export interface OpenChallenge {
  challengeType: string | null
  keyAuthorization: string | null
  recordExpiresAt: bigint | null
}

export const openChallengeOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select([
      'challenge_type as challengeType',
      'key_authorization as keyAuthorization',
      'expires_at as recordExpiresAt',
    ])
    .where('domain_id', '=', param('id')),
)

/** Undefined unless a certificate is requested before DNS points to us. */
export async function findWantedChallenge(
  session: Session,
  domain: FoundDomain,
): Promise<WantedChallenge | undefined> {
  if (domain.state.preparation !== 'requested') return undefined
  return wantedChallengeOf(domain, await findOne(session, openChallengeOf, { id: domain.id }))
}

export function challengeNameOf(host: string): string {
  return `${dnsChallengeLabel}.${host}`
}

export function wantedChallengeOf(
  { formerChallenge: former, host }: Pick<FoundDomain, 'formerChallenge' | 'host'>,
  order: OpenChallenge | undefined,
): WantedChallenge {
  const { challengeType, keyAuthorization, recordExpiresAt } = order ?? {}
  const value =
    challengeType === 'dns-01' && keyAuthorization && recordExpiresAt !== null
      ? dnsChallengeValue(keyAuthorization)
      : undefined
  return {
    name: challengeNameOf(host),
    ...(value !== undefined && { value, until: Number(recordExpiresAt) }),
    ...(former && former.value !== value && { former }),
  }
}
