import type { Migration } from '#kit/database/migrate.ts'

/** Files whose bytes are in an object storage, and the objects there. */
export const migration0016: Migration = {
  id: 16,
  name: 'objects',
  sql: ({ bytes, int64, strict }) => `
    -- The key of the object with all forms; null if they are in this row. Otherwise content is empty, gzip and brotli are
    -- null, and their sizes are here. block_digests has the SHA-256 of each block of each form (stored-object.ts).
    alter table files add column object text;
    alter table files add column gzip_size ${int64};
    alter table files add column brotli_size ${int64};
    alter table files add column block_digests ${bytes};
    create index files_to_move on files (hash) where object is null and coded = 1 and size >= 65536;
    create index files_moved on files (hash) where object is not null;

    create table objects (
      key text not null primary key,
      -- From then on it may be deleted. Null while a file refers to it.
      delete_at ${int64}
    ) ${strict};
    create index objects_to_delete on objects (delete_at) where delete_at is not null;

    -- One row: the process that moves files, and the expiry of its lease.
    create table object_storage (
      id ${int64} not null primary key check (id = 1),
      lease text,
      lease_until ${int64}
    ) ${strict};
    insert into object_storage (id) values (1);
  `,
}
