// What CONTRIBUTING says a migration may do beside running processes of the version before: add columns and tables. Here
// every table gets a column while this program is running, and everything goes on.

import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installedDatabases } from '../../server/platform/backups/installed-databases.ts'
import { cases } from '../cases.ts'
import { type Engine, engines, type TestDatabase } from '../database.ts'
import { type PublishingInTest, startPublishing } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { useTestDatabase } from '../use-test-database.ts'

async function addColumns(place: TestDatabase): Promise<void> {
  const tables = {
    sqlite: () =>
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
    postgres: (schema: string) =>
      `select tablename as name from pg_tables where schemaname = '${schema}'`,
  }[place.engine]
  for (const schema of installedDatabases) {
    for (const { name } of await query(place, schema, tables(schema))) {
      await query(place, schema, `alter table ${name} add column added_later text`)
    }
  }
}

/** Uses a bit of everything; `name` makes its records unique. */
async function useEverything({ member, operator, store, visit }: PublishingInTest, name: string) {
  const send = async (path: string, body?: object, method?: string): Promise<{ id: string }> => {
    const answer = await operator.ask(path, { ...(body && { body }), ...(method && { method }) })
    expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300)
    return answer.json as { id: string }
  }
  const shop = async (path: string, body?: object, method?: string): Promise<{ id: number }> => {
    const headers = { 'idempotency-key': `${name}${path}`, prefer: 'count=exact' }
    const answer = await store.ask(path, {
      headers,
      ...(body && { body }),
      ...(method && { method }),
    })
    expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300)
    return answer.json as { id: number }
  }
  const url = 'https://127.0.0.1:9/'
  const hook = await send('/store/production/webhooks', { url, events: ['pet.created'] })
  const { id } = await shop('/pets', { name, categoryId: 1 })
  await shop(`/pets/${id}`, { status: 'available' }, 'PATCH')
  await shop('/store/orders', { petId: id })
  await shop('/pets?limit=5')
  await send(`/store/production/webhooks/${hook.id}`, undefined, 'DELETE')
  const key = await send('/store/production/keys', { label: name })
  await send('/store/production/keys')
  await send(`/store/production/keys/${key.id}`, undefined, 'DELETE')

  await operator.create(name)
  const page = `<h1>${name}</h1>`
  await operator.deployFolder(name, { 'index.html': page })
  expect((await visit(name)).text).toBe(page)
  const host = `${name}.example.com`
  await send(`/projects/${name}/domains`, { host })
  await send(`/projects/${name}/domains/${host}`)
  await send(`/projects/${name}/domains/${host}`, undefined, 'DELETE')
  await send('/projects')

  const person = await member('paid')
  await person.token()
  await person.signIn()
  await send('/accounts')
  await send('/account/sessions')
  await send('/audit-log?limit=5')
  await send('/system')
  const { running } = store
  await running.store.maintain()
  await running.publishing.maintain()
  await running.system.maintain()
}

describe.each(cases(engines))('on %s', (engine: Engine) => {
  it('a column of every table changes nothing for a running program', async () => {
    const errors: string[] = []
    const stream = new Writable({
      write(line, _, done) {
        errors.push(String(line))
        done()
      },
    })
    const place = await useTestDatabase(engine)
    const running = await startPublishing(engine, {
      place,
      env: { WEBHOOK_ALLOW: '127.0.0.1' },
      log: pino({ level: 'error' }, stream),
    })
    onTestFinished(() => running.release())
    await useEverything(running, 'before')
    await addColumns(place)
    await useEverything(running, 'after')
    expect(errors).toEqual([])
  })
})
