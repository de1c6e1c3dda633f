// bench/seed/ writes to the tables directly: these tests compare it with the current migrations.

import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { migrateDatabase } from '../../server/kit/database/engines/open.ts'
import { publishingMigrations } from '../../server/publishing/database/migrations/publishing-migrations.ts'
import { storeMigrations } from '../../server/store/database/migrations/store-migrations.ts'
import { seedAnimals, seededAnimal } from './seed-animals.ts'
import { issueCertificates, seedDomains } from './seed-domains.ts'
import { seedSite } from './seed-site.ts'

const createFolder = () => mkdtempDisposableSync(join(tmpdir(), 'seed-test-'))

it('inserts the animals and sets the counters as the store does', async () => {
  using created = createFolder()
  const folder = created.path
  await migrateDatabase({ dataDir: folder, databaseUrl: undefined }, 'production', storeMigrations)
  await seedAnimals({ folder }, 101)

  const database = new DatabaseSync(join(folder, 'production.db'), { readOnly: true })
  const pets = database.prepare('SELECT id, name, category_id, status FROM pets ORDER BY id').all()
  const counted = database
    .prepare(
      `SELECT max(id) AS last_pet_id, count(*) FILTER (WHERE status = 'available') AS available,
         count(*) FILTER (WHERE status = 'pending') AS pending,
         count(*) FILTER (WHERE status = 'sold') AS sold FROM pets`,
    )
    .get()
  const kept = database
    .prepare('SELECT last_pet_id, available, pending, sold FROM store_state')
    .get()
  database.close()

  expect(pets.length).toBe(101)
  const { id, name, categoryId, status } = seededAnimal(101)
  expect(pets.at(-1)).toEqual({ id, name, category_id: categoryId, status })
  expect(kept).toEqual(counted)
})

it('inserts a site and its domains into the current tables', async () => {
  using created = createFolder()
  const folder = created.path
  const place = { dataDir: folder, databaseUrl: undefined }
  await migrateDatabase(place, 'publishing', publishingMigrations)
  const hosts = await issueCertificates(['docs-0.bench.example', 'docs-1.bench.example'])
  await seedSite({ folder }, 'bench', { 'guide.html': '<p>Guide</p>' })
  await seedDomains({ folder }, folder, { hosts, fillers: 51, directory: 'internal' })

  const database = new DatabaseSync(join(folder, 'publishing.db'), { readOnly: true })
  const domains = database
    .prepare(
      `SELECT d.project_id AS project, count(*) AS domains, count(DISTINCT c.id) AS certificates,
         count(DISTINCT f.path) AS files
       FROM domains d JOIN certificates c ON c.domain_id = d.id AND c.host = d.host
         JOIN projects p ON p.id = d.project_id
         JOIN deploy_files f ON f.project_id = p.id AND f.number = p.live_deploy
       GROUP BY d.project_id ORDER BY d.project_id`,
    )
    .all()
  database.close()
  const row = (project: string, count: number) => {
    return { project, domains: count, certificates: count, files: 1 }
  }
  expect(domains).toEqual([row('bench', 2), row('filler-1', 50), row('filler-2', 1)])
})
