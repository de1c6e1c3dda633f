// Vitest's global set-up: the dashboard as its sources are by now, because the program serves what was built.
// One line says so when it has to be built; nothing is done where it is as new as its sources.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The same that `npm start` does. */
const script = '. "$root/install.sh" && build_dashboard'

export function setup(): void {
  const env = { ...process.env, root, node: process.execPath }
  const { status } = spawnSync('sh', ['-c', script], {
    cwd: root,
    env: { ...env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error('the dashboard could not be built; the output is above')
}
