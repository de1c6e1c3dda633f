// Removed domains with the DNS records to delete, until these are deleted. A host that is added again is none any more.
import { transaction } from '../../../platform/accounts/lock-accounts.ts'
import { findOne, type Session } from '../../../platform/database/database.ts'
import { assignments, type StoredRow, storedRow } from '../../../platform/database/plain-row.ts'
import { oldRowsOf } from '../../../platform/jobs/delete-old-rows.ts'
import { leasesOf } from '../../../platform/jobs/lease.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import type { LeftRecord } from '../doctor/judge-left-records.ts'

type Row = PublishingTables['removed_domains']

export interface RemovedDomain extends Omit<StoredRow<Row>, 'records' | 'claim'> {
  records: LeftRecord[]
}

/** The newest of a project. */
export const maxRemovedDomains = 100
const day = 24 * 3_600_000
/** How often records are looked up in the background, and how long. */
const checkEveryMs = day
const keptMs = 90 * day
/** How long it is shown that all records are deleted. */
export const keptWhenDeletedMs = day

const columns = [
  'domain_id',
  'holder',
  'removed_at',
  'records',
  'checked_at',
  'due_at',
  'notified_at',
  'kept_until',
] as const
type Saved = Omit<StoredRow<Row>, 'claim'>
const save = prepareQuery<Saved>()((db, param) =>
  db
    .insertInto('removed_domains')
    .values({ ...assignments(['project_id', 'host', ...columns], param), claim: null })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'host'])
        .doUpdateSet({ ...assignments(columns, param), claim: null }),
    ),
)
interface Page {
  project: string
  max: number
}
const newestOf = prepareQuery<Page>()((db, param) =>
  db
    .selectFrom('removed_domains')
    .selectAll()
    .where('project_id', '=', param('project'))
    .orderBy('removed_at', 'desc')
    .limit(param('max')),
)
const firstBeyond = prepareQuery<Page>()((db, param) =>
  db
    .selectFrom('removed_domains')
    .select('removed_at')
    .where('project_id', '=', param('project'))
    .orderBy('removed_at', 'desc')
    .limit(1)
    .offset(param('max')),
)
const deleteUntil = prepareQuery<{ project: string; until: bigint }>()((db, param) =>
  db
    .deleteFrom('removed_domains')
    .where('project_id', '=', param('project'))
    .where('removed_at', '<=', param('until')),
)
const one = prepareQuery<{ projectId: string; host: string }>()((db, param) =>
  db
    .selectFrom('removed_domains')
    .selectAll()
    .where('project_id', '=', param('projectId'))
    .where('host', '=', param('host')),
)
const deleteHost = prepareQuery<{ projectId: string; host: string; holder: string }>()(
  (db, param) =>
    db
      .deleteFrom('removed_domains')
      .where('host', '=', param('host'))
      .where((eb) =>
        eb.or([eb('holder', '=', param('holder')), eb('project_id', '=', param('projectId'))]),
      ),
)
const deleteOne = prepareQuery<{ projectId: string; host: string }>()((db, param) =>
  db
    .deleteFrom('removed_domains')
    .where('project_id', '=', param('projectId'))
    .where('host', '=', param('host')),
)
const deleteAll = prepareQuery<{ project: string }>()((db, param) =>
  db.deleteFrom('removed_domains').where('project_id', '=', param('project')),
)

/** Within the lock, as all changes. Replaces an earlier removal of the host from the project. */
export async function insertRemovedDomain(
  session: Session,
  removed: Pick<RemovedDomain, 'projectId' | 'host' | 'domainId' | 'holder' | 'records'> & {
    removedAt: number
  },
): Promise<void> {
  const { projectId: project, removedAt } = removed
  await saveRemovedDomain(session, {
    ...removed,
    ...{ checkedAt: null, notifiedAt: null },
    dueAt: removedAt + checkEveryMs,
    keptUntil: removedAt + keptMs,
  })
  const beyond = await findOne(session, firstBeyond, { project, max: maxRemovedDomains })
  if (beyond) await session.all(deleteUntil, { project, until: beyond.removed_at })
}

export async function saveRemovedDomain(
  session: Session,
  { records, ...removed }: RemovedDomain,
): Promise<void> {
  await session.all(save, { ...removed, records: JSON.stringify(records) })
}

/** Newest first. */
export async function listRemovedDomains(
  session: Session,
  project: string,
): Promise<RemovedDomain[]> {
  return (await session.all(newestOf, { project, max: maxRemovedDomains })).map(removedDomainOf)
}

export async function findRemovedDomain(
  session: Session,
  key: { projectId: string; host: string },
): Promise<RemovedDomain | undefined> {
  const row = await findOne(session, one, key)
  return row && removedDomainOf(row)
}

/** When its holder or project adds a host again: its records are needed. */
export async function forgetRemovedHost(
  session: Session,
  added: { projectId: string; host: string; holder: string },
): Promise<void> {
  await session.all(deleteHost, added)
}

/** Its records are not checked any more. */
export const dismissRemovedDomain = transaction(
  async (session, removed: Pick<RemovedDomain, 'projectId' | 'host'>): Promise<void> => {
    await session.all(deleteOne, removed)
  },
)

/** Of a deleted project, inside that write. */
export async function forgetRemovedDomainsOf(session: Session, project: string): Promise<void> {
  await session.all(deleteAll, { project })
}

/** A claim postpones the next check in the background: each is made by one process, and by the next one a day later if it fails. */
export const removedDomainLeases = leasesOf<PublishingTables>()()({
  table: 'removed_domains',
  key: ['project_id', 'host'],
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: checkEveryMs,
  lock: lockPublishing,
})

export const nextCheckAt = (now: number): number => now + checkEveryMs

/** Deletes those whose records are deleted, or were not in 90 days. */
export const deleteOldRemovedDomains = oldRowsOf<PublishingTables>()({
  table: 'removed_domains',
  key: ['project_id', 'host'],
  time: 'kept_until',
  lock: lockPublishing,
})

function removedDomainOf({ claim: _, ...row }: Row): RemovedDomain {
  return { ...storedRow(row), records: JSON.parse(row.records) as LeftRecord[] }
}
