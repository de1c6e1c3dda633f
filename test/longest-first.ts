// The order of the test files. Vitest starts with the slowest files of the last run, or with the largest ones. On a new
// machine some of the slowest are small files, and one of them would run alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Prefixes of paths of slow tests in small files. */
export const long: readonly string[] = [
  'test/accounts/command-line.test.ts',
  'test/api/keys.test.ts',
  'test/browser/',
  'test/command-line/api.test.ts',
  'test/faults/kill-under-load.test.ts',
  'test/fuzz/fuzz.long.test.ts',
  'test/publishing/kill-during-deploy.test.ts',
  'test/publishing/large-deploys.long.test.ts',
  'test/start.test.ts',
  'test/transfer/many.long.test.ts',
  'test/transfer/round-trip.test.ts',
  'test/webhooks/processes.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files), this.ctx.config.root, ({ moduleId }) => moduleId)
  }
}

/** Sorts slow files first; both groups keep their order. */
export function longFirst<File>(
  files: readonly File[],
  root: string,
  pathOf: (file: File) => string,
): File[] {
  const isLong = (file: File): boolean =>
    long.some((beginning) => pathOf(file).startsWith(`${root}/${beginning}`))
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
}
