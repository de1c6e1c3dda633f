import { expect, test } from 'vitest'
import { closingLine, type Report } from './closing-line.ts'

const fine = { lint: 0, types: 0, tests: 0 }
const report = (passed: number, failed: number, brokenFiles = 0): Report => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults: [
    { status: failed > 0 ? 'failed' : 'passed', assertionResults: [{}] },
    ...Array.from({ length: brokenFiles }, () => ({ status: 'failed', assertionResults: [] })),
  ],
})

test.each([
  ['everything passed', report(3, 0), fine, '3 passed, 0 failed', 0],
  ['a test failed', report(2, 1), { ...fine, tests: 1 }, '2 passed, 1 failed', 1],
  ['a file could not be loaded', report(2, 0, 1), { ...fine, tests: 1 }, '2 passed, 1 failed', 1],
  ['an error outside any test', report(2, 0), { ...fine, tests: 1 }, '2 passed, 1 failed', 1],
  ['no test ran', report(0, 0), fine, '0 passed, 1 failed', 1],
  ['vitest wrote no report', undefined, { ...fine, tests: 1 }, '0 passed, 1 failed', 1],
  ['lint failed', report(3, 0), { ...fine, lint: 1 }, '3 passed, 1 failed', 1],
  ['types failed too', report(2, 1), { lint: 1, types: 2, tests: 1 }, '2 passed, 3 failed', 1],
])('%s', (_, given, statuses, line, status) => {
  expect(closingLine(given, statuses)).toEqual({ line, status })
})
