// Data in which a domain is prepared by a persistent record (dns-persist-01), which this version does not have: the domain is
// prepared by DNS-01, the order has ended, and the owner gets one mail about the record.
import { expect, it, onTestFinished } from 'vitest'
import { migrateDatabase } from '#kit/database/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { startMailServer, trustMailServer } from '../domain-events/mail-server.ts'
import { eventually } from '../eventually.ts'
import { query, queryEach } from '../query.ts'
import { ask, machineClock, startStore } from '../running-store.ts'
import { loadRelease } from './release-data.ts'

const host = 'docs.example.com'
const value = 'ca.example; accounturi=https://ca.example/acct/1; persistUntil=1800000000'
const challenge = { recordName: `_validation-persist.${host}`, recordValue: value }
const former = JSON.stringify({ value, because: 'expired', at: 1, method: 'dns-persist-01' })

/** As the version before has left them: the order waits for the record, of which a mail is about to be sent. */
const statements = [
  `insert into email_confirmations (account_id, email_key, sent_at, confirmed_at)
    select id, email_key, 1, 1 from accounts`,
  `update domains set ownership = 'proven', proven_by = 'txt', dns = 'wrong_target', txt_found_at = 1,
    preparation = 'requested', preparation_at = 1, preparation_method = 'dns-persist-01',
    persist_offer = '{"directory":"https://ca.example/dir","issuers":["ca.example"]}',
    certificate = 'validating', record_until = 9e12, issue_at = 9e12, former_challenge = '${former}'
    where host = '${host}'`,
  `insert into holder_accounts (id, holder, directory, url, private_key, created_at)
    select 'hac_1', holder, 'https://ca.example/dir', 'https://ca.example/acct/1', '', 1
    from domains where host = '${host}'`,
  `insert into persistent_records (domain_id, account_id, value, persist_until, created_at)
    select id, 'hac_1', '${value}', 1800000000000, 1 from domains where host = '${host}'`,
  `insert into certificate_orders (domain_id, host, registered_domain, directory, step, challenge_type, token,
      key_authorization, private_key, begun_at, expires_at, account_id)
    select id, host, 'example.com', 'https://ca.example/dir', 'new', 'dns-persist-01', 't', 't.t', '', 1, 9e12, 'hac_1'
    from domains where host = '${host}'`,
  `insert into acme_authorizations (url, directory, account, domain_id, host, expires_at)
    select 'https://ca.example/authz/1', 'https://ca.example/dir', 'https://ca.example/acct/1', id, host, 9e12
    from domains where host = '${host}'`,
  'update publishing_state set last_event = last_event + 1',
  `insert into domain_events (position, id, at, project_id, host, domain_id, type, detail)
    select last_event, 'evt_1', 1, project_id, host, domains.id, 'challenge_requested', '${JSON.stringify(challenge)}'
    from publishing_state, domains where host = '${host}'`,
  `insert into domain_notices (position, channel, recipient, project_id, domain_id, created_at, due_at, tries)
    select last_event, 'mail', holder, project_id, domains.id, 1, 1, 0
    from publishing_state, domains where host = '${host}'`,
]

it.each(cases(engines))('a domain with a persistent record is upgraded on %s', async (engine) => {
  const { known, place } = await loadRelease(engine, '1.0.0-rc.1')
  const before = publishingMigrations.filter(({ id }) => id < 43)
  await migrateDatabase(place, 'publishing', before)
  await queryEach(place, 'publishing', statements)
  const mail = await startMailServer()
  onTestFinished(() => mail.close())
  onTestFinished(trustMailServer())
  const store = await startStore(engine, {
    place,
    env: { SMTP_URL: mail.url, DNS_SERVERS: '127.0.0.1:9', CHECK_ALLOW: 'dns:127.0.0.1:9' },
    clock: machineClock,
  })
  onTestFinished(() => store.release())

  const { httpPort } = store.running.config
  const base = new URL(`http://localhost:${httpPort}/api`)
  const path = `/projects/${known.project.slug}/domains/${host}`
  const { json } = await ask(httpPort, base, known.token, path)
  expect(json).toMatchObject({ ownership: 'proven', preparation: { state: 'requested' } })
  const read = (text: string) => query(place, 'publishing', text)
  expect(await read('select domain_id from certificate_orders')).toEqual([])
  expect(await read('select url from acme_authorizations')).toEqual([])
  const [domain] = await read(
    `select record_until, former_challenge, certificate from domains where host = '${host}'`,
  )
  expect(domain).toMatchObject({ record_until: null, former_challenge: null })
  expect(['none', 'preflight', 'blocked', 'ordering']).toContain(domain?.certificate)

  await eventually(
    async () => mail.received.length,
    (count) => count > 0,
  )
  await eventually(
    () => read('select position from domain_notices'),
    (rows) => rows.length === 0,
  )
  expect(mail.received).toHaveLength(1)
  const [sent] = mail.received
  expect(sent?.headers.subject).toBe(`${host}: a TXT record is no longer used`)
  expect(sent?.text.replaceAll('=3D', '=')).toContain(`_validation-persist.${host}  TXT  ${value}`)
  const events = await ask(httpPort, base, known.token, `${path}/events`)
  const { items } = events.json as { items: { type: string; detail: object }[] }
  expect(items.filter(({ type }) => type === 'record_unused')).toMatchObject([
    { detail: challenge },
  ])
})
