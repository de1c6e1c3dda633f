// What an order leaves with others. The TXT record of its challenge, which the owner has to set (RFC 8555, section 8.4):
// a value that is no longer valid is kept, so that the owner is told why another one is needed, or that the record can be
// deleted. And the authorizations that authorities keep for our account: while one is valid, the account gets a
// certificate for the host without another validation, so they are deactivated once the domain is no longer its owner's
// (section 7.5.2).

import { dnsChallengeLabel, dnsChallengeValue } from '#acme/resources/orders.ts'
import type { FormerChallenge, WantedChallenge } from '#doctor/evidence.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import type { StoredRow } from '#kit/database/plain-row.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import {
  type PublishingTables,
  prepare,
  prepareQuery,
  saveRow,
} from '#publishing/database/tables.ts'
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

/** Undefined without a TXT record that the owner was asked for. */
function askedValueOf(open: OpenChallenge | undefined): string | undefined {
  const { challengeType, keyAuthorization, recordExpiresAt = null } = open ?? {}
  const isAsked = challengeType === 'dns-01' && keyAuthorization && recordExpiresAt !== null
  return isAsked ? dnsChallengeValue(keyAuthorization) : undefined
}

export function challengeNameOf(host: string): string {
  return `${dnsChallengeLabel}.${host}`
}

export function wantedChallengeOf(
  { formerChallenge: former, host }: Pick<FoundDomain, 'formerChallenge' | 'host'>,
  open: OpenChallenge | undefined,
): WantedChallenge {
  const value = askedValueOf(open)
  return {
    name: challengeNameOf(host),
    ...(value !== undefined && { value, until: Number(open?.recordExpiresAt) }),
    ...(former && former.value !== value && { former }),
  }
}

const setFormer = prepare.update('domains', { former_challenge: 'former' }, { id: 'id' })
const deleteOrder = prepare.delete('certificate_orders', { domain_id: 'id' })

/** Deletes an open order for whose challenge a TXT record was asked. Within the lock. True if there was one. */
export async function abandonChallenge(
  session: Session,
  { id }: { id: string },
  because: FormerChallenge['because'],
  at: number,
): Promise<boolean> {
  const value = askedValueOf(await findOne(session, openChallengeOf, { id }))
  if (value === undefined) return false
  const former: FormerChallenge = { value, because, at }
  await session.all(setFormer, { id, former: JSON.stringify(former) })
  await removeOrder(session, id)
  return true
}

/** Deletes the open order, whatever its challenge. Within the lock. */
export async function abandonOrder(
  session: Session,
  domain: { id: string },
  because: FormerChallenge['because'],
  at: number,
): Promise<void> {
  await abandonChallenge(session, domain, because, at)
  await removeOrder(session, domain.id)
}

/** The same, where no TXT record was asked for. */
export async function removeOrder(session: Session, id: string): Promise<void> {
  await session.all(deleteOrder, { id })
}

type Row = StoredRow<PublishingTables['acme_authorizations']>
/** `account`: the URL of the account that holds it. */
export type KnownAuthorization = Pick<Row, 'url' | 'directory' | 'account' | 'domainId' | 'host'>

/** Longer than authorities reuse an authorization. */
const keptMs = 100 * 24 * 3_600_000

const release = prepare.update(
  'acme_authorizations',
  { due_at: 'now' },
  { domain_id: 'domainId', due_at: null },
  ['url'],
)

/** Within the lock. */
export async function recordAuthorizations(
  session: Session,
  authorizations: readonly KnownAuthorization[],
  now: number,
): Promise<void> {
  for (const each of authorizations) {
    const unclaimed = { dueAt: null, claim: null, tries: 0 }
    const row = { ...each, ...unclaimed, expiresAt: now + keptMs }
    // The authority may give the same one again: it is this domain's from now on.
    await saveRow(session, 'acme_authorizations', ['url'], row)
  }
}

/** From now on they are deactivated in the background. Within the lock. Returns their number. */
export async function releaseAuthorizations(session: Session, domainId: string, now: number) {
  return (await session.all(release, { domainId, now })).length
}

/** Deletes those that no authority honours any more. */
export const deleteOldAuthorizations = oldRowsOf<PublishingTables>()({
  table: 'acme_authorizations',
  key: ['url'],
  time: 'expires_at',
  lock: takeLock,
})
