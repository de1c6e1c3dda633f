// A real proxy with its example in ops/ as it is written there: only ports, addresses and paths are replaced.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { eventually } from '../eventually.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/proxies.md'), 'utf8')

export const proxyNames = ['nginx', 'Caddy', 'HAProxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface ProxyOptions {
  /** An empty folder. */
  folder: string
  certificate: Pem
  /** Of the proxy. */
  ports: { http: number; https: number }
  /** The port of the program. */
  upstream: number
  /** Changes the example first. */
  edit?: (example: string) => string
}

/** The settings of the program that the guide gives under a heading. */
export function documentedSettings(heading: string): Record<string, string> {
  const [, section = ''] = guide.split(`${heading}\n`)
  const [, block = ''] = /```env\n([\s\S]*?)```/.exec(section) ?? []
  return Object.fromEntries(
    [...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
}

/** Runs until the test has finished. */
export async function startDocumentedProxy(name: ProxyName, options: ProxyOptions): Promise<void> {
  const { certificate, edit = (example) => example, folder, ports, upstream } = options
  const place = (file: string): string => join(folder, file)
  writeFileSync(place('store.pem'), certificate.chain)
  writeFileSync(place('store.key'), certificate.key)
  writeFileSync(place('store-with-key.pem'), certificate.chain + certificate.key)
  const { around, command, file } = programs[name]
  if (!guide.includes(`| ${name} | \`${file}\` |`)) throw new Error(`${file} is not documented`)
  const documented = edit(readFileSync(join(root, file), 'utf8'))
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`)
    .replaceAll('/etc/ssl/', `${folder}/`)
  const config = place('config')
  writeFileSync(config, around(documented, options))
  mkdirSync(place('temporary'))
  const child = spawn(command[0], [...command.slice(1), config], {
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  onTestFinished(() => end(child))
  const isOpen = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`)
    const socket = connect({ host: '127.0.0.1', port: ports.https })
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
  await eventually(isOpen, (open) => open)
}

interface Program {
  file: string
  command: [string, ...string[]]
  /** Adds what a package's own configuration has around the example, and the ports. */
  around(example: string, options: ProxyOptions): string
}

const programs: Record<ProxyName, Program> = {
  nginx: {
    file: 'ops/nginx.conf',
    command: [firstOf('/usr/sbin/nginx', 'nginx'), '-e', 'stderr', '-c'],
    around: (example, { folder, ports }) => {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`)
        .join('\n')
      const server = example
        .replaceAll(/ *listen \[::\]:.*\n/g, '')
        .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
        .replace('listen 443 ', `listen 127.0.0.1:${ports.https} `)
      const user = process.getuid?.() === 0 ? 'user root;' : ''
      return `${user} daemon off; pid ${folder}/pid; events {} http { access_log off; ${paths}\n${server} }`
    },
  },
  Caddy: {
    file: 'ops/Caddyfile',
    command: ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
    around: (example, { ports }) =>
      `{\nadmin off\ndefault_bind 127.0.0.1\nhttp_port ${ports.http}\nhttps_port ${ports.https}\n}\n${example}`,
  },
  HAProxy: {
    file: 'ops/haproxy.cfg',
    command: [firstOf('/usr/sbin/haproxy', 'haproxy'), '-db', '-f'],
    around: (example, { ports }) =>
      example
        .replace('bind :80\n', `bind 127.0.0.1:${ports.http}\n`)
        .replace('bind :443 ', `bind 127.0.0.1:${ports.https} `),
  },
}

/** Debian installs them where only root's PATH leads. */
function firstOf(path: string, otherwise: string): string {
  return existsSync(path) ? path : otherwise
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
