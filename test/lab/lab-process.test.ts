// The lab as a process that serves everything and deletes its files, however it ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { LabTopology } from '../../lab/network/topology.ts'
import { nodeEnvironment, program } from '../program.ts'
import { dig } from './dig.ts'
import { freeNetwork, freePort } from './free-addresses.ts'

/** The folder for temporary files of labs. */
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Started {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Until it has printed something, or has ended. */
  printed: Promise<unknown>
  ended: Promise<number | string>
}

/** Runs the command as a process, with a temporary folder that is checked afterwards. */
function run(options: Record<string, string>, json: boolean): Started {
  const words = Object.entries(options).map(([name, value]) =>
    value === 'true' ? `--${name}` : `--${name}=${value}`,
  )
  if (json) words.push('--json')
  const child = spawn(process.execPath, [program, 'lab', ...words], {
    env: { ...nodeEnvironment, PEBBLE: '', FIRST_PROJECT: 'off', TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([status, signal]) => signal ?? status)
  const printed = Promise.race([once(child.stdout, 'data'), ended])
  return { child, stdout: () => stdout, stderr: () => stderr, printed, ended }
}

async function options(): Promise<Record<string, string>> {
  return {
    network: freeNetwork(),
    'http-port': String(await freePort()),
    'https-port': String(await freePort()),
    'registrar-port': String(await freePort()),
    'browser-proxy-port': String(await freePort()),
  }
}

test('it starts with the server, and SIGINT stops everything', async () => {
  const started = run(await options(), true)
  await started.printed
  const facts = JSON.parse(started.stdout() || started.stderr()) as {
    topology: LabTopology
    registrarUrl: string
    dashboardUrl: string
  }
  const { dashboardUrl, topology, registrarUrl } = facts
  expect((await fetch(`${registrarUrl}/api/lab`)).status).toBe(200)
  expect((await fetch(dashboardUrl)).status).toBe(200)
  const { answer } = await dig(
    topology.resolver,
    topology.ports.dns,
    'docs.animal-store.test +recurse',
  )
  expect(answer).toEqual(['docs.animal-store.test 60 A 127.0.0.1'])
  started.child.kill('SIGINT')
  expect(await started.ended).toBe(0)
  await expect(fetch(registrarUrl)).rejects.toThrow()
  await expect(fetch(dashboardUrl)).rejects.toThrow()
})

test('it prints steps with commands, and stops when its parent is killed', async () => {
  const started = run({ ...(await options()), 'no-server': 'true' }, false)
  await started.printed
  expect(started.stderr()).toBe('')
  expect(started.stdout()).toMatch(/^ {2}dig @127\.\S+ -p 5300 docs\.mossy\.example$/m)
  expect(started.stdout()).toContain('Lantern Lab CA issues certificates')
  started.child.kill('SIGKILL')
  // Its output closes when the last process that holds it exits: the lab, after it has deleted its files.
  expect(await started.ended).toBe('SIGKILL')
  const left = await readdir(folder)
  expect(left.filter((name) => name.startsWith('animal-store'))).toEqual([])
})

test('an address in use and an invalid option are reported in one line', async () => {
  const taken = await options()
  const first = run({ ...taken, 'no-server': 'true' }, true)
  await first.printed
  const second = run({ ...taken, 'no-server': 'true' }, true)
  expect(await second.ended).toBe(1)
  expect(second.stderr()).toMatch(/^animal-store lab: 127\.\S+:5300 is in use: .*\n$/)
  const third = run({ network: '10.0.0' }, true)
  expect(await third.ended).toBe(2)
  expect(third.stderr()).toMatch(/^animal-store lab: --network must be .*\n$/)
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
})
