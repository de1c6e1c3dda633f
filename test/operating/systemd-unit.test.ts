// The systemd unit: valid, hardened, and the program works under what it allows.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defaultLimits } from '#kit/http/limits.ts'
import { maxConnections } from '#kit/http/listener/clients.ts'
import { eventually } from '../eventually.ts'
import { placeForTest } from '../place-for-test.ts'
import { serveProcess } from '../served-process.ts'

const root = join(import.meta.dirname, '../..')
const unit = join(root, 'ops/animal-store.service')
const text = readFileSync(unit, 'utf8')
// Debian's Python, which has the packages of Debian.
const underFilter = [
  '/usr/bin/python3',
  join(import.meta.dirname, 'with-system-call-filter.py'),
  unit,
]

function settingOf(key: string): string | undefined {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]
}

it('is valid', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'unit-'))
  const copy = join(folder.path, 'animal-store.service')
  // Its path may have spaces.
  symlinkSync(root, join(folder.path, 'program'))
  writeFileSync(copy, text.replaceAll('/srv/animal-store', join(folder.path, 'program')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('has an exposure below 2.0', () => {
  const words = ['--no-pager', 'security', '--offline=true', '--threshold=19', unit]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  expect(status, stdout.split('\n').slice(-3).join('\n') + stderr).toBe(0)
})

it('allows as many open files as the limit of connections needs', () => {
  const wanted = defaultLimits.connections
  expect(maxConnections(wanted, Number(settingOf('LimitNOFILE')))).toBe(wanted)
})

it('runs the program with all its processes and threads under its system call filter', async () => {
  const refused = execFileSync(
    'sh',
    ['-c', '"$@" 2>&1', '-', ...underFilter, 'nice', '-n', '5', 'true'],
    { encoding: 'utf8' },
  )
  expect(refused).toContain('Operation not permitted')

  const database = await placeForTest('sqlite')
  const env = { WORKERS: '2', FIRST_PROJECT: 'on', LOG_LEVEL: 'info' }
  const served = await serveProcess(database, env, underFilter)
  const body = { name: 'Rex', categoryId: 1 }
  expect((await served.ask('/pets', { body })).status).toBe(201)
  // A process of its own has rendered the first project.
  await eventually(
    async () => served.log(),
    (log) => log.includes('deploy is live'),
  )
  expect(await served.end()).toBe(0)
})

it('is documented with its paths', () => {
  const guide = readFileSync(join(root, 'docs/self-hosting.md'), 'utf8')
  const [, section = ''] = guide.split('## systemd and ports\n')
  expect(section).toContain(`${settingOf('WorkingDirectory')}/ops/animal-store.service`)
  expect(section).toContain(` ${settingOf('EnvironmentFile')}\n`)
  expect(section).toContain(`DATA_DIR=/var/lib/${settingOf('StateDirectory')}\n`)
  expect(section).toContain(`${settingOf('User')}\n`)
})
