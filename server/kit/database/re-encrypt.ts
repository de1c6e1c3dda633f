// Encrypts what is stored under an old key again with the present one, in short transactions, while other processes
// read and write. A text is replaced only if it is still the one that was read, so that nothing newer is lost.

import { sql } from 'kysely'
import { keyIdPosition, type Secrets } from '../secrets.ts'
import type { Database, Session } from './database.ts'
import { type Query, queriesFor } from './query.ts'
import { unlocked } from './transactions.ts'

/** A column of encrypted texts. Every column that `Secrets.encrypt` writes to has one, which a test checks. */
export interface EncryptedColumn {
  table: string
  column: string
  /** A unique text column; its value identifies the row. */
  key: string
  /** What the text of a row is encrypted as. */
  contextOf(key: string): string
}

/** A database, with what it keeps encrypted. */
interface EncryptedDatabase<Opened = Database> {
  database: Opened
  encryptedColumns: readonly EncryptedColumn[]
}

export type StoredSecrets = readonly EncryptedDatabase[]

const maxRowsPerBatch = 100

interface OldText {
  key: string
  text: string
}

/** Ids of keys that are missing here, with the number of secrets that each encrypts. */
export async function findUnknownKeys(
  stored: readonly EncryptedDatabase<Database | undefined>[],
  secrets: Pick<Secrets, 'hasKey'> | undefined,
): Promise<Map<string, number>> {
  const unknown = new Map<string, number>()
  for (const { database, encryptedColumns } of stored) {
    if (!database) continue
    for (const column of encryptedColumns) {
      for (const { count, id } of await database.read.all(queriesOf(column).countByKey, {})) {
        if (!secrets?.hasKey(id)) unknown.set(id, (unknown.get(id) ?? 0) + Number(count))
      }
    }
  }
  return unknown
}

/** Returns how many texts it replaced. Throws SecretError for one that cannot be decrypted. */
export async function reEncrypt(
  database: Database,
  columns: readonly EncryptedColumn[],
  secrets: Secrets,
): Promise<number> {
  let replaced = 0
  for (const column of columns) {
    const { findOld, replace } = queriesOf(column)
    const replaceTransaction = unlocked(async (session: Session, rows: NewText[]) => {
      let count = 0
      for (const row of rows) count += (await session.all(replace, row)).length
      return count
    })
    const keyId = secrets.keyId()
    for (;;) {
      const old = await database.read.all(findOld, { keyId, max: maxRowsPerBatch })
      if (old.length === 0) break
      const rows = old.map(({ key, text }) => {
        const context = column.contextOf(key)
        return { key, text, newText: secrets.encrypt(secrets.decrypt(text, context), context) }
      })
      replaced += await replaceTransaction(database, rows)
    }
  }
  return replaced
}

type NewText = OldText & { newText: string }

interface Queries {
  countByKey: Query<object, { id: string; count: bigint }>
  findOld: Query<{ keyId: string; max: number }, OldText>
  replace: Query<NewText, { key: string }>
}

function queriesOf({ column, key, table }: EncryptedColumn): Queries {
  const prepareQuery = queriesFor<never>()
  const [from, text, id] = [sql.table(table), sql.ref(column), sql.ref(key)]
  const { length, start } = keyIdPosition
  const keyId = sql`substr(${text}, ${sql.lit(start)}, ${sql.lit(length)})`
  return {
    countByKey: prepareQuery()(
      (_db) => sql<{
        id: string
        count: bigint
      }>`select ${keyId} as id, count(*) as count from ${from}
          where ${text} is not null group by 1`,
    ),
    findOld: prepareQuery<{ keyId: string; max: number }>()(
      (_db, param) => sql<OldText>`select ${id} as key, ${text} as text from ${from}
          where ${text} is not null and ${keyId} <> ${param('keyId')} limit ${param('max')}`,
    ),
    replace: prepareQuery<NewText>()(
      (_db, param) => sql<{ key: string }>`update ${from} set ${text} = ${param('newText')}
          where ${id} = ${param('key')} and ${text} = ${param('text')}
          returning ${id} as key`,
    ),
  }
}
