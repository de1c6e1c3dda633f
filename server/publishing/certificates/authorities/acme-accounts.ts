// Accounts at certificate authorities: one per directory, shared by all processes. The key is stored before it is
// sent to the authority, and the same key always has the same account (RFC 8555, section 7.3.1).

import type { Clock } from '../../../platform/clock.ts'
import {
  type Database,
  each,
  findOne,
  getOne,
  type Session,
} from '../../../platform/database/database.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import { type AcmeAccount, type AcmeClient, getDirectory } from '../../acme/requests/acme-client.ts'
import { createAccount } from '../../acme/resources/accounts.ts'
import { createKey } from '../../acme/x509/keys.ts'
import { prepareQuery } from '../../database/tables.ts'

export interface AccountsContext {
  database: Database
  clock: Clock
  secrets: Secrets
  email: string | undefined
  /** Used for authorities that require external account binding. */
  externalAccount: { keyId: string; macKey: string } | undefined
}

interface AccountRow {
  directory: string
  /** Empty until the authority has created the account. */
  url: string
  privateKey: string
}

const byDirectory = prepareQuery<{ directory: string }>()((db, param) =>
  db
    .selectFrom('acme_accounts')
    .select(['directory', 'url', 'private_key as privateKey'])
    .where('directory', '=', param('directory')),
)
const insert = prepareQuery<Omit<AccountRow, 'url'> & { now: number }>()((db, param) =>
  db
    .insertInto('acme_accounts')
    .values({
      directory: param('directory'),
      url: '',
      private_key: param('privateKey'),
      created_at: param('now'),
    })
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

/** Returns the key that was stored first for a directory. For a group commit. */
const saveAccountKeyTransaction = each(
  async (
    session,
    input: { directory: string; privateKey: string; now: number },
  ): Promise<AccountRow> => {
    await session.all(insert, input)
    return await getOne(session, byDirectory, { directory: input.directory })
  },
)
const saveAccountUrlTransaction = each(async (session, row: AccountRow): Promise<void> => {
  await session.all(setUrl, row)
})
const deleteAccountTransaction = each(
  async (session, account: { directory: string; url: string }): Promise<void> => {
    await session.all(remove, account)
  },
)

/** The account's URL; undefined when there is none yet. */
export async function findAccountUrl(
  session: Session,
  directory: string,
): Promise<string | undefined> {
  return (await findOne(session, byDirectory, { directory }))?.url || undefined
}

/** The account at an authority, created if necessary. Throws AcmeProblem and AcmeNoResponse. */
export async function getAccount(
  { clock, database, email, externalAccount, secrets }: AccountsContext,
  client: AcmeClient,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const directory = client.directoryUrl
  const context = `acme account ${directory}`
  let row = await findOne(database.read, byDirectory, { directory })
  if (!row) {
    const privateKey = secrets.encrypt(Buffer.from(await createKey()), context)
    row = await database.write(saveAccountKeyTransaction, { directory, privateKey, now: clock() })
  }
  const privateKey = secrets.decrypt(row.privateKey, context).toString()
  if (row.url !== '') return { url: row.url, privateKey }
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
  await database.write(saveAccountUrlTransaction, { ...row, url })
  return { url, privateKey }
}

/** Deletes an account that the authority no longer knows. An account created since is kept. */
export async function forgetAccount(
  database: Database,
  account: { directory: string; url: string },
): Promise<void> {
  await database.write(deleteAccountTransaction, account)
}
