import { expect, test } from 'vitest'
import { closingLine, type Report, skippedLines } from './closing-line.ts'

const fine = { lint: 0, types: 0, tests: 0 }
const report = (passed: number, failed: number, brokenFiles = 0): Report => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: 0,
  testResults: [
    { status: failed > 0 ? 'failed' : 'passed', assertionResults: [{ status: 'passed' }] },
    ...Array.from({ length: brokenFiles }, () => ({ status: 'failed', assertionResults: [] })),
  ],
})

test.each([
  ['everything passed', report(3, 0), fine, [3, 0], 0],
  ['a test failed', report(2, 1), { ...fine, tests: 1 }, [2, 1], 1],
  ['a file could not be loaded', report(2, 0, 1), { ...fine, tests: 1 }, [2, 1], 1],
  ['an error outside any test', report(2, 0), { ...fine, tests: 1 }, [2, 1], 1],
  ['no test ran', report(0, 0), fine, [0, 1], 1],
  ['vitest wrote no report', undefined, { ...fine, tests: 1 }, [0, 1], 1],
  ['lint failed', report(3, 0), { ...fine, lint: 1 }, [3, 1], 1],
  ['types failed too', report(2, 1), { lint: 1, types: 2, tests: 1 }, [2, 3], 1],
])('%s', (_, given, statuses, [passed, failed], status) => {
  const line = `${passed} passed, ${failed} failed, 0 skipped`
  expect(closingLine(given, statuses)).toEqual({ line, status })
})

test('says how many tests were skipped, for what, and how many for no such reason', () => {
  const skipped = (needs?: string) => ({ status: 'skipped', meta: needs ? { needs } : {} })
  const assertionResults = [skipped('caddy'), { status: 'passed' }, skipped(), skipped('caddy')]
  const given = {
    ...report(1, 0),
    numPendingTests: 3,
    testResults: [{ status: 'passed', assertionResults }],
  }
  expect(skippedLines(given)).toEqual([
    'skipped: 2 that need caddy, which is missing on this machine',
    'skipped: 1 not selected (-t), or skipped by themselves',
  ])
  expect(closingLine(given, fine).line).toBe('1 passed, 0 failed, 3 skipped')
})
