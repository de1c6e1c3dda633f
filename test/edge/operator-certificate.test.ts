// A wildcard certificate of the operator: used for the platform hosts that it covers, and read again when its files
// change.
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createInternalRoot, issueInternally } from '#acme/x509/certificate.ts'
import { createTestDatabase } from '../database.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { ask as askStore, startStore } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import { ask, handshakeFault, openTls, shownFingerprint } from './clients.ts'

const now = Date.now()
const site = 'tour.docs.localhost'

describe("the operator's certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-test-'))
  afterAll(() => rm(folder, { recursive: true }))
  const chainFile = join(folder, 'chain.pem')
  const keyFile = join(folder, 'key.pem')
  const env = { PLATFORM_CERTIFICATE_FILE: `${chainFile},${keyFile}` }
  const root = shared(() => createInternalRoot('The operator’s authority', now))
  const publishing = shared(async () => {
    await write(['*.docs.localhost', 'localhost'])
    return await startPublishing('sqlite', { env, now })
  })
  let port: number
  beforeAll(async () => {
    port = publishing.store.running.config.httpsPort ?? 0
    const owner = await publishing.member()
    await owner.publish('tour', { 'index.html': '<title>Tour</title>' })
  })

  async function write(names: string[]): Promise<void> {
    const { chain, key } = await issueInternally(root, names, { days: 30, now })
    await writeFile(chainFile, chain)
    await writeFile(keyFile, key)
  }

  it('is watched: when it expires, and what cannot be used', async () => {
    const { httpPort } = publishing.store.running.config
    const base = new URL(`http://127.0.0.1:${httpPort}`)
    const { text } = await askStore(httpPort, base, '', 'metrics', { key: null })
    const seconds = Number(/^animal_store_certificate_expiry_seconds (\S+)$/m.exec(text)?.[1])
    expect(seconds).toBeLessThanOrEqual(30 * 86_400)
    const place = await createTestDatabase('sqlite')
    onTestFinished(() => place.release())
    const file = join(place.dataDir, 'other.pem')
    const watched = async (days: number, at = now) => {
      const { chain, key } = await issueInternally(root, ['localhost'], { days, now: at })
      await writeFile(file, chain + key)
      return await doctorWith(file)
    }
    const doctorWith = async (path: string) => {
      const files = { PLATFORM_CERTIFICATE_FILE: path }
      const { stdout } = await runCommand(place, ['doctor'], { ...files, HTTPS_PORT: 'off' })
      return /^(\w+) +configuration, PLATFORM_CERTIFICATE_FILE: /m.exec(stdout)?.[1]
    }
    expect(await watched(30)).toBeUndefined()
    expect(await watched(2)).toBe('warning')
    expect(await watched(1, now - 3 * 86_400_000)).toBe('problem')
    expect(await doctorWith('/nope.pem')).toBe('problem')
  })

  const fingerprint = (host: string) => shownFingerprint(port, host, root.chain)

  it('is used at once for the hosts that it covers, which redirect to HTTPS', async () => {
    const page = await ask(port, site, root.chain)
    expect([page.status, page.text]).toEqual([200, '<title>Tour</title>'])
    expect(page.headers).toHaveProperty('strict-transport-security')
    const plain = await publishing.visit('tour', '/a?b=c')
    expect([plain.status, plain.headers.location]).toEqual([301, `https://${site}:${port}/a?b=c`])
    expect((await ask(port, 'localhost', root.chain, '/sign-in')).status).toBe(200)
    expect(await handshakeFault(port, 'unknown.docs.localhost')).toMatch(/UNRECOGNIZED_NAME/)
  })

  it('leaves hosts that it does not cover to the authority', async () => {
    await expect.poll(() => handshakeFault(port, 'staging.localhost')).toBe('none')
    await expect(openTls(port, 'staging.localhost', root.chain)).rejects.toThrow()
  })

  it('is read again when its files change, and kept when they are invalid', async () => {
    const before = await fingerprint(site)
    await write(['*.docs.localhost'])
    await publishing.store.running.publishing.maintain()
    const after = await fingerprint(site)
    expect(after).not.toBe(before)
    await writeFile(keyFile, 'half of a k')
    await publishing.store.running.publishing.maintain()
    expect(await fingerprint(site)).toBe(after)
    // A start with invalid files continues without it.
    const other = await startStore('sqlite', { env })
    await other.release()
    // A host that is no longer covered gets its own certificate.
    await expect.poll(() => handshakeFault(port, 'localhost')).toBe('none')
  })

  it('fails the start when it cannot be read', async () => {
    const without = { PLATFORM_CERTIFICATE_FILE: `${chainFile},${join(folder, 'none.pem')}` }
    await expect(startStore('sqlite', { env: without })).rejects.toThrow(
      /^PLATFORM_CERTIFICATE_FILE cannot be /,
    )
  })
})
