// The audit log: who changed what, over HTTP; append-only in the database itself; kept for 400 days.

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queriesFor } from '#kit/database/query.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { type AuditEntry, exportAudit, openAudit } from '#kit/management/audit-routes.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { startDomains } from '../domains/domains-in-test.ts'
import {
  day,
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { walkPages } from '../walk-pages.ts'

const logOf = async ({ operator }: Pick<PublishingInTest, 'operator'>, query = '') =>
  (await operator.read<{ items: AuditEntry[] }>(`/audit-log?limit=100${query}`)).items

/** `action target` of each entry, oldest first. */
const linesOf = (entries: AuditEntry[]) =>
  entries.map(({ action, target }) => `${action} ${target.name}`).reverse()

const statement = (text: string) => queriesFor<never>()()(() => sql`${sql.raw(text)}`)

describe.each(cases(engines))('the audit log on %s', (engine) => {
  let world: PublishingInTest
  let operator: Person
  beforeAll(async () => {
    world = await startPublishing(engine, { now: Date.now() - 401 * day })
    operator = world.operator
  })
  afterAll(() => world.release())
  beforeEach(() => world.pass(1000))

  const since = () => `&since=${new Date(world.store.clock.now).toISOString()}`

  it('records who changed accounts, plans, tokens, keys and projects, by what and from where', async () => {
    const start = since()
    const member = await world.member('free')
    const { email, id } = member.account
    const path = `/accounts/${id}`
    expectJson(await operator.patch(path, { plan: 'paid' }), 200)
    expectJson(await operator.patch(path, { role: 'operator' }), 200)
    await member.patch('/account', { name: 'Rosa' })
    const token = await member.token()
    await member.ask('/projects', { token, body: { slug: 'audited', name: 'Audited' } })
    await member.patch('/projects/audited', { slug: 'renamed' })
    await member.delete('/projects/renamed?name=Audited')
    const keys = '/store/staging/keys'
    const made = expectJson(await operator.post(keys, { label: 'till' }), 201)
    const key = (made as { id: string }).id
    await operator.patch(`${keys}/${key}`, { label: 'till 2' })
    await operator.post(`${keys}/${key}/rotate`, { overlapSeconds: 60 })
    await operator.delete(`${keys}/${key}`)
    const { items } = (await member.ask('/account/tokens')).json as { items: { id: string }[] }
    await member.delete(`/account/tokens/${items[0]?.id}`)
    const link = await operator.post(`${path}/password-link`)
    expect(link.status).toBe(201)
    await operator.delete(path)

    const entries = await logOf(world, start)
    expect(linesOf(entries)).toEqual([
      `account.invited ${email}`,
      `account.created ${email}`,
      `session.started ${email}`,
      `plan.changed ${email}`,
      `account.role_changed ${email}`,
      `account.changed ${email}`,
      'token.created test',
      'project.created audited',
      'project.changed audited',
      'project.deleted renamed',
      'api_key.created till',
      'api_key.changed till',
      'api_key.rotated till 2',
      'api_key.revoked till 2',
      'token.revoked test',
      `account.password_link_created ${email}`,
      `account.deleted ${email}`,
    ])
    const entryOf = (action: string) => entries.find((entry) => entry.action === action)
    expect(entryOf('project.created')).toMatchObject({
      actor: { id, name: email, via: 'token', credentialId: items[0]?.id },
      address: '127.0.0.1',
      detail: { name: 'Audited', ownerId: id },
    })
    expect(entryOf('plan.changed')).toMatchObject({
      actor: { id: operator.account.id, name: operator.account.email, via: 'session' },
      target: { id, name: email },
      detail: { from: 'free', to: 'paid' },
    })
    expect(entryOf('account.created')?.actor.via).toBe('link')
    // Nothing secret is in it.
    expect(JSON.stringify(entries)).not.toMatch(/as_(pat|test)_|argon2|\$/)
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  it('records deploys and webhooks', async () => {
    const start = since()
    const member = await world.member('paid')
    await member.create('built')
    for (const text of ['1', '2']) await member.deployFolder('built', { 'index.html': text })
    expect((await member.post('/projects/built/deploys/1/restore')).status).toBe(200)
    const hook = '/projects/built/domain-webhook'
    const url = 'https://1.1.1.1/secret?key=hidden'
    expectJson(await member.put(hook, { url }), 200)
    await member.put(hook, { url })
    await member.delete(hook)
    const hooks = '/store/staging/webhooks'
    const made = expectJson(await operator.post(hooks, { url, label: 'shop' }), 201)
    const one = `${hooks}/${(made as { id: string }).id}`
    await operator.patch(one, { label: 'store' })
    await operator.patch(one, { disabled: true })
    await operator.post(`${one}/rotate`, {})
    await operator.delete(one)
    const entries = await logOf(world, start)
    const of = (area: string) => linesOf(entries.filter(({ action }) => action.startsWith(area)))
    expect(of('deploy')).toEqual([
      'deploy.created built',
      'deploy.created built',
      'deploy.restored built',
    ])
    expect(of('webhook').toSorted()).toEqual(
      [
        ...['webhook.created built', 'webhook.changed built', 'webhook.deleted built'],
        ...['webhook.created shop', 'webhook.changed store', 'webhook.changed store'],
        ...['webhook.secret_rotated store', 'webhook.deleted store'],
      ].toSorted(),
    )
    expect(JSON.stringify(entries)).not.toMatch(/hidden|whsec/)
    await member.delete('/projects/built?name=built')
  })

  it('records failed sign-ins, a bounded number, without addresses that have no account', async () => {
    const start = since()
    const member = await world.member()
    const fail = (email: string) =>
      world.anonymous('/session', { body: { email, password: 'not the right one' } })
    for (let i = 0; i < 8; i++) {
      expect((await fail(member.account.email)).status).toBe(401)
      expect((await fail('nobody-has-this@example.com')).status).toBe(401)
    }
    const entries = (await logOf(world, start)).filter(({ action }) => action === 'session.failed')
    expect(linesOf(entries).toSorted()).toEqual([
      ...Array(5).fill(`session.failed ${member.account.email}`),
      ...Array(5).fill('session.failed no account'),
    ])
    expect(JSON.stringify(entries)).not.toContain('nobody-has-this')
    expect(entries[0]).toMatchObject({
      actor: { id: null, name: 'not signed in' },
      address: '127.0.0.1',
      detail: { reason: 'password' },
    })
    world.pass(3_600_000)
  })

  it('shows members the entries about their account and projects, and nothing of others', async () => {
    const [member, other] = [await world.member('paid'), await world.member('paid')]
    await operator.signIn()
    await member.create('mine')
    await other.create('theirs')
    await operator.patch('/projects/mine', { name: 'By an operator' })
    for (const { account } of [member, other])
      await operator.patch(`/accounts/${account.id}`, { plan: 'free' })
    const { email } = member.account
    const { items } = await member.read<{ items: AuditEntry[] }>('/account/audit-log')
    expect(linesOf(items)).toEqual([
      `account.created ${email}`,
      `session.started ${email}`,
      'project.created mine',
      'project.changed mine',
      `plan.changed ${email}`,
    ])
    const addressOf = (action: string) => items.find((entry) => entry.action === action)?.address
    expect(addressOf('project.created')).toBe('127.0.0.1')
    expect(addressOf('project.changed')).toBeNull()
    const byArea = await member.read<{ items: AuditEntry[] }>('/account/audit-log?area=plan')
    expect(linesOf(byArea.items)).toEqual([`plan.changed ${email}`])
    const of = `/account/audit-log?actor=${encodeURIComponent(other.account.email)}`
    expect((await member.ask(of)).json).toEqual({ items: [], next: null })
    const exported = await member.ask('/account/audit-log/export?form=ndjson')
    const lines = exported.text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(items)
    expect((await world.anonymous('/account/audit-log')).status).toBe(401)
    // Also after the project was deleted.
    await operator.delete('/projects/mine?name=By%20an%20operator')
    expect((await member.actions())[0]).toBe('project.deleted')
  })

  it('has no entry for a change that was refused', async () => {
    const start = since()
    const path = `/accounts/${operator.account.id}`
    expect((await operator.delete(path)).status).toBe(409)
    expect((await operator.patch(path, { role: 'member' })).status).toBe(409)
    expect((await operator.post('/projects', { name: 'x', slug: 'www' })).status).toBe(400)
    expect(await logOf(world, start)).toEqual([])
  })

  it('can be filtered by area, account, record and time, and is paged over all databases', async () => {
    const start = since()
    const { account } = operator
    await operator.create('filtered')
    await operator.post('/store/production/keys', { label: 'one' })
    world.pass(1000)
    const later = since()
    await operator.post('/store/staging/keys', { label: 'two' })
    await operator.token()
    const lines = async (query: string) => linesOf(await logOf(world, query)).sort()
    const all = [
      'api_key.created one',
      'api_key.created two',
      'project.created filtered',
      'token.created test',
    ]
    expect(await lines(start)).toEqual(all)
    expect(await lines(`${start}&area=api_key`)).toEqual(all.slice(0, 2))
    expect(await lines(later)).toEqual([all[1], all[3]])
    expect(await lines(start + later.replace('since', 'until'))).toEqual([all[0], all[2]])
    expect(await lines(`${start}&target=filtered`)).toEqual([all[2]])
    const { id } = (await operator.ask('/projects/filtered')).json as { id: string }
    expect(await lines(`&target=${id}`)).toEqual([all[2]])
    for (const actor of [account.id, account.email]) {
      expect(await lines(`${start}&actor=${encodeURIComponent(actor)}`)).toEqual(all)
      expect(await lines(`${start}&actor=${encodeURIComponent(actor)}&area=token`)).toEqual([
        all[3],
      ])
    }
    expect(await lines(`${start}&actor=nobody@example.com`)).toEqual([])
    for (const wrong of ['since=yesterday', 'area=animals'])
      expect((await operator.ask(`/audit-log?${wrong}`)).status).toBe(400)

    const pages = await walkPages<AuditEntry>(operator.read, `/audit-log?limit=1${start}`)
    for (const page of pages) expect(page).toHaveLength(1)
    const seen = pages.flat()
    expect(seen).toEqual(await logOf(world, start))
    const ids = seen.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
  })

  it('is exported as CSV and NDJSON, without formulas for spreadsheets, up to a limit', async () => {
    const start = since()
    await operator.post('/projects', { slug: 'exported', name: '=cmd|"/c calc"!A1' })
    await operator.post('/store/staging/keys', { label: '=1+1, "x"' })
    const get = async (form: string) => await operator.ask(`/audit-log/export?form=${form}${start}`)
    const csv = await get('csv')
    expect(csv.headers['content-type']).toBe('text/csv')
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="audit-log-\d{4}-/)
    const [head, ...rows] = csv.text.trimEnd().split('\r\n')
    expect(head).toBe(
      'id,at,action,actorId,actorName,via,credentialId,address,targetId,targetName,detail',
    )
    expect(rows).toHaveLength(2)
    expect(csv.text).toContain(`,"'=1+1, ""x""",`)
    const ndjson = await get('ndjson')
    const exported = ndjson.text.trimEnd().split('\n')
    expect(exported.map((line) => JSON.parse(line))).toEqual(await logOf(world, start))

    const { databases } = world.store.running.store
    const parts: string[] = []
    for await (const part of exportAudit([databases.staging], {}, 'ndjson', 2)) parts.push(part)
    expect(parts.join('').trimEnd().split('\n')).toHaveLength(2)
  })

  it('is append-only in each database, and entries are deleted after 400 days', async () => {
    const { databases } = world.store.running.store
    const { clock } = world.store
    const write = (database: typeof databases.staging, text: string) =>
      unlocked(async (session) => void (await session.all(statement(text), {})))(database)
    const started = clock.now
    for (const database of [databases.staging, databases.production]) {
      const { read } = database
      const count = async () => (await read.all(statement('select id from audit_log'), {})).length
      const before = await count()
      expect(before).toBeGreaterThan(0)
      clock.now = Date.now()
      for (const text of [
        `update audit_log set actor_name = 'somebody'`,
        `update audit_log set at = 0`,
        // Younger than 400 days by the database's own clock.
        `insert into audit_log select 'aud_new', ${clock.now}, area, action, actor_id, actor_name, via,
          credential_id, address, target_id, target_name, detail, owner_id from audit_log limit 1`,
        `delete from audit_log where id = 'aud_new'`,
        ...(engine === 'sqlite'
          ? [`insert or replace into audit_log select * from audit_log where id = 'aud_new'`]
          : ['truncate audit_log']),
      ]) {
        const outcome = await write(database, text).then(
          () => 'written',
          () => 'refused',
        )
        expect([text, outcome]).toEqual([
          text,
          text.startsWith('insert into') ? 'written' : 'refused',
        ])
      }
      // A clock that is wrong deletes nothing.
      const wrong = openAudit([database], () => clock.now + 800 * day)
      await expect(wrong.deleteOld()).rejects.toThrow()
      expect(await count()).toBe(before + 1)
      clock.now = started
    }
    clock.now = Date.now()
    const audit = openAudit([databases.staging, databases.production], () => clock.now)
    await audit.deleteOld()
    const left = await databases.staging.read.all(statement('select id from audit_log'), {})
    expect(left).toEqual([{ id: 'aud_new' }])
  })
})

describe.each(cases(engines))('the audit log of domains on %s', (engine) => {
  it('records who added, configured and removed them, also with their project', async () => {
    const world = await startDomains(engine)
    try {
      const owner = await world.owner()
      const { host } = await owner.addProven()
      await owner.remove(host)
      const other = await owner.addProven()
      const path = `/projects/${owner.slug}`
      await owner.person.delete(`${path}?name=${owner.slug}`)
      const entries = await logOf(world, '&area=domain')
      expect(linesOf(entries)).toEqual([
        `domain.added ${host}`,
        `domain.configured ${host}`,
        `domain.removed ${host}`,
        `domain.added ${other.host}`,
        `domain.configured ${other.host}`,
        `domain.removed ${other.host}`,
      ])
      const { email, id } = owner.person.account
      const actors = entries.map(({ action, actor }) => [action, actor.id, actor.name])
      for (const [action, ...actor] of actors) {
        // The first proven domain becomes the primary without a request.
        const byProgram = action === 'domain.configured'
        expect(actor).toEqual(byProgram ? [null, 'Animal Store'] : [id, email])
      }
    } finally {
      await world.release()
    }
  })
})
