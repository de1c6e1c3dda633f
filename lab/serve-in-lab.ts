// The server as its own process. Only its configuration refers to the lab.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import { platformHost } from './network/topology.ts'

export type ServerInLab = Awaited<ReturnType<typeof serveInLab>>

/** The settings with which the server uses the lab. */
export function environmentIn({ authority, folder, topology }: Lab): Record<string, string> {
  const { dns, http, https } = topology.ports
  return {
    HTTP_PORT: String(http),
    HTTPS_PORT: String(https),
    // Visitors come through the browser proxy, which maps port 443.
    PUBLIC_HTTPS_PORT: '443',
    LISTEN_ADDRESS: topology.server,
    DATA_DIR: join(folder, 'data'),
    PLATFORM_HOST: platformHost,
    WORKERS: '1',
    DNS_SERVERS: `${topology.resolver}:${dns}`,
    DNS_ROOTS: `${topology.root}:${dns}`,
    DNS_ALLOW: `127.0.0.0/8:${dns}`,
    PROBE_ALLOW: `127.0.0.0/8:${http}`,
    ...(authority && {
      ACME_DIRECTORY: authority.directoryUrl,
      ACME_CA_FILE: authority.rootFile,
    }),
  }
}

/** Resolves when `program`, a JavaScript file, serves. Throws its output if it ends before that. */
export async function serveInLab(program: string, lab: Lab, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [program, 'serve', '--json'], {
    env: { LOG_LEVEL: 'warn', ...env, DATABASE_URL: '', ...environmentIn(lab) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-4000)
    process.stderr.write(text)
  })
  /** The exit status or the signal. */
  const ended: Promise<number | string> = once(child, 'exit').then(
    ([status, signal]) => signal ?? status,
  )
  const line = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data').then(([text]) => String(text)),
    ended.then((status) => {
      throw new Error(`the server ended with ${status}: ${output.trim()}`)
    }),
  ])
  const { credentialsFile } = JSON.parse(line) as { credentialsFile?: string }
  const setUpLink = credentialsFile && readSetUpLink(credentialsFile)
  return {
    dashboardUrl: `http://localhost:${lab.topology.ports.http}`,
    setUpLink,
    ended,
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function readSetUpLink(credentialsFile: string): string | undefined {
  return (JSON.parse(readFileSync(credentialsFile, 'utf8')) as { setUpLink?: string }).setUpLink
}
