// Whether the databases respond, take writes, and have this program's migrations; on PostgreSQL also how many
// connections are left.

import { sql } from 'kysely'
import type { KnownDatabase } from '#kit/backups/snapshot.ts'
import type { Config } from '#kit/config/config.ts'
import { type Database, getOne } from '#kit/database/database.ts'
import { queriesFor } from '#kit/database/query.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'

export interface CheckedDatabase extends KnownDatabase {
  /** Undefined if it was not created yet. */
  database: Database | undefined
}

interface MigrationTables {
  migrations: { id: bigint; name: string }
}

const { ok, problem, skipped, warning } = findingsOf('database')
const prepareQuery = queriesFor<MigrationTables>()
const newest = prepareQuery()((db) =>
  db.selectFrom('migrations').select((eb) => eb.fn.max('id').as('id')),
)
/** Changes the rows to what they are: only a database that takes writes can commit it. */
const rewrite = prepareQuery()((db) =>
  db.updateTable('migrations').set((eb) => ({ name: eb.ref('name') })),
)
const commitNoChange = unlocked(async (session) => {
  await session.all(rewrite, {})
})
const connections = queriesFor<Record<never, never>>()()(
  (_db) => sql<{ max: bigint; used: bigint; encoding: string }>`
      select current_setting('server_encoding') as encoding, current_setting('max_connections')::bigint
        - current_setting('superuser_reserved_connections')::bigint as max,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
)

/** A process holds some of its connections already, so that it needs fewer than these. */
const defaultConnections = 36

export async function checkDatabases(
  databases: readonly CheckedDatabase[],
  { databaseConnections = defaultConnections }: Pick<Config, 'databaseConnections'>,
): Promise<Finding[]> {
  const findings = await Promise.all(databases.map(checkDatabase))
  const onServer = databases.find(({ database }) => database?.engine === 'postgres')?.database
  const isOnline = findings.some(({ status }) => status !== 'problem')
  if (onServer && isOnline) findings.push(...(await checkServer(onServer, databaseConnections)))
  return findings
}

async function checkDatabase({ database, migrations, name }: CheckedDatabase): Promise<Finding> {
  if (!database) return skipped(name, 'It does not exist yet: the first start creates it.')
  const known = migrations.at(-1)?.id ?? 0
  const start = performance.now()
  let applied: number
  try {
    applied = Number((await getOne(database.read, newest, {})).id ?? 0)
  } catch (error) {
    if (isMissing(error))
      return skipped(name, 'It has no tables yet: the first start creates them.')
    const fix =
      database.engine === 'sqlite'
        ? 'Check DATA_DIR, its disk and its owner.'
        : 'Check DATABASE_URL, and that PostgreSQL runs and accepts connections from here.'
    return problem(name, `It does not respond (${reasonOf(error)}).`, fix)
  }
  const ms = Math.round((performance.now() - start) * 10) / 10
  try {
    await commitNoChange(database)
  } catch (error) {
    const fix =
      database.engine === 'sqlite'
        ? 'Check the free disk space, and which processes hold the database open.'
        : 'Check that it is the primary, its disk, and its synchronous standbys.'
    return problem(name, `It responds, but takes no writes (${reasonOf(error)}).`, fix)
  }
  if (applied > known) {
    const message = `A newer program has migrated it (version ${applied}, this program knows ${known}).`
    return problem(name, message, 'Run the newer program, or restore a backup.')
  }
  const pending = migrations.filter(({ id }) => id > applied).length
  if (pending > 0) {
    const message = `${pending} of ${migrations.length} migrations have not been applied.`
    return warning(name, message, 'Restart the server: each start applies them. Back up first.')
  }
  return ok(name, `Responds in ${ms} ms, takes writes, version ${applied}.`)
}

async function checkServer(database: Database, needed: number): Promise<Finding[]> {
  const { encoding, max, used } = await getOne(database.read, connections, {})
  const left = Number(max - used)
  const message = `${left} of ${max} connections are left; a process opens up to ${needed}.`
  const fix =
    'Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS, WORKERS or the number of nodes.'
  const found = left < needed ? warning('connections', message, fix) : ok('connections', message)
  if (encoding === 'UTF8') return [found]
  const text = `The database has the encoding ${encoding}: some text cannot be stored, or is not compared right.`
  const restore = 'Restore a backup into a database with the encoding UTF8.'
  return [problem('encoding', text, restore), found]
}

/** 42P01: the relation does not exist. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  return code === '42P01' || /^no such table/.test(message ?? '')
}

/** A code of the system or the database: messages may have what is not for the page. */
function reasonOf(error: unknown): string {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown }
  return String(cause?.code ?? code ?? 'no response')
}
