import type { Migration } from '#kit/database/migrate.ts'

/** Animals, API keys, idempotency keys, and the state that is written with them. */
export const migration0001: Migration = {
  id: 1,
  name: 'store',
  sql: ({ int64, strict }) => `
    create table store_state (
      id ${int64} not null primary key check (id = 1),
      content_version ${int64} not null,
      keys_version ${int64} not null,
      last_pet_id ${int64} not null,
      available ${int64} not null,
      pending ${int64} not null,
      sold ${int64} not null,
      initialised ${int64} not null
    ) ${strict};
    insert into store_state values (1, 0, 0, 0, 0, 0, 0, 0);

    create table pets (
      id ${int64} not null primary key,
      name text not null,
      category_id ${int64} not null,
      status text not null check (status in ('available', 'pending', 'sold'))
    ) ${strict};
    -- With all columns, so that the index alone serves a page of one status.
    create index pets_by_status on pets (status, id, name, category_id);

    create table api_keys (
      id text not null primary key,
      lineage text not null,
      label text not null,
      secret_hash text not null,
      scopes text not null,
      rate_limit text,
      created_at ${int64} not null,
      expires_at ${int64},
      revoked_at ${int64},
      last_used_at ${int64}
    ) ${strict};

    create table idempotency_keys (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status ${int64} not null,
      location text not null,
      body text not null,
      created_at ${int64} not null,
      primary key (scope, key)
    ) ${strict};
    create index idempotency_keys_by_age on idempotency_keys (created_at);
  `,
}
