// The clock of the database and that of the process, on one machine.

import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#kit/database/engines/open.ts'
import { readClockSkewMs, readDatabaseClock } from '#kit/database/read-clock.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'

it.each(cases(engines))('on %s they do not differ on the same machine', async (engine) => {
  const place = await placeForTest(engine)
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  onTestFinished(() => database.close())
  // Whole milliseconds of both: a rounded one would be ahead of what is measured here.
  for (let n = 0; n < 50; n++) expect(await readClockSkewMs(database)).toBe(0)
  const sent = Date.now()
  expect(await readDatabaseClock(database)).toBeGreaterThanOrEqual(sent)
})
