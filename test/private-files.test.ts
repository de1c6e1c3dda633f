// What the program writes is for its user alone, and secrets are printed on a terminal only.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cases } from './cases.ts'
import { engines, type TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { listenOnFreePort } from './listen.ts'
import { emptyPlace } from './place-for-test.ts'
import { isAlive, signal, treeOf } from './process-tree.ts'
import { program } from './program.ts'
import { environmentOf, serveProcess } from './served-process.ts'

const settings = { HTTP_PORT: '0', HTTPS_PORT: '0', WORKERS: '1', FIRST_PROJECT: 'off' }

/** Starts a command that serves; resolves with its standard output as soon as `until` matches. */
async function serve(
  database: TestDatabase,
  command: string[],
  until: RegExp,
  env: Record<string, string> = {},
): Promise<string> {
  const [file = '', ...words] = command
  const child = spawn(file, words, {
    env: environmentOf(database, { ...settings, ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => end(child))
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    if (until.test(output)) return output
  }
  throw new Error(`the program ended: ${output}`)
}

/** With all its processes: the program under a terminal outlives the terminal. */
async function end({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  const all = treeOf(pid)
  for (const each of all) signal(each, 'SIGTERM')
  await eventually(
    async () => all.filter(isAlive),
    (alive) => alive.length === 0,
  )
}

/** `path mode` for each file that someone else could open, and each folder. */
function openFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const { mode } = statSync(join(folder, path))
    return (mode & 0o077) === 0 ? [] : [`${path} ${(mode & 0o777).toString(8)}`]
  })
}

const file = (database: TestDatabase): string => join(database.dataDir, 'first-credentials.json')
const lastLine = /status=available'/

describe.each(cases(engines))('on %s', (engine) => {
  test.each(['000', '777'])('every file is private under the umask %s', async (umask) => {
    const database = await emptyPlace(engine)
    const dataDir = join(database.dataDir, 'new/data')
    const run = ['sh', '-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, program]
    await serve(database, [...run, 'serve'], lastLine, { DATA_DIR: dataDir })
    const path = join(database.dataDir, 'animals.csv')
    const exported = [...run, 'animals', 'export', path, '--environment', 'staging']
    await serve(database, exported, /50 animals/, { DATA_DIR: dataDir })
    expect(readdirSync(dataDir)).toContain('first-credentials.json')
    expect(openFiles(database.dataDir)).toEqual([])
    expect(statSync(dataDir).mode & 0o700).toBe(0o700)
  })
})

test('without a terminal, the first keys and the set-up link go to a file, and its path is printed', async () => {
  const database = await emptyPlace('sqlite')
  const output = await serve(database, [process.execPath, program, 'serve'], lastLine)
  expect(output).not.toMatch(/as_(live|test)_|set-up#/)
  expect(output).toContain(`\n  ${file(database)}\n`)
  // What it recommends is not deprecated, as getPet is.
  expect(output.match(/(?<=\/v1)\/[^?'\s]+/g)).toEqual(['/pets', '/pets', '/pets'])
  expect(statSync(file(database)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file(database), 'utf8'))).toEqual({
    keys: {
      production: expect.stringMatching(/^as_live_/),
      staging: expect.stringMatching(/^as_test_/),
    },
    setUpLink: expect.stringMatching(/^http:\/\/localhost:\d+\/set-up#\w{43}$/),
  })
})

test('a start that fails after the keys were created does not lose them', async () => {
  const database = await emptyPlace('sqlite')
  const other = createServer()
  const port = await listenOnFreePort(other, '::')
  onTestFinished(() => void other.close())
  const run = [process.execPath, program, 'serve']
  const env = { HTTP_PORT: String(port) }
  await expect(serve(database, run, lastLine, env)).rejects.toThrow('the program ended')
  expect(JSON.parse(readFileSync(file(database), 'utf8')).keys).toEqual({
    production: expect.stringMatching(/^as_live_/),
    staging: expect.stringMatching(/^as_test_/),
  })
})

test('a later start replaces the link in the file and keeps the keys', async () => {
  const database = await emptyPlace('sqlite')
  const read = () => JSON.parse(readFileSync(file(database), 'utf8'))
  const run = [process.execPath, program, 'serve', '--json']
  const printed = JSON.parse(await serve(database, run, /\n$/))
  expect(printed).toEqual({
    port: expect.any(Number),
    httpsPort: expect.any(Number),
    keys: {},
    credentialsFile: file(database),
  })
  const first = read()
  await serve(database, run, /\n$/)
  expect(read().keys).toEqual(first.keys)
  expect(read().setUpLink).not.toBe(first.setUpLink)
})

test('on a terminal, the first keys and the set-up link are printed, and no file is written', async () => {
  const database = await emptyPlace('sqlite')
  const terminal = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])']
  const run = [...terminal, process.execPath, program, 'serve']
  const output = await serve(database, run, lastLine)
  expect(output).toMatch(/as_live_\w+/)
  expect(output).toMatch(/set-up#\w{43}/)
  expect(existsSync(file(database))).toBe(false)
})

test('an open data folder is reported at the start, with the command that closes it', async () => {
  const database = await emptyPlace('sqlite')
  const { dataDir } = database
  const start = async () => {
    const { end, log } = await serveProcess(database)
    await end()
    return log()
  }
  chmodSync(dataDir, 0o750)
  expect(await start()).toContain(`"mode":"750"`)
  expect(await start()).toContain(`run chmod -R go= '${dataDir}'`)
  chmodSync(dataDir, 0o700)
  expect(await start()).toBe('')
})
