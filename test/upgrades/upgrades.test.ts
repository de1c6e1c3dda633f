// Every earlier release's data, created by create-release.ts, is migrated at the start and is all there: on both
// engines, through the APIs, the command line and the sites. So it is where its backup was restored, which is the rehearsal
// of an upgrade (docs/self-hosting.md).

import { expect, it } from 'vitest'
import type { Migration } from '#kit/database/declared-tables.ts'
import { migrateDatabase } from '#kit/database/engines/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { backUp, restore } from '../backups/backups-in-test.ts'
import { cases, isLong } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { emptyPlace } from '../place-for-test.ts'
import { password } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { type Answer, type AskOptions, ask } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { type Known, loadRelease, programOf, releases, versions } from './release-data.ts'

const places = engines.flatMap((engine) => versions.map((release) => ({ engine, release })))

it.each(cases(places, ({ engine }) => engine === engines[0]))(
  '$release on $engine is upgraded with everything, after a rehearsal with a backup that changes nothing',
  async ({ engine, release }) => {
    const { known, place } = await loadRelease(engine, release)
    const applied = () => query(place, 'publishing', 'select id, name from migrations order by id')
    const before = await applied()
    const { file } = await backUp(place, '--with-key')
    const rehearsal = await emptyPlace(engine)
    expect(await restore(rehearsal, file)).toMatchObject({ missingKeys: [] })
    await expectEverything(known, rehearsal)
    expect(await applied()).toEqual(before)
    await expectEverything(known, place)
  },
)

it.each(cases(places.filter(({ release }) => releases.includes(release))))(
  '$release on $engine is not migrated while one of its processes is running',
  async ({ engine, release }) => {
    const { place } = await loadRelease(engine, release)
    const applied = () => query(place, 'publishing', 'select id, name from migrations order by id')
    const before = await applied()
    let end = async (): Promise<unknown> =>
      await query(place, 'limits', `update processes set seen_at = ${Date.now() - 90_000}`)
    if (isLong) {
      // It is recorded half a minute after its start.
      const old = await serveForTest(place, {}, [], () => {}, programOf(release))
      end = () => old.end()
      const seen = () => query(place, 'limits', 'select * from processes')
      await expect.poll(seen, { timeout: 60_000 }).toHaveLength(1)
    } else {
      await query(
        place,
        'limits',
        `insert into processes (id, node, pid, started_at, seen_at)
         values ('a', 'web', 7, ${Date.now()}, ${Date.now()})`,
      )
    }
    for (const words of [['serve'], ['keys', 'list', '--environment', 'production']]) {
      const env = { HTTP_PORT: '0', HTTPS_PORT: '0' }
      const { status, stderr, stdout } = await runCommand(place, words, env)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(
        /^animal-store: The process \d+ on \S+ \(1\.0\.0-rc\.1\) is running .*: stop all nodes, then start this version\. .*\n$/,
      )
    }
    expect(await applied()).toEqual(before)
    await end()
    const served = await serveForTest(place)
    // This one is recorded at once.
    expect(await query(place, 'limits', `select pid from processes where id <> 'a'`)).toHaveLength(
      1,
    )
    expect(await served.end()).toBe(0)
  },
)

it.each(cases(places, ({ engine }) => engine === engines[0]))(
  '$release on $engine gets a later migration, too, and is refused where one was edited',
  async ({ engine, release }) => {
    const { place } = await loadRelease(engine, release)
    const migrate = (migrations: Migration[]) => migrateDatabase(place, 'publishing', migrations)
    const [schema, last] = publishingMigrations as [Migration, Migration]
    const sql = () => 'alter table projects add column later text;'
    const edited: Migration = { ...last, sql: (types) => last.sql(types) + sql() }
    const refused = () =>
      expect(migrate([schema, edited])).rejects.toThrow('was created by another program')
    if (!releases.includes(release)) await refused()
    await migrate([schema, last])
    await refused()
    await migrate([schema, last, { id: last.id + 1, name: 'later', sql }])
    expect(await query(place, 'publishing', 'select later from projects limit 1')).toHaveLength(1)
  },
)

async function expectEverything(known: Known, place: TestDatabase): Promise<void> {
  const served = await serveForTest(place)
  const { port } = served
  const store = (path: string, options: AskOptions = {}): Promise<Answer> =>
    served.ask(path, { key: known.key, ...options })
  const manage = (path: string, options: AskOptions = {}): Promise<Answer> =>
    served.askServer(`/api${path}`, { key: known.token, ...options })

  for (const [path, text] of Object.entries(known.lists)) {
    expect((await store(path)).text).toBe(text)
  }
  // The animal of this key exists: it is not created a second time.
  const [first] = JSON.parse(Object.values(known.lists)[0] ?? '[]')
  const { categoryId, name, status } = first
  const repeated = { body: { name, categoryId, status }, headers: { 'idempotency-key': 'pet-1' } }
  const json = (await store('/pets', repeated)).json as { id?: number; code?: string }
  // 1.0.0-rc.1 remembered requests in another form.
  expect([first.id, 'idempotency_key_reused']).toContain(json.id ?? json.code)
  expect((await store('/pets', { body: { name: 'New', categoryId: 1, status } })).status).toBe(201)

  const { domain, operator, project } = known
  expect((await manage(`/projects/${project.slug}`)).json).toMatchObject(project)
  const shown = await manage(`/projects/${project.slug}/domains/${domain.host}`)
  expect(shown.json).toMatchObject({
    host: domain.host,
    addedAt: domain.addedAt,
    verification: { value: domain.verification },
  })
  // The last check was stored by that release.
  expect(shown.text).not.toContain('"forms"')
  const origin = `http://localhost:${port}`
  const signIn = { key: null, headers: { origin }, body: { email: operator, password } }
  expect((await manage('/session', signIn)).status).toBe(201)
  const site = new URL(`http://${project.slug}.docs.localhost:${port}`)
  const page = await ask(port, site, '', '', { key: null })
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Feed twice a day.') })

  expect(await served.end()).toBe(0)
  const listed = await runCommand(place, ['keys', 'list', '--environment', 'production'])
  expect(listed).toMatchObject({ status: 0, stderr: '' })
}
