import type { Migration } from '#kit/database/migrate.ts'

/**
 * Webhooks with the outbox. A delivery is open until it has finished. An open one without a due time
 * waits for an earlier one of its animal. `due_at` of a claimed one is when its lease expires.
 */
export const migration0003: Migration = {
  id: 3,
  name: 'webhooks',
  sql: ({ int64, strict }) => `
    alter table store_state add column active_webhooks ${int64} not null default 0;
    alter table store_state add column last_event_id ${int64} not null default 0;

    create table webhooks (
      id text not null primary key,
      label text not null,
      url text not null,
      events text not null,
      secret text not null,
      previous_secret text,
      previous_until ${int64},
      created_at ${int64} not null,
      failing_since ${int64},
      disabled_at ${int64},
      disabled_reason text,
      removed_at ${int64}
    ) ${strict};

    create table webhook_events (
      id ${int64} not null primary key,
      message_id text not null unique,
      type text not null,
      pet_id ${int64} not null,
      created_at ${int64} not null,
      payload text not null
    ) ${strict};

    create table webhook_deliveries (
      event_id ${int64} not null,
      webhook_id text not null,
      pet_id ${int64} not null,
      due_at ${int64},
      claim text,
      attempts ${int64} not null,
      tries ${int64} not null,
      resent ${int64} not null,
      finished_at ${int64},
      outcome text check (outcome in ('delivered', 'failed')),
      primary key (event_id, webhook_id)
    ) ${strict};
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id)
      where due_at is not null;
    create index webhook_deliveries_open on webhook_deliveries (webhook_id, pet_id, event_id)
      where finished_at is null;
    create index webhook_deliveries_oldest on webhook_deliveries (webhook_id, event_id)
      where finished_at is null;
    create index webhook_deliveries_finished on webhook_deliveries (webhook_id, finished_at)
      where finished_at is not null;

    create table webhook_attempts (
      webhook_id text not null,
      event_id ${int64} not null,
      attempt ${int64} not null,
      at ${int64} not null,
      duration_ms ${int64} not null,
      status ${int64},
      error text,
      next_at ${int64},
      primary key (webhook_id, event_id, attempt)
    ) ${strict};
  `,
}
