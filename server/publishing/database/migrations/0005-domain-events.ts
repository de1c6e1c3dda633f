import type { Migration } from '#kit/database/migrate.ts'

/**
 * Events of domains in order, and their notifications: e-mail to the owner, and the webhook of the project.
 */
export const migration0005: Migration = {
  id: 5,
  name: 'events of domains',
  sql: ({ int64, strict }) => `
    -- The position of the last event. It increases under the lock, so that positions follow the order of commits.
    alter table publishing_state add column last_event ${int64} not null default 0;
    -- The last notified state, so that each change is notified once. Some badges change with time alone.
    alter table domains add column told text check (told in ('active', 'at_risk', 'failed'));

    create table domain_events (
      position ${int64} not null primary key,
      id text not null unique,
      at ${int64} not null,
      -- Empty for platform hosts.
      project_id text not null,
      host text not null,
      domain_id text not null,
      type text not null,
      -- The account that caused it; null for the program itself.
      actor text,
      detail text not null
    ) ${strict};
    create index domain_events_by_project on domain_events (project_id, position);
    create index domain_events_by_host on domain_events (project_id, host, position);
    create index domain_events_by_age on domain_events (at);

    create table domain_webhooks (
      project_id text not null primary key,
      url text not null,
      -- Encrypted.
      secret text not null,
      created_at ${int64} not null,
      -- The result of the last attempt.
      attempted_at ${int64},
      status ${int64},
      error text,
      failing_since ${int64}
    ) ${strict};

    -- Pending notifications of an event.
    create table domain_notices (
      position ${int64} not null,
      channel text not null check (channel in ('mail', 'webhook')),
      -- The account that gets the e-mail; empty for the webhook of the project.
      recipient text not null,
      project_id text not null,
      domain_id text not null,
      created_at ${int64} not null,
      -- When the next attempt is due; during an attempt, when the lease expires.
      due_at ${int64} not null,
      claim text,
      tries ${int64} not null,
      primary key (position, channel, recipient)
    ) ${strict};
    create index domain_notices_due on domain_notices (channel, due_at);
    create index domain_notices_in_order on domain_notices (domain_id, channel, recipient, position);
    create index domain_notices_by_project on domain_notices (project_id, channel);
  `,
}
