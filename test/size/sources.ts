import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path and text of each file that is committed or will be. */
export function readSources(root: string): Map<string, string> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
  const paths = stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}
