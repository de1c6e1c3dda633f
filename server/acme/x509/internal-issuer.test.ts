// Certificates of the internal issuer, checked by openssl in its strictest mode. A TLS client that trusts only the root:
// test/certificates/root-command.test.ts.
import { describe, expect, it } from 'vitest'
import { verifyByOpenssl } from '../../../test/certificates/openssl-verify.ts'
import {
  createInternalRoot,
  findChainProblem,
  issueInternally,
  readCertificate,
} from './certificate.ts'

const dayMs = 86_400_000
const now = Date.now()
const names = ['localhost', '*.docs.localhost', '127.0.0.1', '::1', '2001:db8::1:0:2']

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
    expect(verifyByOpenssl(root.chain, leaf.chain, option, value)).toBe('OK')
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
    expect(verifyByOpenssl(root.chain, leaf.chain, '-attime', `${then / 1000}`)).toBe('OK')
  })
})
