// Our accounts at authorities: one for each directory, made once whoever begins. The key is kept before the
// authority hears of it, and the same key always has the same account (RFC 8555, section 7.3.1).

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
  /** Used where an authority asks for one. */
  externalAccount: { keyId: string; macKey: string } | undefined
}

interface AccountRow {
  directory: string
  /** Empty as long as the authority has not said it. */
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

/** The first key that was kept for a directory. For a group commit. */
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
const deleteTransaction = each(
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

/** Our account at an authority, which is made where there is none. Throws what the authority answers. */
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

/** The authority does not know it any more. Another one that was made since stays. */
export async function forgetAccount(
  database: Database,
  account: { directory: string; url: string },
): Promise<void> {
  await database.write(deleteTransaction, account)
}
