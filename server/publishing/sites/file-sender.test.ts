import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { askedRange, createBulkLane, readRange } from './file-sender.ts'

it('runs one task at a time, in order, even if others fail', async () => {
  const lane = createBulkLane()
  const events: string[] = []
  const open: (() => void)[] = []
  const job = (name: string, fails = false) =>
    lane(async () => {
      events.push(`${name} begins`)
      await new Promise<void>((resolve) => open.push(resolve))
      events.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const jobs = [job('a'), job('b', true), job('c')]
  const results = Promise.allSettled(jobs)
  for (let i = 0; i < jobs.length; i++) {
    await expect.poll(() => open.length, { interval: 1 }).toBe(i + 1)
    open[i]?.()
  }
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(events).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  expect(await jobs[2]).toBe('c')
})

it('pauses for as long as the last task took', async () => {
  const lane = createBulkLane()
  let ended = 0
  const first = lane(async () => {
    const start = performance.now()
    while (performance.now() - start < 20);
    ended = performance.now()
  })
  const began = await lane(async () => performance.now())
  await first
  expect(began - ended).toBeGreaterThan(15)
})

it.each([
  ['bytes=0-9', 100, [0, 9]],
  ['bytes=0-0', 100, [0, 0]],
  ['bytes=99-99', 100, [99, 99]],
  ['bytes=10-', 100, [10, 99]],
  ['bytes=0-', 100, [0, 99]],
  ['bytes=50-1000', 100, [50, 99]],
  ['bytes=-1', 100, [99, 99]],
  ['bytes=-100', 100, [0, 99]],
  ['bytes=-101', 100, [0, 99]],
  ['Bytes=0-9', 100, [0, 9]],
  ['bytes= 0-9 ', 100, [0, 9]],
  ['bytes=0-9,', 100, [0, 9]],
  ['bytes=,,0-9', 100, [0, 9]],
  ['bytes=007-09', 100, [7, 9]],
  [`bytes=0-${'9'.repeat(400)}`, 100, [0, 99]],
  ['bytes=100-', 100, 'unsatisfiable'],
  ['bytes=100-200', 100, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 100, 'unsatisfiable'],
  ['bytes=-0', 100, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=0-0', 0, 'unsatisfiable'],
  ['bytes=-0', 0, 'unsatisfiable'],
  // Malformed ranges, other units and multiple ranges get the full response.
  ['bytes=-5', 0, undefined],
  ['bytes=9-0', 100, undefined],
  ['bytes=0-1,5-6', 100, undefined],
  ['bytes=0-1, bytes=5-6', 100, undefined],
  ['bytes=-', 100, undefined],
  ['bytes=', 100, undefined],
  ['bytes', 100, undefined],
  ['', 100, undefined],
  ['items=0-9', 100, undefined],
  ['bytes=a-b', 100, undefined],
  ['bytes=0x1-2', 100, undefined],
  ['bytes=1.0-2', 100, undefined],
  ['bytes=--5', 100, undefined],
  ['bytes=+1-2', 100, undefined],
  ['bytes=1-2-3', 100, undefined],
  ['bytes 0-9', 100, undefined],
  ['bytes=0 - 9', 100, undefined],
] as const)('%s of %i bytes', (field, size, wanted) => {
  const expected = typeof wanted === 'object' ? { first: wanted[0], last: wanted[1] } : wanted
  expect(readRange(field, size)).toEqual(expected)
})

it('equals a slice of the bytes', () => {
  const end = fc.oneof(fc.constantFrom(''), fc.nat(40).map(String))
  fc.assert(
    fc.property(fc.tuple(end, end), fc.nat(30), ([from, to], size) => {
      const bytes = Array.from({ length: size }, (_, i) => i)
      const found = readRange(`bytes=${from}-${to}`, size)
      const isWellFormed = from === '' ? to !== '' : to === '' || Number(from) <= Number(to)
      if (!isWellFormed) {
        expect(found).toBeUndefined()
        return
      }
      const wanted =
        from === ''
          ? bytes.filter((at) => at >= size - Number(to))
          : bytes.filter((at) => at >= Number(from) && (to === '' || at <= Number(to)))
      if (typeof found === 'object') {
        expect(bytes.slice(found.first, found.last + 1)).toEqual(wanted)
        expect(wanted).not.toHaveLength(0)
      } else expect(wanted).toHaveLength(0)
    }),
    { numRuns: runs(2000) },
  )
})

it('never returns a range outside the file, for any request', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('', 'bytes=', 'bytes=1-'),
      fc.nat(20),
      (text, prefix, size) => {
        const found = readRange(prefix + text, size)
        if (typeof found !== 'object') return
        expect(found.first).toBeGreaterThanOrEqual(0)
        expect(found.last).toBeGreaterThanOrEqual(found.first)
        expect(found.last).toBeLessThan(size)
      },
    ),
  )
})

it('finds its headers among others, in any case, and joins repeated ones', () => {
  const others = ['Host', 'a', 'Accept', '*/*', 'X-Range', 'bytes=1-2', 'Prefer', 'range']
  expect(askedRange(others)).toBeUndefined()
  expect(askedRange([...others, 'If-Range', '"a"'])).toBeUndefined()
  expect(askedRange([...others, 'RANGE', 'bytes=0-1', 'IF-RANGE', '"a"'])).toEqual({
    range: 'bytes=0-1',
    ifRange: '"a"',
  })
  expect(askedRange(['range', 'bytes=0-1', 'Range', 'bytes=2-3'])).toEqual({
    range: 'bytes=0-1, bytes=2-3',
    ifRange: undefined,
  })
})
