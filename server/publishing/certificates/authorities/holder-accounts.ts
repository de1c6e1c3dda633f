// Accounts at certificate authorities for the persistent records of one holder of domains: such a record names the account,
// so that it is worth nothing to others, and void once the account is deactivated. The key is stored before it is sent.
import { transaction } from '../../../platform/accounts/lock-accounts.ts'
import { findOne, type Session } from '../../../platform/database/database.ts'
import { assignments, type StoredRow, storedRow } from '../../../platform/database/plain-row.ts'
import { createRecordId } from '../../../platform/record-id.ts'
import type { AcmeAccount, AcmeClient } from '../../acme/requests/acme-client.ts'
import { createKey } from '../../acme/x509/keys.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import { type AccountLimit, accountLimitsOf } from './account-limits.ts'
import { type AccountsContext, registerAccount } from './acme-accounts.ts'

type Row = StoredRow<PublishingTables['holder_accounts']>
type Place = Pick<Row, 'holder' | 'directory'>

export interface HolderAccount extends AcmeAccount {
  id: string
}

/** No account may be created before `until`. */
export class AccountLimitReached extends Error {
  override readonly name = 'AccountLimitReached'
  readonly until: number

  constructor(until: number) {
    super('too many accounts were created at the authority')
    this.until = until
  }
}

const columns = ['id', 'holder', 'directory', 'url', 'private_key', 'created_at'] as const
const ofHolder = prepareQuery<Place>()((db, param) =>
  db
    .selectFrom('holder_accounts')
    .select(columns)
    .where('holder', '=', param('holder'))
    .where('directory', '=', param('directory'))
    .where('released_at', 'is', null),
)
const byId = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('holder_accounts').select(columns).where('id', '=', param('id')),
)
const byUrl = prepareQuery<{ directory: string; url: string }>()((db, param) =>
  db
    .selectFrom('holder_accounts')
    .select(columns)
    .where('directory', '=', param('directory'))
    .where('url', '=', param('url'))
    .where('closed_at', 'is', null),
)
const insert = prepareQuery<Pick<Row, 'id' | 'privateKey' | 'createdAt'> & Place>()((db, param) =>
  db.insertInto('holder_accounts').values({
    ...assignments(['id', 'holder', 'directory', 'private_key', 'created_at'], param),
    url: '',
    tries: 0n,
  }),
)
const setUrl = prepareQuery<{ id: string; url: string }>()((db, param) =>
  db
    .updateTable('holder_accounts')
    .set({ url: param('url') })
    .where('id', '=', param('id')),
)
const createdSince = prepareQuery<{ directory: string; since: number; most: number }>()(
  (db, param) =>
    db
      .selectFrom('holder_accounts')
      .select(['holder', 'created_at as createdAt'])
      .where('directory', '=', param('directory'))
      .where('created_at', '>', param('since'))
      .orderBy('created_at', 'desc')
      .limit(param('most')),
)
const forget = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .updateTable('holder_accounts')
    .set({ released_at: param('now'), due_at: param('now') })
    .where('id', '=', param('id')),
)
const releaseRecords = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .updateTable('persistent_records')
    .set({ released_at: param('now') })
    .where('account_id', '=', param('id'))
    .where('released_at', 'is', null),
)

/** The encryption context of the key. */
export function holderAccountContext(id: string): string {
  return `holder account ${id}`
}

/** Returns the account that the holder has already, or the time from which one may be created. */
const saveKey = transaction(
  async (
    session,
    account: Pick<Row, 'id' | 'privateKey' | 'createdAt'> & Place,
  ): Promise<Pick<Row, 'id' | 'url' | 'privateKey'> | { until: number }> => {
    const found = await findOne(session, ofHolder, account)
    if (found) return storedRow(found)
    const until = await nextAccountAt(session, account, account.createdAt)
    if (until !== undefined) return { until }
    await session.all(insert, account)
    return { ...account, url: '' }
  },
)
const saveUrl = transaction(async (session, account: { id: string; url: string }) => {
  await session.all(setUrl, account)
})
/** An account that the authority no longer accepts: its records are given up, and the holder gets another account. */
export const forgetHolderAccount = transaction(
  async (session, account: { id: string; now: number }) => {
    await session.all(forget, account)
    await session.all(releaseRecords, account)
  },
)

/** The URL of the account in use, for CAA; undefined while there is none. */
export async function findHolderAccountUrl(session: Session, place: Place) {
  return (await findOne(session, ofHolder, place))?.url || undefined
}

/** The account of a holder, created if necessary. Throws AccountLimitReached, AcmeProblem and AcmeNoResponse. */
export async function getHolderAccount(
  context: AccountsContext,
  client: AcmeClient,
  holder: string,
  signal: AbortSignal,
): Promise<HolderAccount & { isNew: boolean }> {
  const { database, secrets } = context
  const directory = client.directoryUrl
  const known = await findOne(database.read, ofHolder, { holder, directory })
  const found = known ? storedRow(known) : await createRow(context, { holder, directory })
  if ('until' in found) throw new AccountLimitReached(found.until)
  const { id } = found
  const privateKey = secrets.decrypt(found.privateKey, holderAccountContext(id)).toString()
  if (found.url !== '') return { id, url: found.url, privateKey, isNew: false }
  const url = await registerAccount(context, client, privateKey, signal)
  await saveUrl(database, { id, url })
  return { id, url, privateKey, isNew: true }
}

async function createRow({ clock, database, secrets }: AccountsContext, place: Place) {
  const now = clock()
  const id = createRecordId('hac', now)
  const key = Buffer.from(await createKey())
  const privateKey = secrets.encrypt(key, holderAccountContext(id))
  return await saveKey(database, { id, ...place, privateKey, createdAt: now })
}

/** By id, or by the URL at an authority; undefined when it is closed, or the authority has not created it. */
export async function findHolderAccount(
  { database, secrets }: Pick<AccountsContext, 'database' | 'secrets'>,
  by: { id: string } | { directory: string; url: string },
): Promise<HolderAccount | undefined> {
  const found =
    'id' in by ? await findOne(database.read, byId, by) : await findOne(database.read, byUrl, by)
  if (!found) return undefined
  const { id, privateKey, url } = storedRow(found)
  return { id, url, privateKey: secrets.decrypt(privateKey, holderAccountContext(id)).toString() }
}

/** When an account may be created; undefined for now. */
async function nextAccountAt(
  session: Session,
  { directory, holder }: Place,
  now: number,
): Promise<number | undefined> {
  const { newAccounts, newAccountsOfHolder } = accountLimitsOf(directory)
  const { most, withinMs } = newAccounts
  const rows = await session.all(createdSince, { directory, since: now - withinMs, most })
  const own = rows.filter((row) => row.holder === holder)
  const times = [reachedUntil(newAccounts, rows), reachedUntil(newAccountsOfHolder, own)]
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? Math.max(...known) : undefined
}

/** `rows`: the newest first. */
function reachedUntil({ most, withinMs }: AccountLimit, rows: readonly { createdAt: bigint }[]) {
  const oldest = rows[most - 1]
  return oldest && Number(oldest.createdAt) + withinMs
}
