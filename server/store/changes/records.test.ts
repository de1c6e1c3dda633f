// On SQLite a write finds each record that it names by an index: its time under the lock does not grow with the others.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createWriteSession } from '#kit/database/engines/sqlite.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { openRecords } from './records.ts'

it('finds records by their ids, and open orders by their animals', async () => {
  const { dataDir, release } = await createTestDatabase('sqlite')
  onTestFinished(release)
  const connection = new DatabaseSync(join(dataDir, 'production.db'))
  onTestFinished(() => connection.close())
  const session = createWriteSession(connection, () => {})
  const steps: unknown[] = []
  const explaining: typeof session = {
    ...session,
    all(query, params) {
      const plan = connection.prepare(`explain query plan ${query.on('sqlite').sql}`).all()
      steps.push(...plan.map(({ detail }) => detail))
      return session.all(query, params)
    },
  }
  await openRecords(explaining, [{ pets: [1n], heldPets: [1n], orders: [1n], categories: [1n] }])
  expect(steps.length).toBeGreaterThan(5)
  const byOther = steps.filter((step) => !/\((rowid|pet_id)=\?\)|store_state|LIST/.test(`${step}`))
  expect(byOther).toEqual([])
})
