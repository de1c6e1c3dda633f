// The steps of the container file, as plain commands with the packed program.
// In npm test: test/operating/containerfile.test.ts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Runs a script of ops/ without the environment of the tests, which pack in another way. */
function runScript(name: string, ...words: string[]) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH: `${PATH}:/usr/sbin:/sbin`, HOME, PACK_LEVEL: '1' }
  const options = { cwd: root, env, encoding: 'utf8', timeout: 110_000 } as const
  return spawnSync('sh', [join(root, 'ops', name), ...words], options)
}

it('works by its steps as plain commands: healthy, on a read-only root, and stopped by a signal', {
  timeout: 240_000,
}, (test) => {
  const check = runScript('try-container', '--check')
  if (check.status === 77) {
    Object.assign(test.task.meta, { needs: check.stderr.trim() })
    test.skip()
  }
  expect(check.status, check.stderr).toBe(0)
  const folder = mkdtempSync(join(tmpdir(), 'container-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const packed = runScript('pack', folder)
  expect(packed.status, packed.stderr).toBe(0)
  const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz')) ?? ''
  const tried = runScript('try-container', join(folder, archive))
  expect(tried.status, tried.stdout + tried.stderr).toBe(0)
  expect(tried.stdout).toMatch(/\nhealthy\ncreated 201\npage 200\nstopped\n$/)
})
