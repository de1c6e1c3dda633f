// The TXT record of the challenge that the owner of a domain has to set, from the open order (RFC 8555, section 8.4).

import { dnsChallengeLabel, dnsChallengeValue } from '#acme/resources/challenges.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import type { WantedChallenge } from '../evidence/evidence.ts'
import type { FoundDomain } from './domain-row.ts'

/** Of an open order; null without one. */
export interface OpenChallenge {
  challengeType: string | null
  keyAuthorization: string | null
  recordExpiresAt: bigint | null
}

export const challengeColumns = [
  'certificate_orders.challenge_type as challengeType',
  'certificate_orders.key_authorization as keyAuthorization',
  'certificate_orders.expires_at as recordExpiresAt',
] as const

const openChallengeOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select(challengeColumns)
    .where('certificate_orders.domain_id', '=', param('id')),
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
  open: OpenChallenge | undefined,
): WantedChallenge {
  const { challengeType, keyAuthorization, recordExpiresAt: until = null } = open ?? {}
  const value =
    challengeType === 'dns-01' && keyAuthorization && until !== null
      ? dnsChallengeValue(keyAuthorization)
      : undefined
  return {
    name: challengeNameOf(host),
    ...(value !== undefined && { value, until: Number(until) }),
    ...(former && former.value !== value && { former }),
  }
}
