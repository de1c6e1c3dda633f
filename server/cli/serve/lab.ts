// lab: starts the lab, which is a program of its own. It is found by its path and not imported, because the
// server does not know it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../platform/config/config.ts'
import { type Command, CommandError } from '../command-line/command.ts'

const program = join(projectRoot, 'lab/main.ts')

export const lab: Command = {
  name: 'lab',
  summary: 'Try custom domains on this machine, without a network.',
  details:
    'Starts a registrar, name servers, a resolver and the server with a data folder of their own, and says what to do next. Ctrl-C ends it and leaves nothing behind.',
  options: {
    network: { value: 'A.B.C', meaning: 'The start of all its addresses. Without it, 127.0.53.' },
    'dns-port': { value: 'PORT', meaning: 'Of every name server. Without it, 5300.' },
    'http-port': {
      value: 'PORT',
      meaning: 'Of the server and the fake platforms. Without it, 8080.',
    },
    'https-port': { value: 'PORT', meaning: 'Of the server. Without it, 8443.' },
    'registrar-port': { value: 'PORT', meaning: 'Of the registrar. Without it, 8090.' },
    'browser-proxy-port': {
      value: 'PORT',
      meaning: 'Port of the proxy that resolves the lab’s names for browsers. Default: 8091.',
    },
    'no-server': { meaning: 'Everything but the server.' },
  },
  async run({ json, options }) {
    if (!existsSync(program)) throw new CommandError('this installation comes without the lab')
    const words = Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : value === 'true' ? [`--${name}`] : [`--${name}=${value}`],
    )
    // The server of the lab is this very program.
    words.push(`--program=${process.argv[1]}`, ...(json ? ['--json'] : []))
    // The channel tells the lab when this process is gone, however it went.
    const child = spawn(process.execPath, [program, ...words], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
      process.on(signal, () => child.kill(signal))
    }
    const [status] = await once(child, 'exit')
    return status ?? 1
  },
}
