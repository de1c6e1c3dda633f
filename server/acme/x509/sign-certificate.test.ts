// Certificate requests and challenge certificates, parsed by openssl.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createChallengeCertificate, keyAuthorization } from '../resources/orders.ts'
import { readChain, signRequest } from './certificate.ts'
import { oids, readExtensions } from './extensions.ts'
import { createKey, thumbprint } from './keys.ts'

it('a request is signed, and contains only its hosts', async () => {
  const request = signRequest(['one.example', '*.two.example'], await createKey())
  const words = ['req', '-inform', 'der', '-noout', '-verify', '-text']
  const said = execFileSync('openssl', words, { input: request, encoding: 'utf8', stdio: 'pipe' })
  expect(said).toContain('DNS:one.example, DNS:*.two.example')
  expect(said).toContain('Subject: \n')
  expect(said).toContain('ecdsa-with-SHA256')
})

it('a thumbprint follows RFC 7638 for a P-256 key', () => {
  // RFC 7517, appendix A.1, hashed as in RFC 7638: only the required members, in order.
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
    y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  } as const
  const text = `{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`
  expect(thumbprint(jwk)).toBe(createHash('sha256').update(text).digest('base64url'))
})

it('a challenge certificate has the digest of the key authorization, critical (RFC 8737)', async () => {
  const authorization = keyAuthorization('token', await createKey())
  expect(authorization).toMatch(/^token\.[\w-]{43}$/)
  const { chain } = await createChallengeCertificate('one.example', authorization, Date.now())
  const [certificate] = readChain(chain)
  const digest = createHash('sha256').update(authorization).digest()
  const value = readExtensions(certificate.raw).get(oids.acmeIdentifier)
  expect(value?.toString('hex')).toBe(`0420${digest.toString('hex')}`)
  expect(certificate.subjectAltName).toBe('DNS:one.example')
  const said = execFileSync('openssl', ['x509', '-noout', '-text'], {
    input: chain,
    encoding: 'utf8',
  })
  expect(said).toMatch(/1\.3\.6\.1\.5\.5\.7\.1\.31: critical/)
})

it('refuses a key on a curve other than P-256', async () => {
  const { generateKeyPairSync } = await import('node:crypto')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  expect(() => signRequest(['one.example'], pem)).toThrow('not on the curve P-256')
})
