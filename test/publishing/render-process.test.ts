// The process that renders untrusted sources gets nothing of the program: a probe inside it reports what it has, and what
// it can reach.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { listenOnFreePort } from '../listen.ts'
import { program } from '../program.ts'
import { environmentOf } from '../served-process.ts'

/** Prints what the process has, and the result of each attempt. */
const probe = (secret: string, port: number) => `
  import { execFileSync } from 'node:child_process'
  import { createSocket } from 'node:dgram'
  import { readFileSync, writeFileSync, writeSync } from 'node:fs'
  import { connect } from 'node:net'
  import { Worker } from 'node:worker_threads'
  const attempts = {
    read: () => readFileSync(${JSON.stringify(secret)}),
    write: () => writeFileSync(${JSON.stringify(`${secret}.new`)}, 'x'),
    run: () => execFileSync('/bin/true'),
    thread: () => new Worker('0', { eval: true }),
    code: () => (0, eval)('1'),
    connect: () => new Promise((resolve, reject) =>
      connect(${port}, '127.0.0.1', resolve).on('error', reject)),
    send: () => new Promise((resolve, reject) => {
      createSocket('udp4').on('error', reject).send('x', ${port}, '127.0.0.1', (error) => error ? reject(error) : resolve())
    }),
  }
  const results = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    results[name] = await (async () => attempt())().then(() => 'possible', ({ code, name }) => code ?? name)
  }
  writeSync(1, JSON.stringify({ env: process.env, argv: process.argv.slice(2), results }) + '\\n')
`

/** Adds the probe to the options of the process, whose output goes to a file. */
const inProgram = (file: string, code: string) => `
  import processes from 'node:child_process'
  import { openSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { fork } = processes
  processes.fork = (module, args, options) => fork(module, args, {
    ...options,
    execArgv: [...options.execArgv, '--import=${moduleUrl(code)}'],
    stdio: ['ignore', openSync(${JSON.stringify(file)}, 'w'), 'pipe', 'ipc'],
  })
  syncBuiltinESMExports()
`

function moduleUrl(code: string): string {
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
}

test('the renderer has no environment and no options of the program, and reaches nothing', async () => {
  const database = await createTestDatabase('sqlite')
  onTestFinished(() => database.release())
  const listener = createServer()
  const port = await listenOnFreePort(listener)
  onTestFinished(() => void listener.close())
  const file = join(database.dataDir, 'probe.json')
  const code = probe(join(database.dataDir, 'production.db'), port)
  const options = ['--import', moduleUrl(inProgram(file, code))]
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
  const printed = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  await expect.poll(printed).toMatch(/\n$/)
  const { argv, env, results } = JSON.parse(printed())
  // The number of the channel to the program.
  const own = Object.keys(env).filter((name) => !name.startsWith('NODE_CHANNEL_'))
  // Where Node's own libraries are is the program's variable, too.
  expect(own.filter((name) => name !== 'LD_LIBRARY_PATH')).toEqual([])
  expect(argv).toEqual([])
  expect(results).toEqual({
    read: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    run: 'ERR_ACCESS_DENIED',
    thread: 'ERR_ACCESS_DENIED',
    code: 'EvalError',
    connect: 'ERR_ACCESS_DENIED',
    send: 'ERR_ACCESS_DENIED',
  })
})
