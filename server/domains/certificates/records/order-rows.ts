// Open orders: at most one per domain, stored so that any process can continue it.

import type { ChallengeType } from '#acme/resources/authorizations.ts'
import { dnsChallengeValue } from '#acme/resources/challenges.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { assignments, type StoredRow, storedRow } from '#kit/database/plain-row.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'
import { challengeNameOf } from '../../database/find-challenge.ts'

/**
 * `token`: that of the self-check at first, then the authority's. `privateKey`: the new certificate's, encrypted.
 * `replaces`: the certificate that this order replaces at the same authority (RFC 9773). `expiresAt`: until when the owner
 * has to set the TXT record; null for challenges without one, and before it is asked for.
 */
export interface CertificateOrder extends StoredRow<PublishingTables['certificate_orders']> {
  /** `new`: not ordered yet, the self-check token is served. `answered`: the authority was told to validate. */
  step: 'new' | 'ordered' | 'answered' | 'ready' | 'finalized'
  challengeType: ChallengeType | null
}

const changing = [
  'directory',
  'step',
  'order_url',
  'challenge_type',
  'token',
  'key_authorization',
  'private_key',
  'replaces',
  'expires_at',
  'record_seen_at',
] as const
const columns = ['domain_id', 'host', 'registered_domain', 'begun_at', ...changing] as const

const byDomain = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('certificate_orders').selectAll().where('domain_id', '=', param('id')),
)
const save = prepareQuery<CertificateOrder>()((db, param) =>
  db
    .insertInto('certificate_orders')
    .values(assignments(columns, param))
    .onConflict((conflict) =>
      conflict.column('domain_id').doUpdateSet(assignments(changing, param)),
    ),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('certificate_orders').where('domain_id', '=', param('id')),
)

/** The TXT record of its challenge that the owner was asked for; undefined for other types. */
export function recordOfOrder({
  challengeType,
  expiresAt,
  host,
  keyAuthorization,
}: CertificateOrder) {
  if (challengeType !== 'dns-01' || expiresAt === null) return undefined
  return { name: challengeNameOf(host), value: dnsChallengeValue(keyAuthorization) }
}

export async function findOrder(session: Session, domainId: string) {
  const row = await findOne(session, byDomain, { id: domainId })
  return row && (storedRow(row) as CertificateOrder)
}

/** Creates or changes the order of its domain. Within the lock. */
export async function saveOrder(session: Session, order: CertificateOrder): Promise<void> {
  await session.all(save, order)
}

/** Within the lock. */
export async function removeOrder(session: Session, domainId: string): Promise<void> {
  await session.all(remove, { id: domainId })
}
