// Pebble, the test authority of Let's Encrypt, as Debian packages it. The certificate of its HTTPS is created at
// each start. Its state is in memory.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sendRequest, shakeHands, urlOfAddress } from '#kit/network/http-client.ts'
import { issueForLab } from '../web/web-servers.ts'
import type { AuthorityOptions } from './lab-authority.ts'

export interface PebbleOptions {
  /** Percentage of valid nonces that are refused; 0 by default. */
  refusedNonces?: number
  /** By name. */
  profiles?: Record<string, { description: string; validityPeriod: number }>
  /** Requires external account binding: MAC keys in base64url by key ID. */
  externalAccounts?: Record<string, string>
}

export type Pebble = Awaited<ReturnType<typeof startPebble>>

/** Downloaded by test/run. */
const cachedProgram = join(import.meta.dirname, '../../.cache/pebble/usr/bin/pebble')

/**
 * The path of Pebble: PEBBLE, or the download of the tests, or a program on the PATH. Undefined without Pebble, if
 * PEBBLE is empty, and in an empty environment, which does not use this machine.
 */
export function findPebble({ PATH, PEBBLE }: NodeJS.ProcessEnv): string | undefined {
  if (PEBBLE !== undefined) return isProgram(PEBBLE) ? PEBBLE : undefined
  if (PATH === undefined) return undefined
  const onPath = PATH.split(delimiter).map((folder) => join(folder, 'pebble'))
  return [cachedProgram, ...onPath].find(isProgram)
}

const limits = { timeoutMs: 5000, maxBytes: 1024 * 1024, oversize: 'fail' } as const
const openWithinMs = 5000
const openAgainAfterMs = 10

/** Resolves when Pebble listens. Throws with its output if it ends before that. */
export async function startPebble(
  program: string,
  place: AuthorityOptions,
  options: PebbleOptions = {},
) {
  const { address, folder, managementPort, port } = place
  const file = (name: string): string => join(folder, name)
  const own = await issueForLab([address, 'localhost'])
  await writeFile(file('pebble-root.pem'), own.root)
  await writeFile(file('pebble.pem'), own.chain)
  await writeFile(file('pebble.key'), own.key, { mode: 0o600 })
  await writeFile(file('pebble.json'), JSON.stringify(configFor(place, options)))
  const child = spawn(program, ['-config', file('pebble.json'), '-dnsserver', place.resolver], {
    env: {
      PATH: process.env.PATH,
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: `${options.refusedNonces ?? 0}`,
      PEBBLE_AUTHZREUSE: '0',
      PEBBLE_ALTERNATE_ROOTS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await announced(child)
  for (const each of [port, managementPort]) await listening(address, each)
  async function manage(method: 'GET' | 'POST', path: string, sent?: string) {
    const url = urlOfAddress(address, managementPort, path, 'https')
    const headers = { 'user-agent': 'Animal-Store-Lab' }
    const options = { method, headers, body: sent, serverName: 'localhost', ...limits }
    const { body, status } = await sendRequest(url, options)
    return { status, text: body.toString() }
  }
  return {
    title: 'Pebble',
    directoryUrl: `https://${address}:${port}/dir`,
    rootFile: file('pebble-root.pem'),
    /** The root of the chains, PEM: 0 is the default one, the others are the alternatives. */
    async root(number = 0): Promise<string> {
      const { status, text } = await manage('GET', `/roots/${number}`)
      if (status !== 200) throw new Error(`Pebble has no root ${number}`)
      return text
    },
    /** Sets the renewal information of a certificate (PEM), JSON text. False if this Pebble does not support that. */
    async setRenewalInfo(certificate: string, renewalInfo: string): Promise<boolean> {
      const body = JSON.stringify({ Certificate: certificate, ARIResponse: renewalInfo })
      const { status, text } = await manage('POST', '/set-renewal-info/', body)
      if (status === 404) return false
      if (status !== 200) throw new Error(`Pebble refused the renewal window: ${status} ${text}`)
      return true
    },
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function configFor(place: AuthorityOptions, options: PebbleOptions): object {
  const { externalAccounts, profiles } = options
  const file = (name: string): string => join(place.folder, name)
  return {
    pebble: {
      listenAddress: `${place.address}:${place.port}`,
      managementListenAddress: `${place.address}:${place.managementPort}`,
      certificate: file('pebble.pem'),
      privateKey: file('pebble.key'),
      httpPort: place.httpPort,
      tlsPort: place.httpsPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: externalAccounts !== undefined,
      ...(externalAccounts && { externalAccountMACKeys: externalAccounts }),
      ...(profiles && { profiles }),
      domainBlocklist: [],
      retryAfter: { authz: 0, order: 0 },
      keyAlgorithm: 'ecdsa',
    },
  }
}

function announced(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (text: string): void => {
      output = (output + text).slice(-4000)
      if (output.includes('ACME directory available')) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`pebble ended: ${output.trim()}`)))
  })
}

/** Pebble announces its ports shortly before it opens them. */
async function listening(address: string, port: number): Promise<void> {
  const until = performance.now() + openWithinMs
  for (;;) {
    const handshake = await shakeHands('localhost', address, port, openWithinMs)
    if ('certificate' in handshake) return
    if (performance.now() > until) throw new Error(`pebble does not listen: ${handshake.code}`)
    await delay(openAgainAfterMs)
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
