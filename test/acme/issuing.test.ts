// Certificates from a real authority: by both challenges, with bad nonces, with bindings, with profiles, with
// other chains, and from any step on.
import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PebbleOptions } from '../../lab/certificate-authority/pebble.ts'
import { getDirectory } from '../../server/publishing/acme/acme-client.ts'
import {
  findChainProblem,
  readCertificate,
} from '../../server/publishing/acme/certificate-facts.ts'
import { downloadCertificate } from '../../server/publishing/acme/certificates.ts'
import { type AuthorityInTest, startAuthority } from './authority-in-test.ts'
import { begin, issue } from './issue.ts'

let authority: AuthorityInTest
beforeAll(async () => {
  authority = await startAuthority()
})
afterAll(() => authority.stop())

async function _authorityWith(options: PebbleOptions): Promise<AuthorityInTest> {
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
    const facts = readCertificate(issued.chain)
    expect(facts.hosts).toEqual([host])
    expect(facts.renewalId).toMatch(/^[\w-]{27,}\.[\w-]+$/)
    const root = new X509Certificate(await authority.pebble.root())
    expect(root.subject).toContain(facts.rootIssuer)
  })
})
