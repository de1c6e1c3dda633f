// An export can be imported as the same animals: any valid name, every int64, in every format, on both engines, in
// chunks of any size.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { exportPets } from '#store/transfer/export-pets.ts'
import { forms } from '#store/transfer/forms.ts'
import { importPets } from '#store/transfer/import-pets.ts'
import { cases, runs } from '../cases.ts'
import { createTestDatabase, engines } from '../database.ts'
import { shared } from '../shared.ts'

const options = { keepGoing: false, maxProblems: 5 }
const controls = /\p{Cc}/u
const anyName = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(...'",;\\[]{}: =@+-\u2028\uFEFF\u00A0🐈a'),
      minLength: 1,
      maxLength: 12,
    }),
  )
  .filter((text) => text.isWellFormed() && !controls.test(text) && /[^\p{White_Space}]/u.test(text))
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, 0n),
)
const pet = fc.record({
  name: anyName,
  categoryId: int64,
  status: fc.constantFrom('available', 'pending', 'sold'),
})

describe.each(cases(engines))('on %s', (engine) => {
  const place = shared(() => createTestDatabase(engine))
  const open = (name: string) => shared(() => openDatabase(place, name, { onError: () => {} }))
  const [first, second] = [open('production'), open('staging')]

  const texts = async (database: Database, form: (typeof forms)[number]): Promise<string> => {
    let text = ''
    for await (const part of exportPets(database, form, undefined)) text += part.text
    return text
  }
  const withoutIds = (text: string): string[] =>
    (text.match(/[^\n]+/g) ?? []).map((line) => line.replace(/^\{"id":\d+,/, ''))

  it.each(cases(forms))('%s', async (form) => {
    let kept: string[] = withoutIds(await texts(first, 'ndjson'))
    let moved: string[] = withoutIds(await texts(second, 'ndjson'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(pet, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 200 }),
        async (pets, chunkBytes) => {
          // Import NDJSON, export in the format, import that in chunks, export as NDJSON.
          const lines = pets.map(
            ({ name, categoryId, status }) =>
              `"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
          )
          const input = lines.map((line) => `{${line}\n`).join('')
          const taken = await importPets(first, pieces(input, 1e6), { ...options, form: 'ndjson' })
          expect(taken).toMatchObject({ imported: pets.length, problems: [] })
          kept = [...kept, ...lines]
          expect(withoutIds(await texts(first, 'ndjson'))).toEqual(kept)
          const text = await texts(first, form)
          const again = await importPets(second, pieces(text, chunkBytes), { ...options, form })
          expect(again).toMatchObject({ imported: kept.length, problems: [] })
          moved = [...moved, ...kept]
          expect(withoutIds(await texts(second, 'ndjson'))).toEqual(moved)
        },
      ),
      { numRuns: runs(25) },
    )
  })

  it.each(cases(forms))('%s of many pages', async (form) => {
    const input = '{"name":"Rex","categoryId":1}\n'.repeat(5000)
    await importPets(first, pieces(input, 1e6), { ...options, form: 'ndjson' })
    const kept = withoutIds(await texts(first, 'ndjson'))
    const before = withoutIds(await texts(second, 'ndjson'))
    const text = await texts(first, form)
    await importPets(second, pieces(text, 1e5), { ...options, form })
    expect(withoutIds(await texts(second, 'ndjson'))).toEqual([...before, ...kept])
  })
})

async function* pieces(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}
