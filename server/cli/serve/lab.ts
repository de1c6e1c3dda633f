// The command lab: starts the lab, a separate program. It is not imported because the server must not depend
// on it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#kit/config/config.ts'
import { type Command, CommandError } from '../command-line/command.ts'

const program = join(projectRoot, 'lab/main.ts')

export const lab: Command = {
  name: 'lab',
  summary: 'Starts a lab to try custom domains on this machine, without a network.',
  details:
    'It runs a registrar, name servers, a resolver and the server with a temporary data folder, and prints the next steps. Ctrl-C stops it and deletes the data.',
  options: {
    network: { value: 'A.B.C', meaning: 'The prefix of all addresses. Default: 127.0.53.' },
    'dns-port': { value: 'PORT', meaning: 'The port of the name servers. Default: 5300.' },
    'http-port': {
      value: 'PORT',
      meaning: 'The HTTP port of the server and the fake platforms. Default: 8080.',
    },
    'https-port': { value: 'PORT', meaning: 'The HTTPS port of the server. Default: 8443.' },
    'registrar-port': { value: 'PORT', meaning: 'The port of the registrar. Default: 8090.' },
    'browser-proxy-port': {
      value: 'PORT',
      meaning: 'The port of the proxy that resolves lab names for a browser. Default: 8091.',
    },
    'no-server': { meaning: 'Start everything except the server.' },
  },
  async run({ json, options }) {
    if (!existsSync(program)) throw new CommandError('the lab is not part of this installation')
    const words = Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : value === 'true' ? [`--${name}`] : [`--${name}=${value}`],
    )
    // The lab starts this program as its server.
    words.push(`--program=${process.argv[1]}`, ...(json ? ['--json'] : []))
    // The channel tells the lab when this process exits, even when it is killed.
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
