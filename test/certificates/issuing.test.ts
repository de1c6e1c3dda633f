// A real authority issues a certificate automatically for a host that points to us. Private keys are encrypted at
// rest and never logged.
import { X509Certificate } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createInternalRoot,
  findChainProblem,
  issueInternally,
  readCertificate,
  readRoot,
} from '#acme/x509/certificate.ts'
import { createLog, type Logger } from '#kit/log.ts'
import { shared } from '../shared.ts'
import { startEngineWorld } from './engine-in-test.ts'
import { verifyByOpenssl } from './openssl-verify.ts'

const dayMs = 86_400_000

const world = shared(() => startEngineWorld())
const engine = shared(() => world.startEngine())
beforeEach(() => world.reset())

async function currentOf(domainId: string) {
  const { certificates } = await world.rows()
  const found = certificates.filter((row) => row.domain_id === domainId && row.is_current === 1n)
  expect(found).toHaveLength(1)
  const [row] = found
  if (!row) throw new Error('there is no certificate')
  return { row, ...(await engine.certificates.load(row.id)) }
}

/** The internal root with its key. */
async function currentRoot() {
  const { roots } = await world.rows()
  const { chain = '', private_key: encrypted = '' } = roots[0] ?? {}
  return { chain, key: world.secrets.decrypt(encrypted, 'internal root').toString() }
}

describe('a certificate', () => {
  it.each([
    ['a subdomain', 'docs'],
    ['an apex', '@'],
  ])('is issued for %s', async (_, label) => {
    const subject = await world.subject(label)
    const { problem, state } = await engine.settle(subject)
    expect(state).toMatchObject({
      certificate: 'issued',
      serving: 'https',
      failures: 0,
      blockedBy: null,
    })
    expect(problem).toBeUndefined()
    const { chain, key, row } = await currentOf(subject.id)
    const facts = readCertificate(chain)
    expect(facts.hosts).toEqual([subject.host])
    expect(findChainProblem({ chain, key }, subject.host, world.clock.now)).toBeUndefined()
    const intermediate = new X509Certificate(chain.slice(chain.indexOf('-----END') + 25))
    const root = new X509Certificate(await world.root())
    expect(intermediate.verify(root.publicKey)).toBe(true)
    expect(state.expiresAt).toBe(facts.notAfter)
    expect(state.renewAt).toBeGreaterThan(world.clock.now)
    expect(state.issueAt).toBe(world.clock.now + 12 * 3_600_000)
    expect(row).toMatchObject({ issuer: 'pebble.letsencrypt.org', renewal_id: facts.renewalId })
    expect(world.asked().filter((line) => line === 'POST order-plz')).toHaveLength(1)
    expect((await world.rows()).orders).toEqual([])
    const kinds = await world.kindsOf(subject)
    expect(kinds).toEqual(['order', 'certificate'])
    expect(engine.counted).toContain('pebble.letsencrypt.org issued')
  })

  it('has a key that is encrypted at rest, as the keys of the account and the order are', async () => {
    const subject = await world.subject()
    const kept: string[] = []
    world.faults.faultFor = (_method, path) => {
      if (path.startsWith('/finalize')) {
        void world.rows().then(({ orders }) => kept.push(...orders.map((row) => row.private_key)))
      }
      return undefined
    }
    await engine.settle(subject)
    const { accounts, certificates } = await world.rows()
    expect(accounts).toHaveLength(1)
    expect(kept).toHaveLength(1)
    const all = [...accounts, ...certificates].map((row) => row.private_key).concat(kept)
    for (const text of all) expect(text).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]+$/)
    expect(JSON.stringify(world.faults.asked)).not.toContain('PRIVATE')
  })

  it('is logged, without its key or the account’s', async () => {
    const lines: string[] = []
    const tell = (...told: unknown[]) => void lines.push(JSON.stringify(told))
    const log = { ...createLog('silent', false), info: tell, warn: tell, error: tell }
    const logging = world.startEngine({ log: log as unknown as Logger })
    const subject = await world.subject()
    world.servers.refuses = (userAgent) => (userAgent.includes('Pebble') ? 'nothing' : undefined)
    await logging.settle(subject)
    world.servers.refuses = () => undefined
    world.clock.now += 60_000
    await logging.settle(subject)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('not issued')
    expect(lines[1]).toContain('certificate issued')
    for (const line of lines) expect(line).toContain(subject.host)
    expect(lines.join()).not.toMatch(/PRIVATE|v1\.|BEGIN/)
  })

  it('is validated by TLS-ALPN-01 where only that is offered', async () => {
    const subject = await world.subject()
    world.faults.faultFor = (_method, path) =>
      path.startsWith('/authZ')
        ? {
            kind: 'changed',
            change: (authorization) => ({
              ...authorization,
              challenges: (authorization.challenges as { type: string }[]).filter(
                ({ type }) => type !== 'http-01',
              ),
            }),
          }
        : undefined
    let asked = 0
    world.servers.refuses = () => void asked++
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
    // Only our own token.
    expect(asked).toBe(1)
  })

  it('is validated by TLS-ALPN-01 after HTTP-01 has failed', async () => {
    const subject = await world.subject()
    world.servers.refuses = (userAgent) => (userAgent.includes('Pebble') ? 'nothing' : undefined)
    const failed = await engine.settle(subject)
    expect(failed.state).toMatchObject({ certificate: 'retry_wait', failures: 1 })
    expect(failed.state.issueAt).toBe(world.clock.now + 60_000)
    expect(failed.problem).toMatchObject({
      authority: 'pebble.letsencrypt.org',
      type: 'unauthorized',
    })
    expect(await world.ledger(subject.host)).toMatchObject([
      { kind: 'order' },
      { kind: 'failed_validation', challengeType: 'http-01' },
    ])
    world.clock.now += 60_000
    const { problem, state } = await engine.settle(subject)
    expect([state.certificate, state.failures, problem]).toEqual(['issued', 0, undefined])
  })

  it('is validated by the method that CAA allows', async () => {
    const subject = await world.subject()
    subject.put('@', 'CAA', '0 issue "pebble.letsencrypt.org; validationmethods=tls-alpn-01"')
    world.clock.now += 60_000
    let asked = 0
    world.servers.refuses = () => void asked++
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
    expect(asked).toBe(1)
  })
})

describe('an internal authority', () => {
  it('issues at once without requests; its root is created once', async () => {
    const own = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    const other = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    const subjects = [await world.subject(), await world.subject('@')] as const
    world.faults.asked.length = 0
    await Promise.all([own.settle(subjects[0]), other.settle(subjects[1])])
    expect(world.faults.asked).toEqual([])
    const { roots } = await world.rows()
    expect(roots).toHaveLength(1)
    expect(roots[0]?.private_key).toMatch(/^v1\./)
    const root = new X509Certificate(roots[0]?.chain ?? '')
    for (const { host, id } of subjects) {
      const { state } = await world.get(id)
      expect(state).toMatchObject({ certificate: 'issued', serving: 'https' })
      const { chain, row } = await currentOf(id)
      expect(new X509Certificate(chain).verify(root.publicKey)).toBe(true)
      expect(readCertificate(chain).hosts).toEqual([host])
      expect(row.directory).toBe('internal')
    }
    expect(await own.certificates.authorities()).toEqual([])
  })

  it('has a root that certifies no name that is not served here', async () => {
    const own = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    const subject = await world.subject()
    await own.settle(subject)
    const root = await currentRoot()
    const names = readRoot(root.chain).permittedHosts ?? []
    expect(names).toContain('localhost')
    expect(names.some((name) => subject.host.endsWith(name))).toBe(true)
    // With the root's key stolen, even a whole chain is refused for another name.
    const issue = (name: string) => issueInternally(root, [name], { days: 1, now: Date.now() })
    expect(verifyByOpenssl(root.chain, (await issue(subject.host)).chain)).toBe('OK')
    const refused = 'permitted subtree violation'
    for (const other of ['www.bank.com', '192.0.2.1', '2001:db8::1']) {
      expect(verifyByOpenssl(root.chain, (await issue(other)).chain), other).toBe(refused)
    }
    for (const here of ['tour.docs.localhost', '10.1.2.3', '::1', 'fd00::7']) {
      expect(verifyByOpenssl(root.chain, (await issue(here)).chain), here).toBe('OK')
    }
  })

  it('renews its root with the same key five years before it ends', async () => {
    const own = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    await own.settle(await world.subject())
    const before = await currentRoot()
    const start = world.clock.now
    world.clock.now = readRoot(before.chain).notAfter - 5 * 365 * dayMs
    const subject = await world.subject()
    await own.settle(subject)
    const after = await currentRoot()
    expect(readRoot(after.chain).notAfter).toBeGreaterThan(world.clock.now + 3649 * dayMs)
    expect(after.key).toBe(before.key)
    // Clients trust its certificates by either root.
    const { chain } = await currentOf(subject.id)
    for (const root of [before, after]) {
      expect(verifyByOpenssl(root.chain, chain, '-attime', `${world.clock.now / 1000}`)).toBe('OK')
    }
    await own.settle(await world.subject())
    expect((await currentRoot()).chain).toBe(after.chain)
    world.clock.now = start
  })

  it('renews a root without constraints, and one that lacks a host, keeping what it certified', async () => {
    const own = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    const other = world.startEngine({
      env: { ACME_DIRECTORY: 'internal', PLATFORM_HOST: 'docs.shop.com' },
    })
    await own.settle(await world.subject())
    const { key, chain } = await currentRoot()
    expect(readRoot(chain).permittedHosts).not.toContain('docs.shop.com')
    await other.settle(await world.subject())
    const both = await currentRoot()
    expect(readRoot(both.chain).permittedHosts).toEqual(
      expect.arrayContaining([...(readRoot(chain).permittedHosts ?? []), 'docs.shop.com']),
    )
    const withoutConstraints = await createInternalRoot('Animal Store Internal', world.clock.now)
    await world.storeRootChain(withoutConstraints.chain)
    await own.settle(await world.subject())
    expect(readRoot((await currentRoot()).chain).permittedHosts).toContain('localhost')
    expect((await currentRoot()).key).toBe(key)
  })

  it('is replaced by a configured one that browsers know', async () => {
    const own = world.startEngine({ env: { ACME_DIRECTORY: 'internal' } })
    const subject = await world.subject()
    await own.settle(subject)
    world.clock.now += 12 * 3_600_000
    const { state } = await engine.settle(subject)
    expect(state.certificate).toBe('issued')
    expect((await currentOf(subject.id)).row.issuer).toBe('pebble.letsencrypt.org')
  })
})
