// Pebble, the test authority of Let's Encrypt, as Debian packs it. It comes without certificates for its own
// HTTPS: they are made at every start. It keeps everything in memory, and forgets it when it stops.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import type { AuthorityOptions, CertificateAuthority } from './certificate-authority.ts'

export interface PebbleOptions {
  /** Percentage of good nonces that are refused all the same; none unless told. */
  refusedNonces?: number
  /** Percentage of valid authorizations that a later order gets again; none unless told. */
  reusedAuthorizations?: number
  /** Of every certificate, where there are no profiles; five years unless told. */
  validitySeconds?: number
  /** By name. */
  profiles?: Record<string, { description: string; validityPeriod: number }>
  /** Accounts elsewhere, without which none is made here: MAC keys in base64url by their id. */
  externalAccounts?: Record<string, string>
  /** Further roots, each with a chain of its own to every certificate. */
  alternateRoots?: number
  /** What Retry-After says for what is not settled yet; 0 unless told. */
  retryAfterSeconds?: number
  /** Hosts that are refused by policy. */
  blockedHosts?: string[]
}

export interface Pebble extends Omit<CertificateAuthority, 'root'>, PebbleManagement {}

/** What test/run unpacks. */
const cachedProgram = join(import.meta.dirname, '../../.cache/pebble/usr/bin/pebble')

/**
 * Where Pebble is: what PEBBLE names, or else what the tests have unpacked, or what is on the PATH. Undefined when
 * it is nowhere, when PEBBLE is empty, and in an empty environment: who gives that wants nothing of this machine.
 */
export function findPebble({ PATH, PEBBLE }: NodeJS.ProcessEnv): string | undefined {
  if (PEBBLE !== undefined) return isProgram(PEBBLE) ? PEBBLE : undefined
  if (PATH === undefined) return undefined
  const onPath = PATH.split(delimiter).map((folder) => join(folder, 'pebble'))
  return [cachedProgram, ...onPath].find(isProgram)
}

const openWithinMs = 5000
const openAgainAfterMs = 10

/** Resolves when it listens. Throws with its words when it ends before. */
export async function startPebble(
  program: string,
  place: AuthorityOptions,
  options: PebbleOptions = {},
): Promise<Pebble> {
  const { address, folder, managementPort, port } = place
  const file = (name: string): string => join(folder, name)
  const root = await makeCertificate(folder, address)
  await writeFile(file('pebble.json'), JSON.stringify(configFor(place, options)))
  const words = ['-config', file('pebble.json'), '-dnsserver', place.resolver]
  const child = spawn(program, words, {
    env: {
      PATH: process.env.PATH,
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: `${options.refusedNonces ?? 0}`,
      PEBBLE_AUTHZREUSE: `${options.reusedAuthorizations ?? 0}`,
      PEBBLE_ALTERNATE_ROOTS: `${options.alternateRoots ?? 0}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await untilAnnounced(child)
  for (const each of [port, managementPort]) await untilListening(address, each)
  return {
    title: 'Pebble',
    directoryUrl: `https://${address}:${port}/dir`,
    rootFile: file('pebble-root.pem'),
    ...managePebble({ address, port: managementPort, root }),
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
  const { externalAccounts, profiles, retryAfterSeconds = 0, validitySeconds } = options
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
      ...(validitySeconds !== undefined && { certificateValidityPeriod: validitySeconds }),
      ...(profiles && { profiles }),
      domainBlocklist: options.blockedHosts ?? [],
      retryAfter: { authz: retryAfterSeconds, order: retryAfterSeconds },
      keyAlgorithm: 'ecdsa',
    },
  }
}

/** A root and a certificate of Pebble's own HTTPS, for this address. Gives the root. */
async function makeCertificate(folder: string, address: string): Promise<string> {
  const now = Date.now()
  const root = await createInternalRoot('Lab root', now)
  const own = await issueInternally(root, [address, 'localhost'], { days: 365, now })
  await writeFile(join(folder, 'pebble-root.pem'), root.chain)
  await writeFile(join(folder, 'pebble.pem'), own.chain)
  await writeFile(join(folder, 'pebble.key'), own.key, { mode: 0o600 })
  return root.chain
}

function untilAnnounced(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let words = ''
    const read = (text: string): void => {
      words = (words + text).slice(-4000)
      if (words.includes('ACME directory available')) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`pebble ended: ${words.trim()}`)))
  })
}

/** It announces its ports shortly before it opens them. */
async function untilListening(address: string, port: number): Promise<void> {
  const until = performance.now() + openWithinMs
  for (;;) {
    const socket = connect({ host: address, port })
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await delay(openAgainAfterMs)
    } finally {
      socket.destroy()
    }
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

export interface PebbleManagement {
  /** The root that ends the chains, PEM; 0 is the usual one, those after it are the alternatives. */
  root(number?: number): Promise<string>
  /** By serial number in hexadecimal; undefined for one that it has not issued. */
  certificateStatus(serial: string): Promise<CertificateStatus | undefined>
  /**
   * What is answered from now on when the renewal information of a certificate (PEM) is asked for: JSON text.
   * Gives false when this Pebble cannot be told.
   */
  setRenewalInfo(certificate: string, answer: string): Promise<boolean>
}

export interface CertificateStatus {
  status: 'Valid' | 'Revoked'
  /** RFC 5280, section 5.3.1. */
  reason: number | undefined
}

/** `root` is that of the HTTPS of this port. */
export function managePebble(at: {
  address: string
  port: number
  root: string
}): PebbleManagement {
  const ask = (method: string, path: string, body?: string) => fetchFrom(at, method, path, body)
  return {
    async root(number = 0) {
      const answer = await ask('GET', `/roots/${number}`)
      if (answer.status !== 200) throw new Error(`Pebble has no root ${number}`)
      return answer.text
    },
    async certificateStatus(serial) {
      const answer = await ask('GET', `/cert-status-by-serial/${serial}`)
      if (answer.status !== 200) return undefined
      const { Reason, Status } = JSON.parse(answer.text)
      return { status: Status, reason: Reason }
    },
    async setRenewalInfo(certificate, answer) {
      const body = JSON.stringify({ Certificate: certificate, ARIResponse: answer })
      const { status, text } = await ask('POST', '/set-renewal-info/', body)
      if (status === 404) return false
      if (status !== 200) throw new Error(`Pebble took no renewal window: ${status} ${text}`)
      return true
    },
  }
}

function fetchFrom(
  { address, port, root }: { address: string; port: number; root: string },
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'Animal-Store-Lab' }
    const options = { host: address, port, path, method, headers, ca: root, agent: false } as const
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
