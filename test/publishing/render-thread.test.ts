// The thread that renders untrusted sources gets nothing of the process: a probe inside it reports what it has.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { program } from '../program.ts'
import { environmentOf } from '../served-process.ts'

const inThread = (file: string) => `
  import { renameSync, writeFileSync } from 'node:fs'
  const { argv, env, execArgv } = process
  writeFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify({ argv: argv.slice(2), env, execArgv }))
  renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)})
`

/** Adds the probe to the options that the program gives to a thread, or that the thread would inherit. */
const inProcess = (file: string) => `
  import threads, { isMainThread } from 'node:worker_threads'
  import { syncBuiltinESMExports } from 'node:module'
  if (isMainThread) {
    threads.Worker = class extends threads.Worker {
      constructor(url, { execArgv = process.execArgv, ...options } = {}) {
        super(url, { ...options, execArgv: [...execArgv, '--import=${moduleUrl(inThread(file))}'] })
      }
    }
    syncBuiltinESMExports()
  }
`

function moduleUrl(code: string): string {
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
}

test('the render thread has no environment, no arguments and no options of the process', async () => {
  const database = await createTestDatabase('sqlite')
  onTestFinished(() => database.release())
  const file = join(database.dataDir, 'probe.json')
  const options = ['--import', moduleUrl(inProcess(file))]
  const child = spawn(process.execPath, [...options, program, 'serve', '--json'], {
    env: environmentOf(database, {
      HTTP_PORT: '0',
      HTTPS_PORT: 'off',
      WORKERS: '1',
      // It is Markdown, which the program deploys at the first start.
      FIRST_PROJECT: 'on',
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      NODE_OPTIONS: '--max-http-header-size=65536',
    }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await expect.poll(() => existsSync(file)).toBe(true)
  const { argv, env, execArgv } = JSON.parse(readFileSync(file, 'utf8'))
  expect({ argv, env }).toEqual({ argv: [], env: {} })
  expect(execArgv).toEqual([`--import=${moduleUrl(inThread(file))}`])
})
