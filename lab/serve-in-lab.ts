// The server as its own process. Only its configuration refers to the lab.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ConnectTemplate } from '#optional/domain-connect/links/connect-template.ts'
import type { ZoneRecord } from './dns/zone.ts'
import { type Lab, serverRoots } from './lab.ts'
import { platformHost, platformZone, providers } from './network/topology.ts'
import { connectHost, templateKey } from './registrar/connect/connect-state.ts'

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
    CHECK_ALLOW: allowedIn(topology),
    CA_FILE: join(folder, serverRoots),
    ...(authority && { ACME_DIRECTORY: authority.directoryUrl }),
  }
}

const allowedIn = ({ ports }: Lab['topology']): string =>
  `dns:127.0.0.0/8:${ports.dns},http:127.0.0.0/8:${ports.http}`

/** The settings with which the server uses Domain Connect at the lab's providers. */
export function connectEnvironmentIn({
  consentOrigin,
  topology,
}: Pick<Lab, 'consentOrigin' | 'topology'>): Record<string, string> {
  const discovery = providers.map(({ id }) => `${connectHost(id)}:${topology.ports.https}`)
  return {
    DOMAIN_CONNECT_TEMPLATE: platformZone,
    DOMAIN_CONNECT_PROVIDERS: discovery.map((each) => `${each}=${consentOrigin}`).join(),
    CHECK_ALLOW: `${allowedIn(topology)},connect:127.0.0.0/8`,
  }
}

/** Resolves when `program`, a JavaScript file, serves. Throws its output if it ends before that. */
export async function serveInLab(program: string, lab: Lab, env: NodeJS.ProcessEnv) {
  const ownEnv = {
    ...{ LOG_LEVEL: 'warn', ...env, DATABASE_URL: '' },
    ...environmentIn(lab),
    ...connectEnvironmentIn(lab),
  }
  const child = spawn(process.execPath, [program, 'serve', '--json'], {
    env: ownEnv,
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
  const stopping = new AbortController()
  const settingUp = setUpConnect(program, lab, ownEnv, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted)
      process.stderr.write(`lab: Domain Connect is not set up: ${String(error)}\n`)
  })
  return {
    /** When the providers know the platform's template and key. */
    settingUp,
    dashboardUrl: `http://localhost:${lab.topology.ports.http}`,
    setUpLink,
    ended,
    async stop(): Promise<void> {
      stopping.abort()
      await settingUp
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** As an operator does it: a key, its records in DNS, and the template at the providers. */
async function setUpConnect(
  program: string,
  { connect, dns }: Lab,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const run = async (...words: string[]): Promise<string> =>
    (
      await promisify(execFile)(process.execPath, [program, 'connect', ...words, '--json'], {
        env,
        signal,
      })
    ).stdout
  const name = ['--provider-name', 'Animal Store (lab)']
  const template: ConnectTemplate = JSON.parse(await run('template', ...name))
  for (const { id } of providers) connect[id].templates.set(templateKey(template), template)
  const [key] = JSON.parse(await run('key')) as { records: { name: string; value: string }[] }[]
  const records = (key?.records ?? []).map(
    ({ name: host, value }): ZoneRecord => ({
      ...{ name: host, ttlSeconds: 60, type: 'TXT', strings: [value] },
    }),
  )
  dns.setPlatformRecords(records)
  await run('check')
}

function readSetUpLink(credentialsFile: string): string | undefined {
  return (JSON.parse(readFileSync(credentialsFile, 'utf8')) as { setUpLink?: string }).setUpLink
}
