// The TXT records of dns-persist-01 that owners are asked for, and whether the accounts that they name are still needed.
// A record stays in DNS as long as its owner likes, so an account is given up with the last domain that uses it: then
// every record that names it is void.
import type { Kysely } from 'kysely'
import { transaction } from '../../../platform/accounts/lock-accounts.ts'
import { type Database, findOne, type Session } from '../../../platform/database/database.ts'
import { assignments, type StoredRow, storedRow } from '../../../platform/database/plain-row.ts'
import type { Param } from '../../../platform/database/query.ts'
import { oldRowsOf } from '../../../platform/jobs/delete-old-rows.ts'
import { persistentType } from '../../acme/resources/authorizations.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'

/** `releasedAt`: when it was given up; null while our account may use it. */
export type StoredPersistentRecord = StoredRow<PublishingTables['persistent_records']>

/** Closed accounts are kept as long as authorities count new ones. */
const closedKeptMs = 24 * 3_600_000

const columns = ['account_id', 'value', 'persist_until', 'created_at', 'released_at'] as const
const byDomain = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('persistent_records').selectAll().where('domain_id', '=', param('id')),
)
const save = prepareQuery<StoredPersistentRecord>()((db, param) =>
  db
    .insertInto('persistent_records')
    .values(assignments(['domain_id', ...columns], param))
    .onConflict((conflict) =>
      conflict.column('domain_id').doUpdateSet(assignments(columns, param)),
    ),
)
const release = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .updateTable('persistent_records')
    .set({ released_at: param('now') })
    .where('domain_id', '=', param('id'))
    .where('released_at', 'is', null)
    .returning('account_id'),
)
const removeOrder = prepareQuery<{ id: string }>()((db, param) =>
  db
    .deleteFrom('certificate_orders')
    .where('domain_id', '=', param('id'))
    .where('account_id', 'is not', null),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('persistent_records').where('domain_id', '=', param('id')),
)

/** Accounts that no domain of their holder uses, or is about to. */
const releaseUnused = (db: Kysely<PublishingTables>, param: Param<{ now: number }>) =>
  db
    .updateTable('holder_accounts')
    .set({ released_at: param('now'), due_at: param('now') })
    .where('released_at', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('domains')
            .leftJoin('persistent_records', 'persistent_records.domain_id', 'domains.id')
            .select('domains.id')
            .whereRef('domains.holder', '=', 'holder_accounts.holder')
            .where((eb) =>
              eb.or([
                eb.and([
                  eb('persistent_records.released_at', 'is', null),
                  eb('persistent_records.account_id', '=', eb.ref('holder_accounts.id')),
                ]),
                eb.and([
                  eb('domains.preparation', '=', 'requested'),
                  eb('domains.preparation_method', '=', persistentType),
                ]),
              ]),
            ),
        ),
      ),
    )
    .returning('id')
const releaseUnusedOfHolder = prepareQuery<{ now: number; holder: string }>()((db, param) =>
  releaseUnused(db, param).where('holder', '=', param('holder')),
)
const releaseAllUnused = prepareQuery<{ now: number }>()(releaseUnused)
const inUse = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('holder_accounts')
    .select('id')
    .where('id', '=', param('id'))
    .where('released_at', 'is', null),
)
const unreleased = prepareQuery()((db) =>
  db.selectFrom('holder_accounts').select('id').where('released_at', 'is', null).limit(1),
)

/** Whether an account may still be used, or will be. */
export async function isAccountInUse(session: Session, accountId: string): Promise<boolean> {
  return (await findOne(session, inUse, { id: accountId })) !== undefined
}

export async function findPersistentRecord(
  session: Session,
  domainId: string,
): Promise<StoredPersistentRecord | undefined> {
  const row = await findOne(session, byDomain, { id: domainId })
  return row && storedRow(row)
}

/** Creates or replaces the record of its domain. Within the lock. */
export async function savePersistentRecord(
  session: Session,
  record: StoredPersistentRecord,
): Promise<void> {
  await session.all(save, record)
}

/**
 * Gives up the right to use the record of a domain, and an order that relies on it; the account too, when it was the last
 * domain of its holder that used it. Within the lock, after what ends it was written.
 */
export async function releasePersistentRecord(
  session: Session,
  { holder, id }: { holder: string; id: string },
  now: number,
): Promise<void> {
  await session.all(release, { id, now })
  await session.all(removeOrder, { id })
  await session.all(releaseUnusedOfHolder, { holder, now })
}

/** The same for a domain that is deleted. */
export async function deletePersistentRecord(
  session: Session,
  domain: { holder: string; id: string },
  now: number,
): Promise<void> {
  await session.all(remove, { id: domain.id })
  await releasePersistentRecord(session, domain, now)
}

const releaseAllTransaction = transaction(
  async (session, { now }: { now: number }): Promise<void> => {
    await session.all(releaseAllUnused, { now })
  },
)

/** For accounts whose last domain ended while a release before this one ran. */
export async function releaseUnusedAccounts(database: Database, now: number): Promise<void> {
  if (await findOne(database.read, unreleased, {})) {
    await releaseAllTransaction(database, { now })
  }
}

/** Deletes accounts that the authority has closed. */
export const deleteClosedAccounts = oldRowsOf<PublishingTables>()({
  table: 'holder_accounts',
  key: ['id'],
  time: 'closed_at',
  keptMs: closedKeptMs,
  lock: lockPublishing,
})
