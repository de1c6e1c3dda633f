// The authorizations that certificate authorities keep for our account. While one is valid, the account can request a
// certificate for the host without another validation, so they are deactivated once the domain is no longer its
// owner's (RFC 8555, section 7.5.2).
import type { Session } from '#kit/database/database.ts'
import { assignments, type StoredRow } from '#kit/database/plain-row.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'

type Row = StoredRow<PublishingTables['acme_authorizations']>
/** `account`: the URL of the account that holds it. */
export type KnownAuthorization = Pick<Row, 'url' | 'directory' | 'account' | 'domainId' | 'host'>

/** Longer than authorities reuse an authorization. */
const keptMs = 100 * 24 * 3_600_000

const columns = ['directory', 'account', 'domain_id', 'host', 'expires_at'] as const
const insert = prepareQuery<KnownAuthorization & Pick<Row, 'expiresAt'>>()((db, param) =>
  db
    .insertInto('acme_authorizations')
    .values({ ...assignments(['url', ...columns], param), due_at: null, claim: null, tries: 0n })
    // The authority gives the same one again: it is this domain's from now on.
    .onConflict((conflict) =>
      conflict
        .column('url')
        .doUpdateSet({ ...assignments(columns, param), due_at: null, claim: null, tries: 0n }),
    ),
)
const release = prepareQuery<{ domainId: string; now: number }>()((db, param) =>
  db
    .updateTable('acme_authorizations')
    .set({ due_at: param('now') })
    .where('domain_id', '=', param('domainId'))
    .where('due_at', 'is', null)
    .returning('url'),
)

/** Within the lock. */
export async function recordAuthorizations(
  session: Session,
  authorizations: readonly KnownAuthorization[],
  now: number,
): Promise<void> {
  for (const each of authorizations) {
    await session.all(insert, { ...each, expiresAt: now + keptMs })
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
  lock: lockPublishing,
})
