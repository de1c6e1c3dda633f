// Certificates of the internal issuer, checked by openssl in its strictest mode and by a TLS client that trusts
// only the root.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createInternalRoot,
  findChainProblem,
  issueInternally,
  readCertificate,
} from './certificate.ts'

const dayMs = 86_400_000
const now = Date.now()
const names = ['localhost', '*.docs.localhost', '127.0.0.1', '::1', '2001:db8::1:0:2']

/** The output of openssl for a certificate, with the root as the only trust anchor. */
function verify(root: string, leaf: string, ...words: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-issuer-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'root.pem'), root)
  writeFileSync(join(folder, 'leaf.pem'), leaf)
  const trust = ['-no-CApath', '-no-CAstore', '-CAfile', join(folder, 'root.pem')]
  const purpose = ['-x509_strict', '-purpose', 'sslserver', ...words]
  return execFileSync('openssl', ['verify', ...trust, ...purpose, join(folder, 'leaf.pem')], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

describe('a certificate of the internal issuer', () => {
  it.each([
    ['-verify_hostname', 'localhost'],
    ['-verify_hostname', 'tour.docs.localhost'],
    ['-verify_ip', '127.0.0.1'],
    ['-verify_ip', '::1'],
    ['-verify_ip', '2001:db8:0:0:0:1:0:2'],
  ])('passes openssl’s strictest check (%s %s)', async (option, value) => {
    const root = await createInternalRoot('Animal Store', now)
    const leaf = await issueInternally(root, names, { days: 45, now })
    expect(verify(root.chain, leaf.chain, option, value)).toContain('leaf.pem: OK')
  })

  it('is accepted only by a client that trusts the root', async () => {
    const root = await createInternalRoot('Animal Store', now)
    const leaf = await issueInternally(root, ['tour.docs.localhost'], { days: 45, now })
    const server = createServer({ cert: leaf.chain, key: leaf.key }, (socket) => socket.end())
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const shake = (ca: string) =>
      new Promise<string>((resolve) => {
        const servername = 'tour.docs.localhost'
        const socket = connect({ host: '127.0.0.1', port, servername, ca }, () => {
          resolve('authorized')
          socket.destroy()
        })
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      })
    expect(await shake(root.chain)).toBe('authorized')
    const other = await createInternalRoot('Animal Store', now)
    expect(await shake(other.chain)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  it('is valid for the requested time, but never longer than its root', async () => {
    const root = await createInternalRoot('Animal Store', now)
    const { notAfter: end } = readCertificate(root.chain)
    const leaf = await issueInternally(root, names, { days: 45, now })
    expect(readCertificate(leaf.chain).notAfter).toBe(Math.floor((now + 45 * dayMs) / 1000) * 1000)
    const late = await issueInternally(root, names, { days: 45, now: end - dayMs })
    expect(readCertificate(late.chain).notAfter).toBe(end)
    expect(findChainProblem(leaf, 'localhost', now)).toBeUndefined()
  })

  it('has a unique serial number and key', async () => {
    const root = await createInternalRoot('Animal Store', now)
    const both = [
      await issueInternally(root, names, { days: 1, now }),
      await issueInternally(root, names, { days: 1, now }),
    ]
    expect(new Set(both.map(({ chain }) => readCertificate(chain).serial)).size).toBe(2)
    expect(new Set(both.map(({ key }) => key)).size).toBe(2)
  })

  it('is valid beyond 2049, where the date format changes', async () => {
    const then = Date.parse('2049-12-31T00:00:00Z')
    const root = await createInternalRoot('Animal Store', then)
    const leaf = await issueInternally(root, ['localhost'], { days: 2, now: then })
    const { notAfter, notBefore } = readCertificate(leaf.chain)
    expect(notBefore).toBe(then - 3_600_000)
    expect(notAfter).toBe(then + 2 * dayMs)
    expect(verify(root.chain, leaf.chain, '-attime', `${then / 1000}`)).toContain('OK')
  })
})
