// Rows about a project's domains, read directly from the tables, for what no response shows.
import { type Database, each } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import type { TestDatabase } from '../database.ts'

const byProject = ['domains', 'domain_events', 'domain_notices', 'domain_webhooks'] as const
const byDomain = ['domain_checks', 'certificates', 'certificate_orders'] as const
type Table = (typeof byProject)[number] | (typeof byDomain)[number]

const idOfHost = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .select(['id', 'project_id as project'])
    .where('host', '=', param('host')),
)
const ofProject = byProject.map((table) => ({
  table,
  query: prepareQuery<{ project: string }>()((db, param) =>
    db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .where(`${table}.project_id`, '=', param('project') as never),
  ),
}))
const ofDomain = byDomain.map((table) => ({
  table,
  query: prepareQuery<{ id: string }>()((db, param) =>
    db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .where(`${table}.domain_id`, '=', param('id') as never),
  ),
}))
const insertOrder = prepareQuery<{ id: string; host: string }>()((db, param) =>
  db.insertInto('certificate_orders').values({
    domain_id: param('id'),
    host: param('host'),
    registered_domain: param('host'),
    directory: 'https://ca.example/directory',
    step: 'new',
    token: 'token',
    key_authorization: 'token.key',
    private_key: 'encrypted',
    begun_at: 1n,
  }),
)
const insertCertificate = prepareQuery<{
  id: string
  host: string
  name: string
  isCurrent: number
}>()((db, param) =>
  db.insertInto('certificates').values({
    id: param('name'),
    domain_id: param('id'),
    host: param('host'),
    issuer: 'Acorn CA',
    directory: 'https://ca.example/directory',
    chain: 'chain',
    private_key: 'encrypted',
    fingerprint: param('name'),
    serial: '01',
    not_before: 1n,
    not_after: 2n,
    issued_at: 1n,
    is_current: param('isCurrent') as never,
  }),
)
const certifyTransaction = each(async (session, { host, id }: { host: string; id: string }) => {
  await session.all(insertOrder, { id, host })
  for (const isCurrent of [0, 1]) {
    await session.all(insertCertificate, { id, host, name: `cer_${id}_${isCurrent}`, isCurrent })
  }
})

const setExpiry = prepareQuery<{ host: string; at: number; now: number }>()((db, param) =>
  db
    .updateTable('domains')
    .set({
      expires_at: param('at'),
      renew_at: param('now'),
      issue_at: param('now'),
      due_at: param('now'),
    })
    .where('host', '=', param('host')),
)
const setExpiryTransaction = each(
  async (session, expiry: { host: string; at: number; now: number }): Promise<void> => {
    await session.all(setExpiry, expiry)
  },
)

export interface ProjectRows {
  /** Sets the expiry of the current certificate, so that its renewal is due now. */
  expire(host: string, at: number, now: number): Promise<void>
  /** Gives a domain an open order, a current certificate and a previous one. */
  certify(host: string): Promise<void>
  /** The number of rows in each table of a domain and its project, as identified at the first call. */
  count(host: string): Promise<Record<Table, number>>
  close(): Promise<void>
}

export function openProjectRows(place: TestDatabase): ProjectRows {
  const database: Database = openDatabase(place, 'publishing', {
    onError: () => {},
  })
  const { read } = database
  const known = new Map<string, { id: string; project: string }>()

  async function find(host: string): Promise<{ id: string; project: string }> {
    const kept = known.get(host) ?? (await read.all(idOfHost, { host }))[0]
    if (!kept) throw new Error(`there is no ${host}`)
    known.set(host, kept)
    return kept
  }

  return {
    async expire(host, at, now) {
      await database.write(setExpiryTransaction, { host, at, now })
    },
    async certify(host) {
      await database.write(certifyTransaction, { id: (await find(host)).id, host })
    },
    async count(host) {
      const { id, project } = await find(host)
      const found: [string, number][] = []
      for (const { query, table } of ofProject) {
        found.push([table, Number((await read.all(query, { project }))[0]?.count)])
      }
      for (const { query, table } of ofDomain) {
        found.push([table, Number((await read.all(query, { id }))[0]?.count)])
      }
      return Object.fromEntries(found) as Record<Table, number>
    },
    close: () => database.close(),
  }
}
