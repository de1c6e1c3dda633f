// Run by test/run, and vitest's global set-up: builds the program and the dashboard if a source is newer than the last build.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Builds as `npm start` does; the tests never run the program from its sources. */
const script =
  '. "$root/install.sh" && build_dashboard && build_program && [ "$program" != "$root/server/cli/main.ts" ]'

export function setup(): void {
  const env = { ...process.env, root, node: process.execPath }
  const { status } = spawnSync('sh', ['-c', script], {
    cwd: root,
    env: { ...env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('the builds failed; the output is above')
}

if (import.meta.main) setup()
