// Certificates from a real authority: with both challenges, bad nonces, profiles, and resumed after
// every step.
import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { getDirectory } from '#acme/requests/acme-client.ts'
import { createOrder, getAuthorization } from '#acme/resources/orders.ts'
import { findChainProblem, readCertificate, readChain } from '#acme/x509/certificate.ts'
import type { PebbleOptions } from '../../lab/certificate-authority/pebble.ts'
import { type AuthorityInTest, startAuthority } from './authority-in-test.ts'
import { begin, issue, type Progress, steps, takeStep } from './issue.ts'

let authority: AuthorityInTest
beforeAll(async () => {
  authority = await startAuthority()
})
afterAll(() => authority.stop())

async function authorityWith(options: PebbleOptions): Promise<AuthorityInTest> {
  const own = await startAuthority(options)
  onTestFinished(() => own.stop())
  return own
}

describe('a certificate is issued', () => {
  it.each(['http-01', 'tls-alpn-01'] as const)('by %s', async (by) => {
    const client = authority.client()
    const account = await authority.account(client)
    const host = `${by}.example`
    const issued = await issue(client, authority, begin(account, { hosts: [host] }, by))
    expect(findChainProblem(issued, host, Date.now())).toBeUndefined()
    expect(findChainProblem(issued, 'other.example', Date.now())).toBe(
      'the certificate is not for other.example',
    )
    const facts = readCertificate(issued.chain)
    expect(facts.hosts).toEqual([host])
    const root = new X509Certificate(await authority.pebble.root())
    expect(root.subject).toBe(readChain(issued.chain).at(-1)?.issuer)
    const status = await authority.pebble.certificateStatus(facts.serial)
    expect(status?.status).toBe('Valid')
  })

  it('for several hosts', async () => {
    const client = authority.client()
    const account = await authority.account(client)
    const hosts = ['one.example', 'two.example', 'deep.three.example']
    const issued = await issue(client, authority, begin(account, { hosts }))
    expect(readCertificate(issued.chain).hosts.toSorted()).toEqual(hosts.toSorted())
  })

  it('with half of the nonces refused', async () => {
    const own = await authorityWith({ refusedNonces: 50 })
    const client = own.client()
    const account = await own.account(client)
    const hosts = Array.from({ length: 10 }, (_, n) => `n${n}.example`)
    const all = await Promise.all(
      hosts.map((host) => issue(client, own, begin(account, { hosts: [host] }))),
    )
    expect(all.map(({ chain }) => readCertificate(chain).hosts[0])).toEqual(hosts)
  })

  it('without a new validation while the authorization is valid', async () => {
    const own = await authorityWith({ reusedAuthorizations: 100 })
    const client = own.client()
    const account = await own.account(client)
    const requested = { hosts: ['proven.example'] }
    await issue(client, own, begin(account, requested))
    own.tokens.clear()
    const order = await createOrder({ client, account }, requested)
    expect(order.status).toBe('ready')
    const [url = ''] = order.authorizationUrls
    expect(await getAuthorization({ client, account }, url)).toMatchObject({ status: 'valid' })
    const again = await issue(client, own, begin(account, requested))
    expect(findChainProblem(again, 'proven.example', Date.now())).toBeUndefined()
    expect(own.tokens.size).toBe(0)
  })

  it('with the lifetime of the profile', async () => {
    const own = await authorityWith({
      profiles: {
        usual: { description: 'Ninety days.', validityPeriod: 90 * 86_400 },
        brief: { description: 'A hundred and sixty hours.', validityPeriod: 160 * 3600 },
      },
    })
    const client = own.client()
    const { profiles } = await getDirectory(client)
    if (Object.keys(profiles).length === 0) return expectSkipped('profiles')
    expect(profiles).toEqual({ usual: 'Ninety days.', brief: 'A hundred and sixty hours.' })
    const account = await own.account(client)
    const hosts = ['brief.example']
    const issued = await issue(client, own, begin(account, { hosts, profile: 'brief' }))
    const { notAfter, notBefore } = readCertificate(issued.chain)
    expect(Math.round((notAfter - notBefore) / 3_600_000)).toBe(160)
    const refused = createOrder({ client, account }, { hosts, profile: 'eternal' })
    await expect(refused).rejects.toMatchObject({
      name: 'AcmeProblem',
      operation: 'new order',
      type: 'invalidProfile',
      status: 400,
    })
  })
})

describe('an order is resumed after a restart', () => {
  it('at every step, from what was stored', async () => {
    const account = await authority.account()
    let progress = begin(account, { hosts: ['restarted.example'] })
    for (const step of steps) {
      expect(progress.step).toBe(step)
      progress = await takeStep(authority.client(), authority, JSON.stringify(progress))
    }
    const { certificateKey = '', chain = '' } = progress
    const issued = { chain, key: certificateKey }
    expect(findChainProblem(issued, 'restarted.example', Date.now())).toBeUndefined()
  })

  it('when the result of a step was not stored', async () => {
    const account = await authority.account()
    const host = 'twice.example'
    let progress: Progress = begin(account, { hosts: [host] })
    for (const step of steps) {
      const stored = JSON.stringify(progress)
      if (step !== 'finalize') await takeStep(authority.client(), authority, stored)
      progress = await takeStep(authority.client(), authority, stored)
    }
    const { certificateKey = '', chain = '' } = progress
    const issued = { chain, key: certificateKey }
    expect(findChainProblem(issued, host, Date.now())).toBeUndefined()
  })

  it('when it was finalized and the result was not stored: the order shows it', async () => {
    const account = await authority.account()
    let progress: Progress = begin(account, { hosts: ['final.example'] })
    while (progress.step !== 'finalize') {
      progress = await takeStep(authority.client(), authority, JSON.stringify(progress))
    }
    await takeStep(authority.client(), authority, JSON.stringify(progress))
    const again = takeStep(authority.client(), authority, JSON.stringify(progress))
    await expect(again).rejects.toMatchObject({ type: 'orderNotReady', status: 403 })
    const collected = await takeStep(
      authority.client(),
      authority,
      JSON.stringify({ ...progress, step: 'collect' }),
    )
    expect(collected.order?.status).toBe('valid')
  })
})

describe('a refusal has its reason', () => {
  it('for each host of an order', async () => {
    const own = await authorityWith({ blockedHosts: ['blocked.example', 'banned.example'] })
    const client = own.client()
    const account = await own.account(client)
    const hosts = ['fine.example', 'blocked.example', 'www.banned.example']
    const order = createOrder({ client, account }, { hosts })
    await expect(order).rejects.toMatchObject({
      type: 'rejectedIdentifier',
      operation: 'new order',
      retryAt: undefined,
    })
  })

  it('when there is no response to a challenge', async () => {
    const client = authority.client()
    const account = await authority.account(client)
    const places = { tokens: new Map<string, string>(), challengeCertificates: new Map() }
    const issued = issue(client, places, begin(account, { hosts: ['unknown.example'] }))
    await expect(issued).rejects.toThrow(/unknown\.example is invalid: unauthorized: .*404/)
  })

  it('when the host does not exist', async () => {
    const client = authority.client()
    const account = await authority.account(client)
    const issued = issue(client, authority, begin(account, { hosts: ['missing.example'] }))
    await expect(issued).rejects.toThrow(/missing\.example is invalid: (connection|dns): /)
  })

  it('for a wildcard: only a record in DNS is possible', async () => {
    const client = authority.client()
    const account = await authority.account(client)
    const order = await createOrder({ client, account }, { hosts: ['*.wild.example'] })
    const [url = ''] = order.authorizationUrls
    const authorization = await getAuthorization({ client, account }, url)
    expect(authorization).toMatchObject({ host: 'wild.example' })
    expect(authorization.challenges.map(({ type }) => type)).toEqual(['dns-01'])
  })
})

function expectSkipped(what: string): void {
  console.warn(`SKIPPED: this Pebble has no ${what}; a newer one has (npm test fetches it).`)
}
