// How the tests run: unit tests beside the code, journeys in test/, copied databases (test/databases-for-run.ts), two tiers
// (test/cases.ts).
import { defineConfig } from 'vitest/config'
import { isLong } from './test/cases.ts'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'data/**',
      '.cache/**',
      ...(isLong ? [] : ['**/*.long.test.ts']),
    ],
    globalSetup: ['test/seed.ts', 'test/builds.ts', 'test/databases-for-run.ts'],
    setupFiles: ['test/processor-times.ts', 'test/seeded-properties.ts'],
    runner: 'test/skipping-runner.ts',
    pool: 'forks',
    execArgv: ['--import', new URL('test/built-workers.ts', import.meta.url).href],
    // Node loads the sources as they are, and keeps what it compiled (NODE_COMPILE_CACHE): no module is transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Three more than the two cores of a small machine: many tests wait for disks, timeouts and browsers.
    maxWorkers: 5,
    // Test files in one process share loaded modules. So no file leaves changes in modules, globals or the
    // environment.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Long enough for a busy machine; a test that hangs still fails.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 25 } },
    // By npm run coverage, and by npm run check -- --coverage for the unit tests alone.
    coverage: {
      provider: 'v8',
      // Components run in Chromium only.
      include: ['client/**/*.ts', 'dashboard/**/*.ts', 'lab/**/*.ts', 'server/**/*.ts'],
      exclude: ['**/*.test.ts', 'dashboard/dist/**'],
      reporter: ['text-summary', 'html'],
      reportsDirectory: '.cache/coverage',
    },
    allowOnly: false,
    passWithNoTests: false,
  },
})
