// A connection of a test to the program's database on PostgreSQL, such as to hold a lock as another node would.
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from '../database.ts'

/** It is closed when the test has finished. */
export async function connectTo({ databaseUrl }: Pick<TestDatabase, 'databaseUrl'>) {
  const client = new pg.Client({ connectionString: databaseUrl as string })
  // The end of a test closes the database first.
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** From now on commits wait until a standby of this name has them: `*` for any, nothing for none. */
export async function requireStandby(client: pg.Client, name: string): Promise<void> {
  await client.query(`alter system set synchronous_standby_names = '${name}'`)
  await client.query('select pg_reload_conf()')
}

/** How many statements wait for a lock of another transaction. Not inside one: it would always see the same. */
export async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].n
}

/**
 * Records each row that a transaction inserts into or updates in a table, in order; returns a function that reads the
 * values of `column`, grouped by transaction.
 */
export async function recordRows(client: pg.Client, table: string, column: string) {
  await client.query(`
    create table public.touched (position serial, tx xid8 default pg_current_xact_id(), value text);
    create function public.touch() returns trigger language plpgsql as
      $$ begin insert into public.touched (value) values (new.${column}); return new; end $$;
    create trigger touch before insert or update on ${table}
      for each row execute function public.touch()`)
  return async (): Promise<string[][]> => {
    const { rows } = await client.query(
      'select array_agg(value order by position) as keys from public.touched group by tx',
    )
    return rows.map(({ keys }) => keys)
  }
}

/** Counts the statements that change a table. */
export async function countStatements(client: pg.Client, table: string) {
  await client.query(`
    create table public.statements (position serial);
    create function public.count_statement() returns trigger language plpgsql as
      $$ begin insert into public.statements default values; return null; end $$;
    create trigger count_statement after insert or update or delete on ${table}
      for each statement execute function public.count_statement()`)
  return async (): Promise<number> =>
    (await client.query('select count(*)::int as n from public.statements')).rows[0].n
}
