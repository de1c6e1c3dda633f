// The lab's own authority with the program's ACME client: names of the lab, records at its registrar, and
// challenge responders at the server's address.

import { X509Certificate } from 'node:crypto'
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type AcmeSession, createAccount, getDirectory } from '#acme/requests/acme-client.ts'
import { getRenewalInfo } from '#acme/resources/renewal-info.ts'
import { findChainProblem, readCertificate } from '#acme/x509/certificate.ts'
import { issueForLab, listen, listenHttps } from '../../lab/web/web-servers.ts'
import { startAuthority } from '../acme/authority-in-test.ts'
import { issue } from '../acme/issue.ts'
import { shared } from '../shared.ts'

const host = 'docs.lantern.example'
let ahead = 0
const authority = shared(() => {
  const env = { PATH: process.env.PATH, PEBBLE: '' }
  return startAuthority({ env, now: () => Date.now() + ahead })
})
let session: AcmeSession

beforeAll(async () => {
  const client = authority.client()
  session = { client, account: await authority.account(client) }
  await authority.lab.ask('POST /domains', { name: 'lantern.example', provider: 'burrow' })
  await authority.lab.ask('PUT /domains/lantern.example/scenario', {
    scenario: 'right',
    name: 'docs',
  })
})
beforeEach(() => authority.places.tokens.clear())

it.each(['http-01', 'tls-alpn-01'] as const)('issues by %s', async (by) => {
  const issued = await issue(session, authority.places, host, by)
  expect(findChainProblem(issued, host, Date.now())).toBeUndefined()
  const root = new X509Certificate((await authority.lab.authority?.root()) ?? '')
  expect(new X509Certificate(issued.chain).verify(root.publicKey)).toBe(true)
  const { renewalId = '' } = readCertificate(issued.chain)
  const renewal = await getRenewalInfo(session.client, renewalId)
  expect(renewal?.window.start).toBeGreaterThan(Date.now())
})

it('respects CAA, and refuses a wrong or missing response to the challenge', {
  timeout: 120_000,
}, async () => {
  await authority.lab.ask('POST /domains', { name: 'strict.example', provider: 'burrow' })
  await authority.lab.ask('PUT /domains/strict.example/scenario', {
    scenario: 'caa_none',
    name: 'docs',
  })
  const strict = issue(session, authority.places, 'docs.strict.example')
  await expect(strict).rejects.toThrow('caa: CAA record for strict.example prevents issuance')
  const wrong = issue(session, { ...authority.places, tokens: new Map() }, host)
  await expect(wrong).rejects.toThrow('unauthorized: 127.0.0.1: HTTP 404')
  const missing = issue(session, authority.places, 'nowhere.lantern.example')
  await expect(missing).rejects.toThrow('dns: no valid A or AAAA records')
})

it('follows a redirect of the challenge to HTTPS, and not to another port', async () => {
  const { ports, secondNode } = authority.lab.topology
  let port = ''
  const front = await listen(secondNode, ports.http, ({ headers, url }, response) =>
    response.writeHead(301, { location: `https://${headers.host}${port}${url}` }).end(),
  )
  onTestFinished(() => front.close())
  const certificate = await issueForLab(['other.test'])
  const secure = await listenHttps(secondNode, ports.https, certificate, ({ url = '' }, response) =>
    response.end(authority.places.tokens.get(url.split('/').at(-1) ?? '')),
  )
  onTestFinished(() => secure.close())
  const record = { name: 'front', type: 'A', value: secondNode, ttlSeconds: 60 }
  await authority.lab.ask('POST /domains/lantern.example/records', record)
  await issue(session, authority.places, 'front.lantern.example')
  port = ':8444'
  await authority.lab.ask('POST /domains/lantern.example/records', { ...record, name: 'port' })
  const other = issue(session, authority.places, 'port.lantern.example')
  await expect(other).rejects.toThrow(
    /connection: .*: redirect to https:\/\/port\.lantern\.example:8444\//,
  )
})

it('caches DNS answers for a minute at most', async () => {
  const put = (id: number, value: string) => {
    const path = `/domains/lantern.example/records${id ? `/${id}` : ''}`
    const record = { name: 'old', type: 'A', value, ttlSeconds: 3600 }
    return authority.lab.ask(`${id ? 'PUT' : 'POST'} ${path}`, record)
  }
  const { json } = await put(0, authority.lab.topology.otherPlatform)
  const { id = 0 } = (json.records as { id: number; name: string }[]).at(-1) ?? {}
  const order = () => issue(session, authority.places, 'old.lantern.example')
  const addresses = async () =>
    (await authority.lab.dns.resolver.resolve('old.lantern.example', 'A')).answers.map((answer) =>
      answer.type === 'A' ? answer.address : undefined,
    )
  expect(await addresses()).toEqual([authority.lab.topology.otherPlatform])
  await expect(order()).rejects.toThrow(
    `unauthorized: ${authority.lab.topology.otherPlatform}: HTTP 404`,
  )
  await put(id, authority.lab.topology.server)
  await expect(order()).rejects.toThrow('unauthorized')
  ahead = 61_000
  // The public resolver still has the old record; the authority no longer does.
  expect(await addresses()).toEqual([authority.lab.topology.otherPlatform])
  await order()
})

it('stores accounts, found by key', async () => {
  const { account, client } = session
  expect((await getDirectory(client)).caaIdentities).toEqual(['lantern-ca.example'])
  const { privateKey } = account
  expect((await createAccount(client, { privateKey, contacts: [] })).url).toBe(account.url)
})
