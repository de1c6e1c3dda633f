// Certificates from openssl, with features that the internal issuer does not use, and malformed ones.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import {
  type CertificateWithKey,
  createInternalRoot,
  findChainProblem,
  issueInternally,
  readCertificate,
  readChain,
  signCertificate,
  tidyChain,
} from './certificate.ts'
import { basicConstraints, keyUsage, readExtensions, subjectKeyId } from './extensions.ts'
import { keyIdOf, publicKeyInfo, readKey } from './keys.ts'

const dayMs = 86_400_000
const now = Date.now()
let folder: string
let theirs: CertificateWithKey
let root: CertificateWithKey
let ours: CertificateWithKey

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-chains-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    ...['req', '-x509', ...curve, '-days', '30', '-subj', '/C=XX/O=Test/CN=Their root'],
    ...['-keyout', file('root.key'), '-out', file('root.pem')],
  )
  openssl(
    ...['req', '-x509', ...curve, '-days', '10', '-subj', '/CN=One.example'],
    ...['-set_serial', '0x8765', '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-addext', 'subjectAltName=DNS:One.example,IP:192.0.2.1,DNS:*.wild.example'],
    ...['-addext', 'certificatePolicies=1.2.3.4', '-CA', file('root.pem')],
    ...['-CAkey', file('root.key'), '-keyout', file('own.key'), '-out', file('own.pem')],
  )
  const read = (name: string) => readFileSync(file(name), 'utf8')
  theirs = { chain: read('own.pem') + read('root.pem'), key: read('own.key') }
  root = await createInternalRoot('Our root', now)
  ours = await issueInternally(root, ['two.example'], { days: 10, now })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the facts of a certificate', () => {
  it('are read', () => {
    const facts = readCertificate(theirs.chain)
    expect(facts).toMatchObject({
      hosts: ['one.example', '*.wild.example'],
      serial: '8765',
    })
    expect(facts.notAfter - facts.notBefore).toBe(10 * dayMs)
    expect(facts.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    const said = execFileSync('openssl', ['x509', '-noout', '-ext', 'authorityKeyIdentifier'], {
      input: theirs.chain,
      encoding: 'utf8',
    })
    const [keyId = ''] = /([0-9A-F]{2}(:[0-9A-F]{2}){19})/.exec(said) ?? []
    const text = Buffer.from(keyId.replaceAll(':', ''), 'hex').toString('base64url')
    // The serial number is positive: a zero byte before 87 (RFC 9773, section 4.1).
    expect(facts.renewalId).toBe(`${text}.AIdl`)
  })

  it('have no renewal id without an authority key identifier', () => {
    expect(readCertificate(root.chain)).toMatchObject({
      renewalId: undefined,
      hosts: [],
    })
  })
})

describe('a chain', () => {
  it('is normalized: text and carriage returns are removed', () => {
    const untidy = `Bag Attributes: none\r\n${theirs.chain.replaceAll('\n', '\r\n')}\nBye`
    expect(tidyChain(untidy)).toBe(theirs.chain)
  })

  it.each([
    ['nothing', '', 'there is no certificate'],
    [
      'nonsense',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'a certificate of the chain cannot be read',
    ],
  ])('of %s is refused', (_, chain, message) => {
    expect(() => readChain(chain)).toThrow(new RangeError(message))
  })

  it('with too many certificates is refused', () => {
    expect(() => readChain(ours.chain.repeat(11))).toThrow('too many')
    expect(readChain(ours.chain.repeat(10))).toHaveLength(10)
  })

  it('with changed bytes is parsed or refused; a truncated one is refused', () => {
    const der = readChain(ours.chain)[0].raw
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.nat(255), (at, byte) => {
        const broken = Buffer.from(der)
        broken[at] = byte
        try {
          readExtensions(broken)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
        expect(() => readExtensions(der.subarray(0, at))).toThrow(RangeError)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('checks of a chain', () => {
  const problem = (shown: CertificateWithKey, host: string, at = now) =>
    findChainProblem(shown, host, at)

  it.each(['one.example', 'ONE.example', 'a.wild.example'])('accepts the host %s', (host) => {
    expect(problem(theirs, host)).toBeUndefined()
  })

  it.each(['wild.example', 'a.b.wild.example', 'xone.example', 'example', '192.0.2.1'])(
    'refuses the host %s',
    (host) => {
      expect(problem(theirs, host)).toBe(`the certificate is not for ${host}`)
    },
  )

  it('the key must match the certificate', () => {
    const other = { chain: theirs.chain, key: ours.key }
    expect(problem(other, 'one.example')).toBe('the certificate is not for this key')
  })

  it('the current time must be within the validity period', () => {
    expect(problem(theirs, 'one.example', now + 11 * dayMs)).toBe('the certificate has expired')
    expect(problem(theirs, 'one.example', now - dayMs)).toBe('the certificate is not valid yet')
    // A clock that is slightly behind.
    expect(problem(theirs, 'one.example', now - 1_800_000)).toBeUndefined()
  })

  it('each certificate must be signed by the next', () => {
    const [own = ''] = theirs.chain.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n/g) ?? []
    expect(problem({ ...theirs, chain: own }, 'one.example')).toBeUndefined()
    expect(problem({ ...theirs, chain: own + root.chain }, 'one.example')).toBe(
      'the certificate is not signed by the one after it',
    )
  })

  it('refuses a root with the name and key id of the internal root but another key', async () => {
    const publicKey = publicKeyInfo(readKey(theirs.key))
    const { notAfter } = readCertificate(ours.chain)
    const issuer = new X509Certificate(ours.chain).issuer.replace('CN=', '')
    const forged = signCertificate(
      {
        subject: issuer,
        issuer,
        notBefore: now - dayMs,
        notAfter,
        publicKey,
        extensions: [
          basicConstraints(true),
          keyUsage('authority'),
          subjectKeyId(keyIdOf(publicKeyInfo(readKey(root.key)))),
        ],
      },
      readKey(theirs.key),
    )
    const [own, signer] = readChain(ours.chain + forged)
    expect(signer && own.checkIssued(signer)).toBe(true)
    expect(problem({ ...ours, chain: ours.chain + forged }, 'two.example')).toBe(
      'the certificate is not signed by the one after it',
    )
    expect(problem({ ...ours, chain: ours.chain + root.chain }, 'two.example')).toBeUndefined()
  })
})

it('a key on a curve other than P-256 is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  expect(() => readKey(pem)).toThrow('not on the curve P-256')
})
