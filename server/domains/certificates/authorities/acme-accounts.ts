// Accounts at certificate authorities: one per directory, shared by all processes. The key is stored before it is
// sent to the authority, and the same key always has the same account (RFC 8555, section 7.3.1).

import { type AcmeAccount, type AcmeClient, getDirectory } from '#acme/requests/acme-client.ts'
import { createAccount } from '#acme/resources/accounts.ts'
import { createKey } from '#acme/x509/keys.ts'
import type { Clock } from '#kit/clock.ts'
import {
  type Database,
  findOne,
  getOne,
  type Session,
  transaction,
} from '#kit/database/database.ts'
import { assignments, type StoredRow } from '#kit/database/plain-row.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'

export interface AccountsContext {
  database: Database
  clock: Clock
  secrets: Secrets
  email: string | undefined
  /** Used for authorities that require external account binding. */
  externalAccount: { keyId: string; macKey: string } | undefined
}

/** `url`: empty until the authority has created the account. */
type AccountRow = Omit<StoredRow<PublishingTables['acme_accounts']>, 'createdAt'>
type NewAccount = Omit<StoredRow<PublishingTables['acme_accounts']>, 'url'>

const byDirectory = prepareQuery<{ directory: string }>()((db, param) =>
  db
    .selectFrom('acme_accounts')
    .select(['directory', 'url', 'private_key as privateKey'])
    .where('directory', '=', param('directory')),
)
const insert = prepareQuery<NewAccount>()((db, param) =>
  db
    .insertInto('acme_accounts')
    .values({ url: '', ...assignments(['directory', 'private_key', 'created_at'], param) })
    .onConflict((conflict) => conflict.column('directory').doNothing()),
)
const setUrl = prepareQuery<AccountRow>()((db, param) =>
  db
    .updateTable('acme_accounts')
    .set({ url: param('url') })
    .where('directory', '=', param('directory'))
    .where('private_key', '=', param('privateKey')),
)
const remove = prepareQuery<{ directory: string; url: string }>()((db, param) =>
  db
    .deleteFrom('acme_accounts')
    .where('directory', '=', param('directory'))
    .where('url', '=', param('url')),
)

/** Returns the key that was stored first for a directory. */
const saveAccountKey = transaction(async (session, account: NewAccount): Promise<AccountRow> => {
  await session.all(insert, account)
  return await getOne(session, byDirectory, { directory: account.directory })
})
const saveAccountUrl = transaction(async (session, row: AccountRow) => {
  await session.all(setUrl, row)
})
/** Deletes an account that the authority no longer knows. An account created since is kept. */
export const forgetAccount = transaction(
  async (session, account: Pick<AccountRow, 'directory' | 'url'>) => {
    await session.all(remove, account)
  },
)

/** The account's URL; undefined when there is none yet. */
export async function findAccountUrl(session: Session, directory: string) {
  return (await findOne(session, byDirectory, { directory }))?.url || undefined
}

/** The encryption context of an account's key. */
export function accountContext(directory: string): string {
  return `acme account ${directory}`
}

/** The account at an authority, created if necessary. Throws AcmeProblem and AcmeNoResponse. */
export async function getAccount(
  accounts: AccountsContext,
  client: AcmeClient,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const { clock, database, secrets } = accounts
  const directory = client.directoryUrl
  const context = accountContext(directory)
  let row = await findOne(database.read, byDirectory, { directory })
  if (!row) {
    const privateKey = secrets.encrypt(Buffer.from(await createKey()), context)
    row = await saveAccountKey(database, { directory, privateKey, createdAt: clock() })
  }
  const privateKey = secrets.decrypt(row.privateKey, context).toString()
  if (row.url !== '') return { url: row.url, privateKey }
  const url = await registerAccount(accounts, client, privateKey, signal)
  await saveAccountUrl(database, { ...row, url })
  return { url, privateKey }
}

/** The URL of the account that the key has then. Throws AcmeProblem and AcmeNoResponse. */
async function registerAccount(
  { email, externalAccount }: Pick<AccountsContext, 'email' | 'externalAccount'>,
  client: AcmeClient,
  privateKey: string,
  signal: AbortSignal,
): Promise<string> {
  const { externalAccountRequired } = await getDirectory(client, { signal })
  const { url } = await createAccount(
    client,
    {
      privateKey,
      contacts: email === undefined ? [] : [`mailto:${email}`],
      agreesToTerms: true,
      externalAccount: externalAccountRequired ? externalAccount : undefined,
    },
    { signal },
  )
  return url
}
