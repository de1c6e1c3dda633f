// Many animals and projects are moved to PostgreSQL: by name, with
// `MIGRATE_ANIMALS=1000000 MIGRATE_PROJECTS=1000 npm run test:long -- migrate-many`. It prints what `migrate-to` says.
// In npm test: test/backups/migrate-to.test.ts.
import { describe, expect, it, onTestFinished } from 'vitest'
import { engines } from '../database.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { startStore } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { runWithInput } from '../transfer/run-with-input.ts'
import { emptyPlace, placeForTest, type TableSum } from './backups-in-test.ts'

const animals = Number(process.env.MIGRATE_ANIMALS ?? 20_000)
const projects = Number(process.env.MIGRATE_PROJECTS ?? 20)
const projectsOfPlan = 100
const hour = 3_600_000

function* lines(): Generator<string> {
  yield 'name,categoryId,status\n'
  for (let i = 1; i <= animals; ) {
    let text = ''
    for (const end = Math.min(animals, i + 999); i <= end; i++)
      text += `Animal ${i},${i % 50},available\n`
    yield text
  }
}

describe.each(engines)('migrate-to from %s', (engine) => {
  it(`moves ${animals} animals and ${projects} projects`, { timeout: hour }, async () => {
    const place = await placeForTest(engine)
    const store = await startStore(engine, { place, now: Date.now() })
    onTestFinished(() => store.release())
    const { member } = await peopleAt(store.running.config.httpPort, store.setUpToken ?? '')
    let owner = await member('paid')
    for (let i = 0; i < projects; i++) {
      if (i % projectsOfPlan === projectsOfPlan - 1) owner = await member('paid')
      const slug = `project-${i}`
      await owner.create(slug)
      const page = (name: string) =>
        `<h1>${slug} ${name}</h1>${`<p>${slug} ${name}</p>`.repeat(200)}`
      await owner.deployFolder(slug, { 'index.html': page('start'), 'a.html': page('a') })
    }
    const imported = ['animals', 'import', '-', '--environment', 'production']
    expect(await runWithInput(place, imported, lines())).toMatchObject({ status: 0 })

    const target = await emptyPlace('postgres')
    const url = new URL(target.databaseUrl as string)
    const PGPASSWORD = url.password
    url.password = ''
    const start = performance.now()
    const { status, stderr, stdout } = await runCommand(place, ['migrate-to', url.href, '--json'], {
      PGPASSWORD,
    })
    const seconds = Math.round((performance.now() - start) / 1000)
    expect(status, stderr).toBe(0)
    const moved = JSON.parse(stdout) as {
      readOnlyMs: number
      rows: object
      tables: (TableSum & { target: object })[]
    }
    for (const { rows, sha256, target } of moved.tables) expect(target).toEqual({ rows, sha256 })
    const pets = moved.tables.find(
      ({ database, table }) => database === 'production' && table === 'pets',
    )
    expect(pets?.rows).toBeGreaterThanOrEqual(animals)
    console.log(`${engine}: ${seconds} s, read-only ${moved.readOnlyMs} ms`, moved.rows, stderr)
  })
})
