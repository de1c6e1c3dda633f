// Every hostile file gives the same result for any size of chunks.
import { describe, expect, it } from 'vitest'
import { addBatch, emptyResult } from '#store/transfer/import-pets.ts'
import { createPetReader } from '#store/transfer/read-pets.ts'
import { cases } from '../cases.ts'
import { type HostileFile, hostileFiles } from './hostile-files.ts'

function read({ content, form }: HostileFile, chunkBytes: number) {
  const bytes = Buffer.from(content as string)
  const reader = createPetReader(form)
  const result = emptyResult()
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    addBatch(result, reader.push(bytes.subarray(at, at + chunkBytes)), 100)
  }
  addBatch(result, reader.end(), 100)
  return result
}

describe.each(cases([7, 1, 4099, Number.MAX_SAFE_INTEGER]))(
  'in chunks of %d bytes',
  (chunkBytes) => {
    // Long files in small chunks would only take time.
    const files = hostileFiles.filter(({ content }) => content.length < chunkBytes * 50_000)
    it.each(files)('$form that $name', (file) => {
      const { checked, problems, rejected } = read(file, chunkBytes)
      const said = problems.map(({ line, message }) => `line ${line}: ${message}`)
      expect(said).toEqual(
        file.problems.map((p) => (typeof p === 'string' ? p : expect.stringMatching(p))),
      )
      expect(checked - rejected).toBe(file.good)
    })
  },
)

it('reports the line in a field whose beginning is no longer in memory', () => {
  const before = `name,categoryId\n${'x'.repeat(70_000)}`
  const reader = createPetReader('csv')
  const result = emptyResult()
  for (const piece of [before, '"y,1\nMo,1\n']) addBatch(result, reader.push(Buffer.from(piece)), 5)
  addBatch(result, reader.end(), 5)
  expect(result).toMatchObject({ checked: 2, problems: [{ line: 2 }] })
})

it('takes linear time for input that could cause backtracking', () => {
  for (const [form, content] of [
    ['csv', `name,categoryId\n${'x"'.repeat(4_000_000)}`],
    ['csv', `name,categoryId\n${'"",'.repeat(3_000_000)}`],
    ['csv', `name,categoryId\n${'R,1\n'.repeat(400_000)}`],
    ['json', `[${'{"a":['.repeat(1_000_000)}`],
    ['ndjson', '{"name":"'.repeat(1_000_000)],
  ] as const) {
    const before = process.cpuUsage()
    read({ name: '', form, content, problems: [], good: 0 }, Number.MAX_SAFE_INTEGER)
    const { user } = process.cpuUsage(before)
    // In quadratic time it would take hours.
    expect(user / 1e6, form).toBeLessThan(20)
  }
})
