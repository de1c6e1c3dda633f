// The last lines of test/run, from vitest's JSON report: what was skipped and why, and `N passed, N failed, N skipped`; and
// its exit status.
// Invariant: the status is 0 only if tests ran, none failed, and every command exited with 0.
import { existsSync, readFileSync } from 'node:fs'

/** The part of vitest's JSON report that is used here. */
export interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { status: string; assertionResults: TestResult[] }[]
}

interface TestResult {
  status: string
  meta?: { needs?: string }
}

/**
 * `statuses` are the exit statuses of lint, types and tests. Each of these counts as one failure: lint, types, a test
 * file that could not be loaded, an error outside any test.
 */
export function closingLine(
  report: Report | undefined,
  statuses: { lint: number; types: number; tests: number },
): { line: string; status: 0 | 1 } {
  const passed = report?.numPassedTests ?? 0
  const broken = report?.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  let failed = (report?.numFailedTests ?? 0) + (broken?.length ?? 0)
  if (failed === 0 && (statuses.tests !== 0 || passed === 0)) failed = 1
  if (statuses.lint !== 0) failed += 1
  if (statuses.types !== 0) failed += 1
  const skipped = report?.numPendingTests ?? 0
  return {
    line: `${passed} passed, ${failed} failed, ${skipped} skipped`,
    status: failed === 0 ? 0 : 1,
  }
}

/** One line for each thing that is missing on this machine, with the number of tests skipped for it. */
export function skippedLines(report: Report | undefined): string[] {
  const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []
  const skipped = tests.filter(({ status }) => status === 'skipped' || status === 'pending')
  const reasons = Map.groupBy(skipped, ({ meta }) => meta?.needs)
  return [...reasons].map(([needs, { length }]) =>
    needs === undefined
      ? `skipped: ${length} not selected (-t), or skipped by themselves`
      : `skipped: ${length} that need ${needs}, which is missing on this machine`,
  )
}

if (import.meta.main) {
  const [path = '', ...named] = process.argv.slice(2)
  const statuses: Record<string, number> = Object.fromEntries(
    named.map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])]),
  )
  const report = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : undefined
  const { lint = 1, types = 1, tests = 1 } = statuses
  for (const [name, status] of Object.entries({ lint, types, tests })) {
    if (status !== 0) console.log(`${name}: failed, see above`)
  }
  for (const skipped of skippedLines(report)) console.log(skipped)
  const { line, status } = closingLine(report, { lint, types, tests })
  console.log(line)
  process.exitCode = status
}
