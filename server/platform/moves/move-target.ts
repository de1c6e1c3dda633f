// The PostgreSQL database that an installation is moved to. Until it is published, it has schemas of other names without
// foreign keys, and a schema with the state of the move: what was copied is kept when the command is interrupted.
import type pg from 'pg'
import { BackupError } from '../backups/backup-error.ts'
import type { TableShape, TableSum } from '../backups/backup-format.ts'
import { connectForBackup, openPostgresSnapshot } from '../backups/postgres-snapshot.ts'
import {
  addForeignKeys,
  arrayTypes,
  type ForeignKey,
  findForeignKeys,
  insertInto,
  parametersOf,
  renameSchemas,
  restoringSuffix,
  takeRestoreLock,
} from '../backups/postgres-target.ts'
import type { KnownDatabase } from '../backups/restore-target.ts'
import type { Snapshot } from '../backups/snapshot.ts'
import { migratePostgres } from '../database/migrate.ts'
import type { TableChanges } from './merge-table.ts'

const stateSchema = 'animal_store_move'

/** A table, as it was read on both sides. */
export interface MovedTable extends TableSum {
  target: Pick<TableSum, 'rows' | 'sha256'>
}

export interface MoveTarget {
  /** An earlier run has copied a part. */
  readonly isResumed: boolean
  /** The tables, if an earlier run has published them. */
  readonly published: MovedTable[] | undefined
  openSnapshot(): Promise<Snapshot>
  write(database: string, table: TableShape, changes: TableChanges): Promise<void>
  /** Deletes the rows of a table. */
  clear(database: string, table: TableShape): Promise<void>
  /** Throws a BackupError if a foreign key does not hold. */
  checkForeignKeys(): Promise<void>
  /** Adds the foreign keys and gives the schemas their names, in a transaction that is not committed yet. */
  prepareToPublish(tables: MovedTable[]): Promise<void>
  /** Commits it, durably. If this fails, the outcome is unknown. */
  publish(): Promise<void>
  /** Deletes the state of the move. */
  finish(): Promise<void>
  close(): Promise<void>
}

/**
 * Goes on with what an earlier run for the same installation has copied, or creates the tables. Throws a BackupError if
 * another process uses the database for a restore or a move. `requireEmpty` throws if it has schemas of other origin.
 */
export async function openMoveTarget(
  url: string,
  known: readonly KnownDatabase[],
  installation: string,
  requireEmpty: () => Promise<void>,
): Promise<MoveTarget> {
  const client = await connectForBackup(url)
  const schemas = known.map(({ name }) => ({ name, schema: name + restoringSuffix }))
  const schemaOf = (name: string): string => name + restoringSuffix
  try {
    await takeRestoreLock(client)
    const found = await readState(client)
    const earlier = found?.installation === installation ? found : undefined
    if (!earlier?.published) await requireEmpty()
    const isResumed =
      earlier !== undefined &&
      (earlier.published !== undefined || (await hasVersions(url, schemas, known)))
    const state = isResumed ? earlier : await create()
    // A copy that a crash of the server cuts is compared again; publishing waits for the disk.
    await client.query('set synchronous_commit = off')
    return targetOf(state, isResumed)
  } catch (error) {
    await client.end()
    throw error
  }

  async function create(): Promise<MoveState> {
    for (const { schema } of schemas) await client.query(`drop schema if exists ${schema} cascade`)
    await client.query(`drop schema if exists ${stateSchema} cascade`)
    for (const { migrations, name } of known) {
      await migratePostgres(url, schemaOf(name), [...migrations])
    }
    const foreignKeys: ForeignKey[] = []
    await client.query('begin')
    for (const { schema } of schemas) {
      for (const key of await findForeignKeys(client, schema)) {
        foreignKeys.push(key)
        await client.query(`alter table ${key.table} drop constraint ${key.name}`)
      }
    }
    await client.query(
      `create schema ${stateSchema}; create table ${stateSchema}.state
         (installation text not null, foreign_keys text not null, published text)`,
    )
    await client.query(
      `insert into ${stateSchema}.state (installation, foreign_keys) values ($1, $2)`,
      [installation, JSON.stringify(foreignKeys)],
    )
    await client.query('commit')
    return { installation, foreignKeys, published: undefined }
  }

  function targetOf({ foreignKeys, published }: MoveState, isResumed: boolean): MoveTarget {
    return {
      isResumed,
      published,
      openSnapshot: () => openPostgresSnapshot(url, schemas),
      async write(database, table, { put, removed }) {
        if (removed.length > 0) {
          const keys = { ...table, columns: keyColumns(table) }
          const text = deleteFrom(schemaOf(database), keys)
          await client.query({ text, values: parametersOf(keys, removed) })
        }
        if (put.length > 0) {
          const text = `${insertInto(schemaOf(database), table)} ${onConflict(table)}`
          await client.query({ text, values: parametersOf(table, put) })
        }
      },
      async clear(database, { name }) {
        // Not truncate, which waits for the snapshots that read the table.
        await client.query(`delete from ${schemaOf(database)}.${name}`)
      },
      async checkForeignKeys() {
        await client.query('begin')
        await addForeignKeys(client, foreignKeys)
        await client.query('rollback')
      },
      async prepareToPublish(tables) {
        await client.query('begin; set local synchronous_commit = on')
        await addForeignKeys(client, foreignKeys)
        await renameSchemas(client, schemas)
        await client.query(`update ${stateSchema}.state set published = $1`, [
          JSON.stringify(tables),
        ])
      },
      async publish() {
        await client.query('commit')
      },
      async finish() {
        await client.query(`drop schema if exists ${stateSchema} cascade; analyze`)
      },
      async close() {
        await client.end().catch(() => {})
      },
    }
  }
}

interface MoveState {
  installation: string
  foreignKeys: ForeignKey[]
  published: MovedTable[] | undefined
}

async function readState(client: pg.Client): Promise<MoveState | undefined> {
  const found = await client.query('select to_regclass($1) as name', [`${stateSchema}.state`])
  if (found.rows[0]?.name === null) return undefined
  const { rows } = await client.query<{
    installation: string
    foreign_keys: string
    published: string | null
  }>(`select installation, foreign_keys, published from ${stateSchema}.state`)
  const [row] = rows
  // Written by this program.
  return (
    row && {
      installation: row.installation,
      foreignKeys: JSON.parse(row.foreign_keys) as ForeignKey[],
      published: row.published === null ? undefined : (JSON.parse(row.published) as MovedTable[]),
    }
  )
}

/** Whether all schemas exist, with the migrations of this program. */
async function hasVersions(
  url: string,
  schemas: readonly { name: string; schema: string }[],
  known: readonly KnownDatabase[],
): Promise<boolean> {
  try {
    const snapshot = await openPostgresSnapshot(url, schemas)
    await snapshot.close()
    return snapshot.databases.every(
      ({ name, version }) =>
        known.find((each) => each.name === name)?.migrations.at(-1)?.id === version,
    )
  } catch (error) {
    if (error instanceof BackupError) return false
    throw error
  }
}

const keyColumns = ({ columns, key }: TableShape) =>
  key.flatMap((name) => columns.filter((column) => column.name === name))

function deleteFrom(schema: string, keys: TableShape): string {
  const names = keys.columns.map(({ name }) => name)
  const equal = names.map((name) => `gone.${name} = kept.${name}`)
  const arrays = keys.columns.map(({ type }, i) => `$${i + 1}::${arrayTypes[type]}`)
  return `delete from ${schema}.${keys.name} kept using unnest(${arrays.join(', ')}) as gone (${names.join(', ')})
    where ${equal.join(' and ')}`
}

function onConflict({ columns, key }: TableShape): string {
  const others = columns.filter(({ name }) => !key.includes(name))
  const assignments = others.map(({ name }) => `${name} = excluded.${name}`)
  return `on conflict (${key.join(', ')}) do ${others.length === 0 ? 'nothing' : `update set ${assignments.join(', ')}`}`
}
