// Migrations beside other sessions, and databases whose migrations differ from the program's.
// In npm test: test/upgrades/upgrades.test.ts.
import { describe, expect, it } from 'vitest'
import { migrateDatabase } from '#kit/database/engines/open.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { engines, type TestDatabase } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'
import { loadRelease } from '../upgrades/release-data.ts'
import { connectTo } from './postgres-client.ts'

const later = {
  id: 1 + (storeMigrations.at(-1)?.id ?? 0),
  name: 'later',
  sql: () => 'alter table pets add column later text',
}

const start = (place: TestDatabase) =>
  runCommand(place, ['keys', 'list', '--environment', 'production'])

describe.runIf(engines.includes('postgres'))('a migration while another session has a lock', () => {
  it('says who holds it, lets readers pass, and runs when it is free', async () => {
    const place = await placeForTest('postgres')
    const backup = await connectTo(place)
    await backup.query(`set application_name = 'backup of the test'`)
    await backup.query('begin; lock table production.pets in access share mode')
    const { pid } = (await backup.query('select pg_backend_pid() as pid')).rows[0]
    let report: (message: string) => void
    const reported = new Promise<string>((resolve) => {
      report = resolve
    })
    const migrated = migrateDatabase(place, 'production', [...storeMigrations, later], (message) =>
      report(message),
    )
    const message = await reported
    expect(message).toContain(`Migration ${later.id} (later) of the database production waits`)
    expect(message).toContain(`backup of the test (process ${pid}, user postgres, since `)
    const reader = await connectTo(place)
    expect((await reader.query('select * from production.pets')).rows).toEqual([])
    await backup.query('commit')
    await migrated
    const { fields } = await reader.query('select * from production.pets')
    expect(fields.map(({ name }) => name)).toContain('later')
  })
})

it.runIf(engines.includes('postgres'))(
  'a start with a database that was upgraded from 1.0.0-rc.1 waits for no lock',
  async () => {
    const { place } = await loadRelease('postgres', '1.0.0-rc.1')
    const migrate = () => migrateDatabase(place, 'production', storeMigrations)
    await migrate()
    const other = await connectTo(place)
    await other.query(`select pg_advisory_lock(hashtext('animal-store migrations of production'))`)
    await migrate()
  },
)

describe.each(engines)('a migration that fails on %s', (engine) => {
  it('leaves the database as it was, also for the program of before', async () => {
    const place = await placeForTest(engine)
    await migrateDatabase(place, 'production', storeMigrations)
    const before = await change(place, 'checksum = checksum')
    const failing = {
      ...later,
      sql: () => `${later.sql()}; create table half_done (id int); delete from api_keys;
        insert into missing_table values (1)`,
    }
    const columnsOf = async (table: string) =>
      await query(place, 'production', `select * from ${table}`)
    const run = (...migrations: (typeof later)[]) =>
      migrateDatabase(place, 'production', [...storeMigrations, ...migrations])
    await query(place, 'production', `insert into categories (id, name) values (7, 'Kept')`)
    await expect(run(failing)).rejects.toThrow(/missing_table/)
    await expect(columnsOf('half_done')).rejects.toThrow(/half_done/)
    expect(await change(place, 'checksum = checksum')).toEqual(before)
    const { status, stderr } = await start(place)
    expect(status, stderr).toBe(0)
    expect(await columnsOf('categories')).toMatchObject([{ name: 'Kept' }])
    await run(later)
    expect(await change(place, 'checksum = checksum')).toHaveLength(before.length + 1)
  })
})

describe.each(engines)('the checksums of migrations on %s', (engine) => {
  const migrate = (place: TestDatabase) => migrateDatabase(place, 'production', storeMigrations)

  it('a database with another migration is refused', async () => {
    const place = await placeForTest(engine)
    await migrate(place)
    await change(place, `checksum = 'other' where id = 4`)
    const { status, stderr } = await start(place)
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^animal-store: The database production was created by another program: its migration 4 \([^)]+\) differs .* start the one of commit ed066757 with it first/,
    )
  })

  it('a migration that was applied without a checksum gets its own', async () => {
    const place = await placeForTest(engine)
    await migrate(place)
    const before = await change(place, 'checksum = null where id = 4')
    expect(before.filter((checksum) => checksum === null)).toHaveLength(1)
    expect((await start(place)).status).toBe(0)
    const after = await change(place, 'checksum = checksum')
    expect(after).toHaveLength(storeMigrations.length)
    for (const checksum of after) expect(checksum).toMatch(/^[0-9a-f]{64}$/)
  })
})

/** Changes rows of the applied migrations; returns the checksums. */
async function change(place: TestDatabase, text: string): Promise<unknown[]> {
  await query(place, 'production', `update migrations set ${text}`)
  const rows = await query(place, 'production', 'select checksum from migrations order by id')
  return rows.map(({ checksum }) => checksum)
}
