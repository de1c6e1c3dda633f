// A walk along the pages of a category returns every animal exactly once, in both directions.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#kit/clock.ts'
import type { Awaitable } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { runs } from '../../../test/cases.ts'
import { createTestDatabase, engines } from '../../../test/database.ts'
import { writeStore } from '../changes/store-write.ts'
import type { Page, Position } from '../operations/pages.ts'
import { prepareStore } from '../prepare-store.ts'
import { createPet } from './change-pets.ts'
import { countPets, pets } from './list-pets.ts'

it.each(engines)('on %s', async (engine) => {
  const { release, ...where } = await createTestDatabase(engine)
  await prepareStore(where, systemClock)
  const database = openDatabase(where, 'production', { onError: () => {} })
  onTestFinished(async () => {
    await database.close()
    await release()
  })
  const made: { id: bigint; category: bigint; status: string }[] = []
  for (let i = 1; i <= 60; i++) {
    const category = i % 7 === 0 || (i > 40 && i < 50) ? 1n : 2n
    const status = i % 2 ? 'available' : 'sold'
    const pet = { name: `No. ${i}`, categoryId: category, status, use: undefined, now: 1 } as const
    await database.write(writeStore, createPet(pet))
    made.push({ id: BigInt(i), category, status })
  }

  const cases = fc.record({
    category: fc.constantFrom(1n, 2n, 3n),
    status: fc.constantFrom(undefined, 'available' as const, 'sold' as const),
    limit: fc.integer({ min: 1, max: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ category, limit, status }) => {
      const filter = { status, categoryId: category }
      const expected = made
        .filter((one) => one.category === category && (!status || one.status === status))
        .map(({ id }) => id)
      const read = (position: Position | undefined): Awaitable<Page> =>
        pets.read(database.read, filter, limit, position)
      const there: unknown[] = []
      let last: Page
      for (let position: Position | undefined; ; position = last.next) {
        last = await read(position)
        expect(last.rows.length).toBeLessThanOrEqual(limit)
        there.push(...last.rows.map(([id]) => id))
        if (!last.next) break
      }
      expect(there).toEqual(expected)
      expect(await countPets(database.read, filter)).toBe(BigInt(expected.length))
      const back: unknown[] = last.rows.map(([id]) => id)
      while (last.prev) {
        last = await read(last.prev)
        back.unshift(...last.rows.map(([id]) => id))
      }
      expect(back).toEqual(expected)
    }),
    { numRuns: runs(50) },
  )
})
