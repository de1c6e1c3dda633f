// After a migration of a database of the first release: ends the sessions of its running processes. Their prepared
// statements fail when a table has got a column, and these processes prepare anew on new connections only. Later ones
// recover from it by themselves (isStalePlan).
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** Sessions are between two statements now and then, even under load. */
const withinMs = 5000
const retryAfterMs = 20

/**
 * Only sessions of this role, with the name that the pools of a process give, from before the call. While every table is
 * locked against writes, nobody has an uncommitted write: a session that is idle or waits for a lock has nothing to lose,
 * so that a request whose session ends is a 503 that has changed nothing. Sessions that read are left until they are
 * idle. Throws if a lock is not free within the session's `lock_timeout`; a repetition ends the rest.
 */
export async function endStaleSessions(client: pg.Client, schema: string): Promise<void> {
  const { tables } = (await client.query(readTables, [schema])).rows[0]
  const { now } = (await client.query('select clock_timestamp()::text as now')).rows[0]
  const deadline = performance.now() + withinMs
  const count = async (): Promise<number> =>
    (await client.query(`select pid from (${stale}) s`, [schema, now])).rows.length
  while ((await count()) > 0 && performance.now() < deadline) {
    await client.query(`begin; lock table ${tables} in share mode`)
    await client.query(
      `select pg_terminate_backend(pid) from (${stale}) s
        where state = 'idle' or wait_event_type = 'Lock'`,
      [schema, now],
    )
    await client.query('commit')
    await delay(retryAfterMs)
  }
}

const readTables = `
  select string_agg(format('%I.%I', schemaname, tablename), ', ' order by tablename) as tables
  from pg_tables where schemaname = $1`
const stale = `
  select pid, state, wait_event_type from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and application_name = 'animal-store ' || $1 and backend_start < $2::timestamptz`
