// All migrations of the database of allowances, in order: counters that every process shares and that a crash may lose, and
// what the program remembers of itself.
import type { Migration } from '../database/migrate.ts'

/** The tables of 1.0.0-rc.1, whose last migration had this number. */
const schema: Migration = {
  id: 2,
  name: 'schema of 1.0.0-rc.1',
  sql: ({ int64, strict, unloggedTable }) => `
    -- When the allowance of each key is whole again.
    create ${unloggedTable} rate_limits (
      key_id text not null primary key,
      whole_at ${int64} not null
    ) ${strict};

    -- Requests of each minute by latency.
    create ${unloggedTable} request_minutes (
      minute ${int64} not null,
      environment text not null,
      errors ${int64} not null,
      ${Array.from({ length: 16 }, (_, i) => `within_${i} ${int64} not null,`).join('\n      ')}
      primary key (minute, environment)
    ) ${strict};

    -- The running processes.
    create ${unloggedTable} processes (
      id text not null primary key,
      node text not null,
      pid ${int64} not null,
      started_at ${int64} not null,
      seen_at ${int64} not null
    ) ${strict};
  `,
}

/** What has changed since 1.0.0-rc.1. */
const upgrade: Migration = {
  id: 6,
  name: 'changes since 1.0.0-rc.1',
  sql: ({ engine, int64, strict }) => `
    -- 1 if the last request was within the limit.
    alter table rate_limits add column taken ${int64} not null default 0;

    -- Null: one that records none.
    alter table processes add column version text;

    -- One row: the state of scheduled backups. Unlike the other tables of this database it is logged.
    create table backup_schedule (
      id ${int64} not null primary key check (id = 1),
      -- Marks the files of this installation: a schedule deletes no others.
      installation text not null,
      -- The interval, and when a process with it last looked.
      interval_ms ${int64},
      polled_at ${int64},
      -- The last good backup: when it began, its path, size and duration.
      last_at ${int64},
      last_node text,
      last_file text,
      last_bytes ${int64},
      last_ms ${int64},
      -- The last failure; failures since the last good one.
      failed_at ${int64},
      failure text,
      failures ${int64} not null default 0,
      -- The process that makes one, and the expiry of its lease.
      lease text,
      lease_until ${int64}
    ) ${strict};
    insert into backup_schedule (id, installation) values (1, ${randomText[engine]});
  `,
}

const randomText = {
  sqlite: 'lower(hex(randomblob(16)))',
  postgres: "replace(gen_random_uuid()::text, '-', '')",
}

export const allowanceMigrations: Migration[] = [schema, upgrade]
