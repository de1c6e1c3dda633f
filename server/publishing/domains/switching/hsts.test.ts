import { expect, it } from 'vitest'
import { formatSpan, readHsts } from './hsts.ts'

it.each([
  ['max-age=31536000', { maxAgeSeconds: 31_536_000, includesSubdomains: false }],
  [
    ' includeSubDomains ; MAX-AGE = "300"; preload',
    { maxAgeSeconds: 300, includesSubdomains: true },
  ],
  ['max-age=0', undefined],
  ['includeSubDomains', undefined],
  ['max-age=1; max-age=2', undefined],
  ['max-age=soon', undefined],
  [undefined, undefined],
])('reads the policy %j', (header, policy) => {
  expect(readHsts(header)).toEqual(policy)
})

it.each([
  [31_536_000, '365 days'],
  [100_000, '27 hours'],
  [300, '5 minutes'],
  [1, '1 second'],
])('writes %i seconds', (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text)
})
