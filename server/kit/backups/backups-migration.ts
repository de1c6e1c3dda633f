// The state of scheduled backups, in the database of what the program remembers of itself.
import type { Migration } from '../database/migrate.ts'

export const backupsMigration: Migration = {
  id: 3,
  name: 'scheduled backups',
  sql: ({ engine, int64, strict }) => `
    -- One row. Unlike the other tables of this database it is logged.
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
