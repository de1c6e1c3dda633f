// Rows about certificates, read directly from the tables, for what no response shows, such as whether a key is
// encrypted.

import { insertDomain } from '#domains/database/domain-row.ts'
import type { DomainLease } from '#domains/scheduling/domain-worker.ts'
import { stateWhenAdded } from '#domains/state/domain-state.ts'
import type { Database } from '#kit/database/database.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { prepareQuery } from '#publishing/database/tables.ts'

const stealLeaseQuery = prepareQuery<{ id: string; token: string; until: number }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ lease: param('token'), lease_until: param('until') })
    .where('id', '=', param('id')),
)
const accounts = prepareQuery()((db) => db.selectFrom('acme_accounts').selectAll())
const roots = prepareQuery()((db) => db.selectFrom('internal_roots').selectAll())
const orders = prepareQuery()((db) => db.selectFrom('certificate_orders').selectAll())
const certificates = prepareQuery()((db) =>
  db.selectFrom('certificates').selectAll().orderBy('issued_at').orderBy('id'),
)
const authorizations = prepareQuery()((db) =>
  db.selectFrom('acme_authorizations').select(['url', 'host', 'domain_id', 'due_at', 'account']),
)
const ledger = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('authority_ledger')
    .select(['at', 'kind', 'challenge_type as challengeType', 'directory'])
    .where('host', '=', param('host'))
    .orderBy('at'),
)

const kinds = ['order', 'failed_validation', 'certificate', 'renewal']

export const addRow = unlocked(
  async (session, { now, ...names }: { id: string; host: string; now: number }) => {
    await insertDomain(session, {
      ...names,
      ...{ projectId: 'prj_test', holder: 'acc_test', verificationToken: 'test', addedAt: now },
      state: { ...stateWhenAdded(now), pointedWhenAdded: false },
    })
  },
)

/** The previous holder loses the lease. */
export const stealLease = unlocked(async (session, row: DomainLease & { until: number }) => {
  await session.all(stealLeaseQuery, row)
})

export async function rowsOf({ read }: Database) {
  return {
    accounts: await read.all(accounts, {}),
    roots: await read.all(roots, {}),
    orders: await read.all(orders, {}),
    authorizations: await read.all(authorizations, {}),
    certificates: await read.all(certificates, {}),
  }
}

export async function ledgerOf({ read }: Database, host: string) {
  const rows = await read.all(ledger, { host })
  // At the same time, in the order in which they happen.
  return rows.toSorted(
    (a, b) => Number(a.at - b.at) || kinds.indexOf(a.kind) - kinds.indexOf(b.kind),
  )
}

const recordedEvents = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('domain_events')
    .select(['type', 'detail'])
    .where('domain_id', '=', param('id'))
    .orderBy('position'),
)

/** In order. */
export async function findRecordedEvents({ read }: Database, id: string) {
  const rows = await read.all(recordedEvents, { id })
  return rows.map(({ detail, type }) => ({ type, detail: JSON.parse(detail) }))
}
