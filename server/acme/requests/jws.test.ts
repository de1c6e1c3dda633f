import { createHmac, createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKey, publicJwk, readKey } from '../x509/keys.ts'
import { bindExternalAccount, type Jws, signJws } from './acme-client.ts'

const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
const url = 'https://authority.example/order'

function isSigned({ payload, protected: header, signature }: Jws, pem: string): boolean {
  const key = createPublicKey(readKey(pem))
  const text = Buffer.from(`${header}.${payload}`)
  const bytes = Buffer.from(signature, 'base64url')
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

it('a request has the key, URL and nonce; an ES256 signature has 64 bytes (RFC 7518, 3.4)', async () => {
  const pem = await createKey()
  const jws = signJws({ nonce: 'n', url, kid: 'https://a.example/1' }, { a: 1 }, readKey(pem))
  expect(decode(jws.protected)).toEqual({
    alg: 'ES256',
    nonce: 'n',
    url,
    kid: 'https://a.example/1',
  })
  expect(decode(jws.payload)).toEqual({ a: 1 })
  expect(Buffer.from(jws.signature, 'base64url')).toHaveLength(64)
  expect(isSigned(jws, pem)).toBe(true)
  expect(isSigned({ ...jws, payload: 'e30' }, pem)).toBe(false)
})

it('a POST-as-GET has an empty payload', async () => {
  const key = readKey(await createKey())
  const jws = signJws({ nonce: 'n', url, jwk: publicJwk(key) }, undefined, key)
  expect(jws.payload).toBe('')
  expect(decode(jws.protected).jwk).toEqual(publicJwk(key))
})

it('a binding has the key as its payload, and no nonce', async () => {
  const jwk = publicJwk(readKey(await createKey()))
  const macKey = Buffer.from('a secret of theirs').toString('base64url')
  const jws = bindExternalAccount({ keyId: 'kid-1', macKey }, jwk, url)
  expect(decode(jws.protected)).toEqual({ alg: 'HS256', kid: 'kid-1', url })
  expect(decode(jws.payload)).toEqual(jwk)
  const text = `${jws.protected}.${jws.payload}`
  const mac = createHmac('sha256', 'a secret of theirs').update(text).digest('base64url')
  expect(jws.signature).toBe(mac)
})
