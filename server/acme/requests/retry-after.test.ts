import { expect, it } from 'vitest'
import { readRetryAfter } from './read-response.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
const dayMs = 86_400_000

it.each([
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['0', now],
  [' 120 ', now + 120_000],
  ['999999999999999999999', now + 30 * dayMs],
  ['Tue, 01 Jan 2030 00:02:00 GMT', now + 120_000],
  ['Tuesday, 01-Jan-30 00:02:00 GMT', now + 120_000],
  ['Tue Jan  1 00:02:00 2030', now + 120_000],
  ['Mon, 31 Dec 2029 23:00:00 GMT', now],
  ['Fri, 01 Jan 2100 00:00:00 GMT', now + 30 * dayMs],
  ['2030-01-02', undefined],
  ['Tue, 99 Jan 2030 00:02:00 GMT', undefined],
])('%s', (field, time) => {
  expect(readRetryAfter(field, now)).toBe(time)
})
