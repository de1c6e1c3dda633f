// The order of the test files. Vitest begins with what took long the last time, or else with what is large;
// on a fresh machine some of the longest are small files, and one would be left to run alone in the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Beginnings of paths: what takes long though its files are small. */
export const long: readonly string[] = [
  'test/accounts/command-line.test.ts',
  'test/api/keys.test.ts',
  'test/browser/',
  'test/faults/kill-under-load.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/publishing/kill-during-deploy.test.ts',
  'test/publishing/large-deploys.test.ts',
  'test/start.test.ts',
  'test/transfer/many.test.ts',
  'test/transfer/round-trip.test.ts',
  'test/webhooks/command-line.test.ts',
  'test/webhooks/processes.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files), this.ctx.config.root, ({ moduleId }) => moduleId)
  }
}

/** The same files: those that take long, then the others, both in the order in which they were. */
export function longFirst<File>(
  files: readonly File[],
  root: string,
  pathOf: (file: File) => string,
): File[] {
  const isLong = (file: File): boolean =>
    long.some((beginning) => pathOf(file).startsWith(`${root}/${beginning}`))
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
}
