// Rows about a project's domains, read and written directly in the tables, for what no response shows.
import type { TestDatabase } from '../database.ts'
import { query, queryEach } from '../query.ts'

const byProject = ['domains', 'domain_events', 'domain_notices', 'domain_webhooks']
const byDomain = ['domain_checks', 'certificates', 'certificate_orders']

/** Sets the expiry of the current certificate, so that its renewal is due now. */
export const expireCertificate = (place: TestDatabase, host: string, at: number, now: number) =>
  query(
    place,
    'publishing',
    `update domains set expires_at = ${at}, renew_at = ${now}, issue_at = ${now}, due_at = ${now}
      where host = '${host}'`,
  )

/** Gives a domain an open order, a current certificate and a previous one. */
export async function addCertificates(place: TestDatabase, host: string): Promise<void> {
  const directory = 'https://ca.example/directory'
  const certificates = [0, 1].map(
    (isCurrent) => `insert into certificates (id, domain_id, host, issuer, directory, chain,
        private_key, fingerprint, serial, not_before, not_after, issued_at, is_current)
      select 'cer_' || id || '_${isCurrent}', id, host, 'Acorn CA', '${directory}', 'chain',
        'encrypted', id || '_${isCurrent}', '01', 1, 2, 1, ${isCurrent}
      from domains where host = '${host}'`,
  )
  const order = `insert into certificate_orders (domain_id, host, registered_domain, directory, step,
      token, key_authorization, private_key, begun_at)
    select id, host, host, '${directory}', 'new', 'token', 'token.key', 'encrypted', 1
    from domains where host = '${host}'`
  await queryEach(place, 'publishing', [order, ...certificates])
}

/** Counts the rows in each table of a domain and its project, also when they are removed later. */
export async function rowCounter(place: TestDatabase, host: string) {
  const ids = `select id, project_id from domains where host = '${host}'`
  const [{ id, project_id: project } = {}] = await query(place, 'publishing', ids)
  const conditions = [
    ...byProject.map((table) => [table, `project_id = '${project}'`]),
    ...byDomain.map((table) => [table, `domain_id = '${id}'`]),
  ]
  return async (): Promise<Record<string, number>> => {
    const counts = conditions.map(
      ([table, condition]) => `select count(*) as count from ${table} where ${condition}`,
    )
    const rows = await queryEach(place, 'publishing', counts)
    return Object.fromEntries(conditions.map(([table], i) => [table, Number(rows[i]?.[0]?.count)]))
  }
}
