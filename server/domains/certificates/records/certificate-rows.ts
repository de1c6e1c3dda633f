// Certificates in the database: the current ones, and expired ones for a week. Private keys are encrypted.
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { assignments, type StoredRow, storedRow } from '#kit/database/plain-row.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'

const shownColumns = [
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
] as const

/** `issuer`: the authority's display name. `privateKey` is encrypted. */
export type StoredCertificate = Omit<StoredRow<PublishingTables['certificates']>, 'isCurrent'>
export type CurrentCertificate = Omit<StoredCertificate, 'chain' | 'privateKey'>

/** Kept this long after they expire. */
const retentionMs = 7 * 24 * 3_600_000

const insert = prepareQuery<StoredCertificate>()((db, param) =>
  db.insertInto('certificates').values({
    ...assignments([...shownColumns, 'chain', 'private_key'], param),
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
    .select(shownColumns)
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
export async function findCurrentCertificate(session: Session, domainId: string) {
  const row = await findOne(session, current, { domainId })
  return row && storedRow(row)
}

export async function findKeyAndChain(session: Session, id: string) {
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
