// How the tests run: unit tests beside the code, journeys in test/, one PostgreSQL for the run.
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'data/**', '.cache/**'],
    globalSetup: ['test/builds.ts', 'test/postgres-for-run.ts'],
    pool: 'forks',
    // One more than the two cores of a small machine: many tests wait, for disks, time-outs and browsers.
    maxWorkers: 3,
    // What one file imports, the next that runs in its process need not load again. So a file leaves nothing
    // behind in modules, in globals or in the environment.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Generous: what hangs is seen all the same, and a machine that is busy with other things is no fault.
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // Where others share the machine, what failed by time alone gets one more try; both are in the report.
    retry: process.env.CI ? 1 : 0,
    allowOnly: false,
    passWithNoTests: false,
  },
})
