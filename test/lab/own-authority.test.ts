// The lab's own authority against our own client: names of the lab, records at its registrar, and what answers
// the challenges where the server would be.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import {
  closeAcmeClient,
  createAcmeClient,
  getDirectory,
} from '../../server/publishing/acme/requests/acme-client.ts'
import {
  changeKey,
  createAccount,
  deactivateAccount,
  findAccount,
} from '../../server/publishing/acme/resources/accounts.ts'
import { revokeCertificate } from '../../server/publishing/acme/resources/certificates.ts'
import { getRenewalInfo } from '../../server/publishing/acme/resources/renewal-info.ts'
import {
  findChainProblem,
  readCertificate,
} from '../../server/publishing/acme/x509/certificate-facts.ts'
import { createKey } from '../../server/publishing/acme/x509/keys.ts'
import { answerHttp, answerTls } from '../acme/authority-in-test.ts'
import { begin, issue } from '../acme/issue.ts'
import { startedLab } from './started-lab.ts'

const host = 'docs.lantern.example'

async function inLab() {
  const lab = await startedLab({ env: { PATH: process.env.PATH, PEBBLE: '' } })
  const { authority, places } = lab
  if (!authority) throw new Error('there is no authority')
  const [tokens, challengeCertificates] = [new Map(), new Map()]
  const { ports, server: address } = places
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
  const { url } = await createAccount(client, { privateKey, contacts: [], agreesToTerms: true })
  await lab.ask('POST /domains', { name: 'lantern.example', provider: 'burrow' })
  await lab.ask('PUT /domains/lantern.example/scene', { scene: 'right', name: 'docs' })
  return { authority, client, lab, account: { url, privateKey }, tokens, challengeCertificates }
}

it.each(['http-01', 'tls-alpn-01'] as const)('issues by %s', { timeout: 30_000 }, async (by) => {
  const { account, authority, client, ...places } = await inLab()
  const issued = await issue(client, places, begin(account, { hosts: [host] }, by))
  expect(findChainProblem(issued, host, Date.now())).toBeUndefined()
  const root = new X509Certificate(await authority.root())
  expect(new X509Certificate(issued.chain).verify(root.publicKey)).toBe(true)
  const { renewalId = '' } = readCertificate(issued.chain)
  const before = await getRenewalInfo(client, renewalId)
  expect(before?.window.start).toBeGreaterThan(Date.now())
  await revokeCertificate(client, account, issued.chain, 'superseded')
  // What is revoked is to be renewed at once.
  expect((await getRenewalInfo(client, renewalId))?.window.start).toBeLessThan(Date.now())
})

it('obeys CAA, and what does not answer the challenge', { timeout: 30_000 }, async () => {
  const { account, client, lab, ...places } = await inLab()
  await lab.ask('POST /domains', { name: 'strict.example', provider: 'burrow' })
  await lab.ask('PUT /domains/strict.example/scene', { scene: 'caa_none', name: 'docs' })
  const strict = issue(client, places, begin(account, { hosts: ['docs.strict.example'] }))
  await expect(strict).rejects.toThrow('caa: CAA record for strict.example prevents issuance')
  const elsewhere = { ...places, tokens: new Map() }
  const wrong = issue(client, elsewhere, begin(account, { hosts: [host] }))
  await expect(wrong).rejects.toThrow('unauthorized: 127.0.0.1: HTTP 404')
  const missing = issue(client, places, begin(account, { hosts: ['nowhere.lantern.example'] }))
  await expect(missing).rejects.toThrow('dns: no valid A or AAAA records')
})

it('keeps accounts: found by key, changed, ended', { timeout: 30_000 }, async () => {
  const { account, client } = await inLab()
  expect((await getDirectory(client)).caaIdentities).toEqual(['lantern-ca.example'])
  const newKey = await createKey()
  const changed = await changeKey(client, account, newKey)
  expect((await findAccount(client, newKey)).url).toBe(account.url)
  await expect(findAccount(client, account.privateKey)).rejects.toThrow('accountDoesNotExist')
  expect((await deactivateAccount(client, changed)).status).toBe('deactivated')
})
