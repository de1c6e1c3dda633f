// The TXT record of the challenge that the owner of a domain has to set: for one validation, from the open order (RFC 8555,
// section 8.4), or for several (draft-ietf-acme-dns-persist).
import { findOne, type Session } from '../../../platform/database/database.ts'
import { persistentType } from '../../acme/resources/authorizations.ts'
import { dnsChallengeLabel, dnsChallengeValue } from '../../acme/resources/challenges.ts'
import { persistentRecordLabel } from '../../acme/resources/persistent-record.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { WantedChallenge } from '../evidence/evidence.ts'
import type { FoundDomain } from './domain-row.ts'

/** Of an open order and of the persistent record; null without one. */
export interface OpenChallenge {
  challengeType: string | null
  keyAuthorization: string | null
  recordExpiresAt: bigint | null
  persistValue: string | null
  persistUntil: bigint | null
  /** When the persistent record was given up. */
  persistReleasedAt: bigint | null
}

export const challengeColumns = [
  'certificate_orders.challenge_type as challengeType',
  'certificate_orders.key_authorization as keyAuthorization',
  'certificate_orders.expires_at as recordExpiresAt',
  'persistent_records.value as persistValue',
  'persistent_records.persist_until as persistUntil',
  'persistent_records.released_at as persistReleasedAt',
] as const

const openChallengeOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .leftJoin('certificate_orders', 'certificate_orders.domain_id', 'domains.id')
    .leftJoin('persistent_records', 'persistent_records.domain_id', 'domains.id')
    .select(challengeColumns)
    .where('domains.id', '=', param('id')),
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

export function persistentNameOf(host: string): string {
  return `${persistentRecordLabel}.${host}`
}

export function wantedChallengeOf(
  {
    formerChallenge: former,
    host,
    state,
  }: Pick<FoundDomain, 'formerChallenge' | 'host'> & {
    state: Pick<FoundDomain['state'], 'preparationMethod'>
  },
  open: OpenChallenge | undefined,
): WantedChallenge {
  const isPersistent = state.preparationMethod === persistentType
  const { until, value } = (open && (isPersistent ? persistent(open) : once(open))) ?? {}
  const isReplaced = former?.method === (isPersistent ? persistentType : undefined)
  return {
    name: isPersistent ? persistentNameOf(host) : challengeNameOf(host),
    ...(isPersistent && { method: persistentType }),
    ...(value !== undefined && { value, until: Number(until) }),
    ...(former && isReplaced && former.value !== value && { former }),
  }
}

/** Records of challenges that may be left in DNS. `until`: the end of a persistent one. */
export interface LeftChallenge {
  name: string
  value: string
  until?: number
}

/** The last value for one validation that is no longer valid, and the last persistent one, valid or not. */
export function leftChallengesOf(
  { formerChallenge, host }: Pick<FoundDomain, 'formerChallenge' | 'host'>,
  { persistUntil, persistValue }: Pick<OpenChallenge, 'persistValue' | 'persistUntil'>,
): LeftChallenge[] {
  const former = formerChallenge && {
    name: formerChallenge.method ? persistentNameOf(host) : challengeNameOf(host),
    value: formerChallenge.value,
  }
  const last =
    persistValue === null
      ? undefined
      : { name: persistentNameOf(host), value: persistValue, until: Number(persistUntil) }
  return [former, last].filter((each) => each !== undefined)
}

function once({ challengeType, keyAuthorization, recordExpiresAt: until }: OpenChallenge) {
  if (challengeType !== 'dns-01' || !keyAuthorization || until === null) return undefined
  return { value: dnsChallengeValue(keyAuthorization), until }
}

function persistent({
  persistReleasedAt,
  persistUntil: until,
  persistValue: value,
}: OpenChallenge) {
  if (persistReleasedAt !== null || value === null || until === null) return undefined
  return { value, until }
}
