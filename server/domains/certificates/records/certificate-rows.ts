// The rows of issuance. Certificates: the one that each domain serves, and earlier ones until a week after they expire.
// Orders: at most one per domain, stored so that any process can continue it. Challenge responses are read from the
// orders, so that any process can answer, whichever one created the order. Private keys are encrypted.

import {
  type ChallengeType,
  createChallengeCertificate,
  dnsChallengeValue,
} from '#acme/resources/orders.ts'
import type { Clock } from '#kit/clock.ts'
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { findStored, type StoredRow, storedRow } from '#kit/database/plain-row.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { createSharedLookups } from '#kit/expiring-map.ts'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import {
  insertRow,
  type PublishingTables,
  prepare,
  prepareQuery,
  saveRow,
} from '#publishing/database/tables.ts'
import { challengeNameOf } from '../../database/challenges.ts'

/** `issuer`: the authority's display name. `privateKey` is encrypted. */
export type StoredCertificate = Omit<StoredRow<PublishingTables['certificates']>, 'isCurrent'>

const weekMs = 7 * 86_400_000

const retire = prepare.update(
  'certificates',
  { is_current: 0n },
  { domain_id: 'domainId', is_current: 1n },
)
const current = prepare.select('certificates', 'all', { domain_id: 'domainId', is_current: 1n })
const byId = prepare.select('certificates', ['chain', 'private_key'], { id: 'id' })

/** The encryption context of a private key: `id` is the domain's for an order, the certificate's own otherwise. */
export function keyContext(of: 'order' | 'certificate', id: string): string {
  return `key of ${of} ${id}`
}

/** The certificate that a domain serves. */
export const findCurrentCertificate = (session: Session, domainId: string) =>
  findStored(session, current, { domainId })

export const findKeyAndChain = (session: Session, id: string) => findStored(session, byId, { id })

/** Makes this the certificate that the domain serves. Within the lock. */
export async function showCertificate(session: Session, stored: StoredCertificate): Promise<void> {
  await session.all(retire, { domainId: stored.domainId })
  await insertRow(session, 'certificates', { ...stored, isCurrent: 1 })
}

/** Deletes certificates that expired more than a week ago. */
export const deleteExpiredCertificates = oldRowsOf<PublishingTables>()({
  table: 'certificates',
  key: ['id'],
  time: 'not_after',
  keptMs: weekMs,
  lock: takeLock,
})

const counts = prepareQuery<{ now: number; soon: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select((eb) => [
      eb.fn.countAll<bigint>().filterWhere('expires_at', '>', param('now')).as('in_use'),
      eb.fn
        .countAll<bigint>()
        .filterWhere('expires_at', '>', param('now'))
        .filterWhere('expires_at', '<=', param('soon'))
        .as('end_within_week'),
      eb.fn
        .countAll<bigint>()
        .filterWhere((on) => on.or([on('failures', '>', 0n), on('blocked_by', 'is not', null)]))
        .as('failing'),
    ])
    .where('ownership', '=', 'proven'),
)

const nextExpiry = prepareQuery<{ now: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select((eb) => eb.fn.min('expires_at').as('expires_at'))
    .where('ownership', '=', 'proven')
    .where('expires_at', '>', param('now')),
)

/** Seconds until the next certificate in use expires; undefined without certificates. */
export async function findNextExpirySeconds({ read }: Database, now: number) {
  const { expires_at: expiresAt } = await getOne(read, nextExpiry, { now })
  return expiresAt === null ? undefined : (Number(expiresAt) - now) / 1000
}

/** Of the certificates in use: those that expire within a week, and the hosts whose last attempt failed or is blocked. */
export async function countCertificates({ read }: Database, now: number) {
  return storedRow(await getOne(read, counts, { now, soon: now + weekMs }))
}

/**
 * `token`: that of the self-check at first, then the authority's. `privateKey`: the new certificate's, encrypted.
 * `replaces`: the certificate that this order replaces at the same authority (RFC 9773). `expiresAt`: until when the owner
 * has to set the TXT record; null for challenges without one, and before it is asked for.
 */
export interface CertificateOrder extends StoredRow<PublishingTables['certificate_orders']> {
  /** See advance-order.ts. */
  step: 'new' | 'ordered' | 'answered' | 'ready' | 'finalized'
  challengeType: ChallengeType | null
}

const byDomain = prepare.select('certificate_orders', 'all', { domain_id: 'id' })

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
  await saveRow(session, 'certificate_orders', ['domain_id'], order)
}

const maxKept = 100

const byToken = prepare.select('certificate_orders', ['key_authorization'], {
  host: 'host',
  token: 'token',
})
const byHost = prepare.select(
  'certificate_orders',
  ['key_authorization'],
  { host: 'host', challenge_type: { value: 'tls-alpn-01' }, order_url: { 'is not': null } },
  { limit: 1 },
)

export function createChallengeAnswers(database: Database, clock: Clock) {
  const shareCertificate = createSharedLookups<Pem>(clock, maxKept, weekMs)
  return {
    /** The HTTP-01 response of a host, for the self-check and during validation (RFC 8555, section 8.3). */
    async keyAuthorizationFor(host: string, token: string): Promise<string | undefined> {
      return (await findOne(database.read, byToken, { host, token }))?.key_authorization
    },
    /** The TLS-ALPN-01 certificate of a host during validation (RFC 8737), cached because anyone can request it. */
    async challengeFor(host: string): Promise<Pem | undefined> {
      const shown = await findOne(database.read, byHost, { host })
      if (!shown) return undefined
      const { key_authorization: authorization } = shown
      return await shareCertificate(`${host} ${authorization}`, () =>
        createChallengeCertificate(host, authorization, clock()),
      )
    },
  }
}
