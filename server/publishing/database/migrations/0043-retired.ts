import type { Migration } from '#kit/database/migrate.ts'

/**
 * Removes what only retired features have used. Domains whose certificate was prepared by a persistent record
 * (dns-persist-01) are prepared by DNS-01 from their next check on: their orders end, and the owner gets one mail about each
 * record that is not used any more. The accounts at authorities that only these records name are void with their keys.
 */
export const migration0043: Migration = {
  id: 43,
  name: 'retired features',
  sql: ({ engine }) => {
    const [now, object] =
      engine === 'sqlite'
        ? ["cast(unixepoch('subsec') * 1000 as integer)", 'json_object']
        : ['cast(extract(epoch from clock_timestamp()) * 1000 as bigint)', 'json_build_object']
    return `
    drop index domains_with_preview;

    drop table removed_domains;
    delete from domain_notices where position in
      (select position from domain_events where type in ('records_left', 'records_deleted'));
    delete from domain_events where type in ('records_left', 'records_deleted');

    -- Nobody is asked for a persistent record any more.
    delete from domain_notices where position in
      (select position from domain_events
        where type = 'challenge_requested' and detail like '%"recordName":"_validation-persist.%');
    insert into domain_events (position, id, at, project_id, host, domain_id, type, actor, detail)
      select (select last_event from publishing_state) + row_number() over (order by d.id),
          'evt_unused_' || d.id, ${now}, d.project_id, d.host, d.id, 'record_unused', null,
          cast(${object}('recordName', '_validation-persist.' || d.host, 'recordValue', r.value) as text)
        from domains d join persistent_records r on r.domain_id = d.id
        where r.released_at is null;
    insert into domain_notices
        (position, channel, recipient, project_id, domain_id, created_at, due_at, tries)
      select e.position, 'mail', a.id, e.project_id, e.domain_id, e.at, e.at, 0
        from domain_events e join domains d on d.id = e.domain_id
        join accounts a on a.id = d.holder or (a.role = 'operator' and d.holder = 'operators')
        where e.type = 'record_unused';
    update publishing_state set
      last_event = coalesce((select max(position) from domain_events where type = 'record_unused'), last_event);

    update domains set
        certificate = case when expires_at > ${now} then 'issued' else 'none' end,
        blocked_by = null, record_until = null, issue_at = null, problem = null,
        check_at = case when check_at is null then null else 0 end,
        due_at = case when check_at is null then null else 0 end,
        version = version + 1
      where preparation = 'requested' and preparation_method = 'dns-persist-01';
    update domains set former_challenge = null where former_challenge like '%"dns-persist-01"%';
    delete from certificate_orders where account_id is not null;
    delete from acme_authorizations where account in (select url from holder_accounts);
    alter table certificate_orders drop column account_id;
    alter table domains drop column preparation_method;
    alter table domains drop column persist_offer;
    drop table persistent_records;
    drop table holder_accounts;
  `
  },
}
