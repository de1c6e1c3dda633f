// Certificates in the database: the current ones, and expired ones for a week. Private keys are encrypted.
import {
  type Database,
  findOne,
  getOne,
  type Session,
} from '../../../platform/database/database.ts'
import { oldRowsOf } from '../../../platform/jobs/delete-old-rows.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'

export interface StoredCertificate {
  id: string
  domainId: string
  host: string
  /** The authority's display name. */
  issuer: string
  /** Of the authority; `internal`. */
  directory: string
  chain: string
  /** Encrypted. */
  privateKey: string
  fingerprint: string
  serial: string
  notBefore: number
  notAfter: number
  issuedAt: number
  renewalId: string | null
}

export type CurrentCertificate = Omit<StoredCertificate, 'chain' | 'privateKey'>

/** Kept this long after they expire. */
const retentionMs = 7 * 24 * 3_600_000

const insert = prepareQuery<StoredCertificate>()((db, param) =>
  db.insertInto('certificates').values({
    id: param('id'),
    domain_id: param('domainId'),
    host: param('host'),
    issuer: param('issuer'),
    directory: param('directory'),
    chain: param('chain'),
    private_key: param('privateKey'),
    fingerprint: param('fingerprint'),
    serial: param('serial'),
    not_before: param('notBefore'),
    not_after: param('notAfter'),
    issued_at: param('issuedAt'),
    renewal_id: param('renewalId'),
    is_current: 1n,
  }),
)
const retire = prepareQuery<{ domainId: string }>()((db, param) =>
  db
    .updateTable('certificates')
    .set({ is_current: 0n })
    .where('domain_id', '=', param('domainId'))
    .where('is_current', '=', 1n),
)
const current = prepareQuery<{ domainId: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select([
      'id',
      'domain_id',
      'host',
      'issuer',
      'directory',
      'fingerprint',
      'serial',
      'not_before',
      'not_after',
      'issued_at',
      'renewal_id',
    ])
    .where('domain_id', '=', param('domainId'))
    .where('is_current', '=', 1n),
)
const secretsOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select(['chain', 'private_key as privateKey'])
    .where('id', '=', param('id')),
)

/** The encryption context of a private key: `id` is the domain's for an order, the certificate's own otherwise. */
export function keyContext(of: 'order' | 'certificate', id: string): string {
  return `key of ${of} ${id}`
}

/** The certificate that a domain serves. */
export async function findCurrentCertificate(
  session: Session,
  domainId: string,
): Promise<CurrentCertificate | undefined> {
  const row = await findOne(session, current, { domainId })
  if (!row) return undefined
  return {
    id: row.id,
    domainId: row.domain_id,
    host: row.host,
    issuer: row.issuer,
    directory: row.directory,
    fingerprint: row.fingerprint,
    serial: row.serial,
    notBefore: Number(row.not_before),
    notAfter: Number(row.not_after),
    issuedAt: Number(row.issued_at),
    renewalId: row.renewal_id,
  }
}

export async function findKeyAndChain(
  session: Session,
  id: string,
): Promise<{ chain: string; privateKey: string } | undefined> {
  return await findOne(session, secretsOf, { id })
}

/** Makes this the certificate that the domain serves. Within the lock. */
export async function showCertificate(session: Session, kept: StoredCertificate): Promise<void> {
  await session.all(retire, { domainId: kept.domainId })
  await session.all(insert, kept)
}

/** Deletes certificates that expired more than a week ago. */
export const deleteExpiredCertificates = oldRowsOf<PublishingTables>()({
  table: 'certificates',
  key: ['id'],
  time: 'not_after',
  keptMs: retentionMs,
  lock: lockPublishing,
})

export interface CertificateCounts {
  inUse: number
  /** Of them, those that expire within a week. */
  endWithinWeek: number
  /** Hosts whose last attempt failed or is blocked. */
  failing: number
}

const weekMs = 7 * 86_400_000

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

/** One pass over the domains. */
export async function countCertificates(
  { read }: Database,
  now: number,
): Promise<CertificateCounts> {
  const found = await getOne(read, counts, { now, soon: now + weekMs })
  return {
    inUse: Number(found.in_use),
    endWithinWeek: Number(found.end_within_week),
    failing: Number(found.failing),
  }
}
