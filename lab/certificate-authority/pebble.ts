// Pebble, the test authority of Let's Encrypt, as Debian packs it. It comes without certificates for its own
// HTTPS: openssl makes them at every start.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { AuthorityPlace, CertificateAuthority } from './certificate-authority.ts'

const run = promisify(execFile)

/** Where Pebble is; undefined when it is not installed. PEBBLE names it when it is not on the PATH. */
export function findPebble(env: NodeJS.ProcessEnv): string | undefined {
  const places = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pebble'))
  return [env.PEBBLE, ...places].find(
    (file) => file !== undefined && file !== '' && isProgram(file),
  )
}

/** Resolves when it listens. Throws with its words when it ends before. */
export async function startPebble(
  program: string,
  place: AuthorityPlace,
): Promise<CertificateAuthority> {
  const { address, folder, managementPort, port } = place
  const file = (name: string): string => join(folder, name)
  await makeCertificate(folder, address)
  const config = {
    pebble: {
      listenAddress: `${address}:${port}`,
      managementListenAddress: `${address}:${managementPort}`,
      certificate: file('pebble.pem'),
      privateKey: file('pebble.key'),
      httpPort: place.httpPort,
      tlsPort: place.httpsPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
    },
  }
  await writeFile(file('pebble.json'), JSON.stringify(config))
  const words = ['-config', file('pebble.json'), '-dnsserver', place.resolver]
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilListening(child)
  return {
    title: 'Pebble',
    directoryUrl: `https://${address}:${port}/dir`,
    rootFile: file('pebble-root.pem'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** A root and a certificate of Pebble's own HTTPS, for this address. */
async function makeCertificate(folder: string, address: string): Promise<void> {
  const file = (name: string): string => join(folder, name)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await run('openssl', [
    ...['req', '-x509', ...curve, '-days', '365', '-subj', '/CN=Lab root'],
    ...['-keyout', file('pebble-root.key'), '-out', file('pebble-root.pem')],
  ])
  await run('openssl', [
    ...['req', '-x509', ...curve, '-days', '365', '-subj', '/CN=pebble'],
    ...['-addext', `subjectAltName=IP:${address},DNS:localhost`],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-CA', file('pebble-root.pem'), '-CAkey', file('pebble-root.key')],
    ...['-keyout', file('pebble.key'), '-out', file('pebble.pem')],
  ])
}

function untilListening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let words = ''
    const read = (text: string): void => {
      words = (words + text).slice(-4000)
      if (words.includes('Listening on') || words.includes('ACME directory available')) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`pebble ended: ${words.trim()}`)))
  })
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
