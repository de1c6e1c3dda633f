// The audit log's table, in each database whose changes it records. Times are milliseconds since the epoch.

import { createTables, type RowsOf, type Types } from '../database/declared-tables.ts'
import { rowWriter } from '../database/insert-rows.ts'
import { queriesFor } from '../database/query.ts'
import type { AuditAction, AuditArea } from './actions.ts'

export const auditSources = ['session', 'token', 'link', 'command_line', 'program'] as const
export type AuditSource = (typeof auditSources)[number]

const tables = {
  // What people and the program did.
  audit_log: {
    // Ascends with time, see identifiers.ts.
    id: 'text not null primary key',
    at: 'int64 not null',
    area: 'text not null',
    action: 'text not null',
    // The account; null for the command line and for the program itself.
    actor_id: 'text',
    // The e-mail address that it had, or what else acted.
    actor_name: 'text not null',
    via: "text not null check (via in ('session', 'token', 'link', 'command_line', 'program'))",
    // The session or the access token.
    credential_id: 'text',
    address: 'text',
    target_id: 'text not null',
    // The name that it had.
    target_name: 'text not null',
    // JSON of an AuditDetail.
    detail: 'text not null',
    // The account that it concerns beside actor and target: the owner of the changed project or domain.
    owner_id: 'text',
  },
} as const

export type AuditTables = RowsOf<typeof tables> & {
  audit_log: { area: AuditArea; action: AuditAction; via: AuditSource }
}

export const prepareQuery = queriesFor<AuditTables>()
export const { insertRow } = rowWriter<AuditTables>()

/**
 * Creates it, as a part of migrations. Triggers refuse every change of an entry, and its deletion until it is 399 days old
 * by the clock of the database: a day less than entries are kept, because clocks differ.
 */
export const createAuditLog = (types: Types): string => `${createTables(tables, types)}
    create index audit_log_by_area on audit_log (area, id);
    create index audit_log_by_actor on audit_log (actor_id, id);
    create index audit_log_by_actor_name on audit_log (actor_name, id);
    create index audit_log_by_target on audit_log (target_id, id);
    create index audit_log_by_target_name on audit_log (target_name, id);
    create index audit_log_by_owner on audit_log (owner_id, id);
    create index audit_log_by_age on audit_log (at);
    ${rules[types.engine]}`

const minAgeMs = 399 * 24 * 3_600_000

const rules = {
  sqlite: `
    create trigger audit_log_no_update before update on audit_log
    begin select raise(abort, 'audit_log is append-only'); end;

    create trigger audit_log_no_delete before delete on audit_log
    when old.at > cast(unixepoch('subsec') * 1000 as integer) - ${minAgeMs}
    begin select raise(abort, 'audit_log is append-only'); end;

    -- "insert or replace" deletes without a trigger.
    create trigger audit_log_no_replace before insert on audit_log
    when exists (select 1 from audit_log where id = new.id)
    begin select raise(abort, 'audit_log is append-only'); end;
  `,
  postgres: `
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if old.at <= extract(epoch from clock_timestamp()) * 1000 - ${minAgeMs} then
          return old;
        end if;
      end if;
      raise exception 'audit_log is append-only';
    end $$;
    create trigger audit_log_append_only before update or delete on audit_log
      for each row execute function refuse_audit_change();
    create trigger audit_log_no_truncate before truncate on audit_log
      for each statement execute function refuse_audit_change();
  `,
}
