import { expect, it } from 'vitest'
import { compareVersions } from './compare-versions.ts'

it('orders versions as Semantic Versioning does', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
  expect(compareVersions('1.0.0+build.2', '1.0.0')).toBe(0)
})
