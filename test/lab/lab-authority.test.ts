// The lab's own authority with the program's ACME client: names of the lab, records at its registrar, and
// challenge responders at the server's address.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { closeAcmeClient, createAcmeClient, getDirectory } from '#acme/requests/acme-client.ts'
import { createAccount } from '#acme/resources/accounts.ts'
import { getRenewalInfo } from '#acme/resources/renewal-info.ts'
import { findChainProblem, readCertificate } from '#acme/x509/certificate.ts'
import { createKey } from '#acme/x509/keys.ts'
import { answerHttp, answerTls } from '../acme/authority-in-test.ts'
import { begin, issue } from '../acme/issue.ts'
import { startedLab } from './started-lab.ts'

const host = 'docs.lantern.example'

async function inLab(now: () => number = Date.now, env: Record<string, string> = {}) {
  const lab = await startedLab({ env: { PATH: process.env.PATH, PEBBLE: '', ...env }, now })
  const { authority, topology } = lab
  if (!authority) throw new Error('there is no authority')
  const [tokens, challengeCertificates] = [new Map(), new Map()]
  const { ports, server: address } = topology
  const http = await answerHttp({ address, port: ports.http }, tokens)
  onTestFinished(http.close)
  const tls = await answerTls({ address, port: ports.https }, challengeCertificates)
  onTestFinished(async () => void (await tls.close()))
  const client = createAcmeClient({
    directoryUrl: authority.directoryUrl,
    trustedRoots: await readFile(authority.rootFile, 'utf8'),
    userAgent: 'Animal-Store-Test',
    now: Date.now,
  })
  onTestFinished(() => closeAcmeClient(client))
  const privateKey = await createKey()
  const { url } = await createAccount(client, { privateKey, contacts: [] })
  await lab.ask('POST /domains', { name: 'lantern.example', provider: 'burrow' })
  await lab.ask('PUT /domains/lantern.example/scenario', { scenario: 'right', name: 'docs' })
  return { authority, client, lab, account: { url, privateKey }, tokens, challengeCertificates }
}

it.each(['http-01', 'tls-alpn-01'] as const)('issues by %s', async (by) => {
  const { account, authority, client, ...rest } = await inLab()
  const issued = await issue(client, rest, begin(account, { hosts: [host] }, by))
  expect(findChainProblem(issued, host, Date.now())).toBeUndefined()
  const root = new X509Certificate(await authority.root())
  expect(new X509Certificate(issued.chain).verify(root.publicKey)).toBe(true)
  const { renewalId = '' } = readCertificate(issued.chain)
  const renewal = await getRenewalInfo(client, renewalId)
  expect(renewal?.window.start).toBeGreaterThan(Date.now())
})

it('respects CAA, and refuses a wrong or missing response to the challenge', {
  timeout: 120_000,
}, async () => {
  const { account, client, lab, ...rest } = await inLab()
  await lab.ask('POST /domains', { name: 'strict.example', provider: 'burrow' })
  await lab.ask('PUT /domains/strict.example/scenario', { scenario: 'caa_none', name: 'docs' })
  const strict = issue(client, rest, begin(account, { hosts: ['docs.strict.example'] }))
  await expect(strict).rejects.toThrow('caa: CAA record for strict.example prevents issuance')
  const elsewhere = { ...rest, tokens: new Map() }
  const wrong = issue(client, elsewhere, begin(account, { hosts: [host] }))
  await expect(wrong).rejects.toThrow('unauthorized: 127.0.0.1: HTTP 404')
  const missing = issue(client, rest, begin(account, { hosts: ['nowhere.lantern.example'] }))
  await expect(missing).rejects.toThrow('dns: no valid A or AAAA records')
})

it('caches DNS answers for a minute at most', async () => {
  let ahead = 0
  const { account, client, lab, ...rest } = await inLab(() => Date.now() + ahead)
  const put = (id: number, value: string) => {
    const record = { name: 'old', type: 'A', value, ttlSeconds: 3600 }
    const route = id
      ? `PUT /domains/lantern.example/records/${id}`
      : 'POST /domains/lantern.example/records'
    return lab.ask(route, record)
  }
  const { json } = await put(0, lab.topology.otherPlatform)
  const { id = 0 } = (json.records as { id: number; name: string }[]).at(-1) ?? {}
  const order = () => issue(client, rest, begin(account, { hosts: ['old.lantern.example'] }))
  const addresses = async () =>
    (await lab.dns.resolver.resolve('old.lantern.example', 'A')).answers.map((answer) =>
      answer.type === 'A' ? answer.data : undefined,
    )
  expect(await addresses()).toEqual([lab.topology.otherPlatform])
  await expect(order()).rejects.toThrow(`unauthorized: ${lab.topology.otherPlatform}: HTTP 404`)
  await put(id, lab.topology.server)
  await expect(order()).rejects.toThrow('unauthorized')
  ahead = 61_000
  // The public resolver still has the old record; the authority no longer does.
  expect(await addresses()).toEqual([lab.topology.otherPlatform])
  await order()
})

it('stores accounts, found by key', async () => {
  const { account, client } = await inLab()
  expect((await getDirectory(client)).caaIdentities).toEqual(['lantern-ca.example'])
  const { privateKey } = account
  const again = await createAccount(client, { privateKey, contacts: [] })
  expect(again.url).toBe(account.url)
})
