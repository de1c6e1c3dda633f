// Follows the links of a list of thousands while 8 clients insert: each animal is returned exactly once, and none that
// becomes visible late is skipped.

import { describe, expect, it } from 'vitest'
import { each } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { insertPets } from '#store/animals/change-pets.ts'
import { cases, isLong } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { linkOf } from '../linked-pages.ts'
import { placeForTest } from '../place-for-test.ts'
import { repeatUntilFinished } from '../repeat-until-finished.ts'
import { serveForTest } from './processes.ts'
import { type Pet, Shop } from './shop.ts'

const animals = isLong ? 10_000 : 2_000
const inserters = 8

describe.each(cases(engines))('reading all pages while others insert, on %s', (engine) => {
  it('returns each animal exactly once, forwards and backwards', async () => {
    const place = await placeForTest(engine)
    const served = await serveForTest(place, { WORKERS: '2' })
    await fill(place)
    const shop = new Shop(served.port, served.keys.production)
    const inserting = insertInto([shop])

    const pages = await shop.pages('/pets?limit=100')
    const forwards = pages.flatMap(({ json }) => json as Pet[])
    // The end keeps moving: the pages must have all animals up to the last one returned.
    expectWhole(forwards.map(({ id }) => id))
    expect(forwards.length).toBeGreaterThan(animals)

    const end = pages.at(-1)?.path as string
    const backwards = (await shop.pages(end, 'prev')).reverse().flatMap(({ json }) => json as Pet[])
    expectWhole(backwards.map(({ id }) => id))
    expect(backwards.length).toBeGreaterThanOrEqual(forwards.length)

    await inserting.finish()
    // With a filter, too: every third animal.
    const sold = await shop.walk('/pets?status=sold&limit=100')
    const all = await shop.walk('/pets?limit=100')
    expect(sold).toEqual(all.filter(({ status }) => status === 'sold'))
  })
})

describe.runIf(engines.includes('postgres'))('a walk while two servers insert', () => {
  it('never skips an animal that became visible late', async () => {
    const place = await placeForTest('postgres')
    const first = await serveForTest(place)
    const second = await serveForTest(place)
    const shops = [first, second].map(({ port }) => new Shop(port, first.keys.production))
    const inserting = insertInto(shops)
    const reader = (shops[0] as Shop).connection()
    // Reads close to the end, where a gap would be visible.
    const seen: number[] = []
    let at = '/pets?limit=3'
    for (let turns = 0; turns < 300; turns++) {
      const response = await (shops[turns % 2] as Shop).ask(at, turns % 2 ? {} : { agent: reader })
      const ids = (response.json as Pet[]).map(({ id }) => id)
      const next = linkOf(response, 'next')
      // A page without next is requested again, as a polling client does.
      if (next) {
        seen.push(...ids)
        at = next
      } else expectWhole([...seen, ...ids])
    }
    await inserting.finish()
    expect(seen.length).toBeGreaterThan(100)
    expectWhole(seen)
    const all = await (shops[1] as Shop).walk('/pets?limit=100')
    expectWhole(all.map(({ id }) => id))
  })
})

/** Ids are consecutive in these tests, so all ids below the last one are expected. */
function expectWhole(ids: number[]): void {
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1))
}

async function fill(place: TestDatabase): Promise<void> {
  const database = openDatabase(place, 'production', { onError: () => {} })
  const names = Array.from({ length: 1000 }, (_, i) => `first ${i}`)
  const work = each(insertPets)
  for (let done = 0; done < animals; done += names.length) {
    const pets = names.map((name, i) => ({
      name,
      categoryId: i,
      status: (['available', 'pending', 'sold'] as const)[i % 3] ?? 'sold',
    }))
    await database.write(work, pets)
  }
  await database.close()
}

function insertInto(shops: Shop[]) {
  return repeatUntilFinished(
    Array.from({ length: inserters }, (_, n) => {
      const shop = shops[n % shops.length] as Shop
      const agent = shop.connection()
      return async (i) => {
        const response = await shop.create(`later ${n} ${i}`, undefined, { agent })
        if (response.status !== 201) throw new Error(`${response.status} ${response.text}`)
      }
    }),
  )
}
