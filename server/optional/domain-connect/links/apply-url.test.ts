// The signature against the example of the specification, and the canonical form of a query.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalQuery, createApplyUrl, signQuery } from './apply-url.ts'
import { findPublicationProblem, writePublicKeyRecords } from './signing-keys.ts'

/** Domain Connect 2.3, Digitally Sign Requests. */
const published = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA18SgvpmeasN4BHkkv0SBjAzIc4grYLjiAXRtNiBUiGUDMeTzQrKT
sWvy9NuxU1dIHCZy9o1CrKNg5EzLIZLNyMfI6qiXnM+HMd4byp97zs/3D39Q8iR5poubQcRaGozWx8yQpG0OcVdmEVcTfyR/
XSEWC5u16EBNvRnNAOAvZYUdWqVyQvXsjnxQot8KcK0QP8iHpoL/1dbdRy2opRPQ2FdZpovUgknybq/6FkeDtW7uCQ6Mvu4Q
xcUa3+WP9nYHKtgWip/eFxpeb+qLvcLHf1h0JXtxLVdyy6OLk3f2JRYUX2ZZVDvG3biTpeJz6iRzjGg6MfGxXZHjI8weDjXr
JwIDAQAB
-----END PUBLIC KEY-----`
const example = {
  query: 'a=1&b=2&ip=10.10.10.10&domain=example.net',
  signature: decodeURIComponent(
    'V2te9zWMU7G3plxBTsmYSJTvn2vzMvNwAjWQ%2BwTe91DxuJhdVf4cVc4vZBYfEYV7u5d7PzTO7se7OrkhyiB7TpoJJW1yB5qHR7HKM5SZldUsdtg5%2B1SzEtIX0Uq8b2mCmQF%2FuJGXpqCyFrEajvpTM7fFKPk1kuctmtkjV7%2BATcvNPLWY7KyE4%2Bqc8jpfN61cP5l8iA4krAa3%2BfTro5cmWR8YUJ5yrnRs6KT4b5D71HFvOUk0sGEUddUUlsyRQKRHUFN6HjEya50YDHfZJlYHkHlK0xX6Yqeii9QZ2I35U9eJbSvZGQko5beqviWFXdsVDbvd3DYcbSHgJq9%2FXoMTTw%3D%3D',
  ),
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const isSigned = (query: string, signature: string, key = publicKey) =>
  verify('RSA-SHA256', Buffer.from(query), key, Buffer.from(signature, 'base64'))

describe('signatures', () => {
  it('are those of the specification', () => {
    expect(isSigned(example.query, example.signature, published)).toBe(true)
    expect(isSigned(`${example.query}&c=3`, example.signature, published)).toBe(false)
    expect(isSigned(example.query, signQuery(example.query, privateKey))).toBe(true)
  })

  it('are of names and values percent-encoded as in RFC 3986, sorted by the encoded name', () => {
    const query = canonicalQuery({ b: "a b+c!'()*", Z: '', 'a é': 'ü/?&=%', a: '~-._' })
    expect(query).toBe('Z=&a=~-._&a%20%C3%A9=%C3%BC%2F%3F%26%3D%25&b=a%20b%2Bc%21%27%28%29%2A')
  })
})

it('creates links with the groups always, and the signature at the end', () => {
  const url = createApplyUrl(
    {
      ...{ providerId: 'example-host.com', serviceId: 'docs', domain: 'example.net' },
      consentUrl: new URL('https://dns.example/manage/'),
      ...{ host: 'a.b', groups: ['site', 'ownership'], variables: { verify: 'x-_y' } },
      ...{ redirectUri: 'https://dash.example/connect/s1?x=1&y=2', state: 's1' },
    },
    { label: '_dck7', privateKey },
  )
  const [base, query = ''] = url.split('?')
  expect(base).toBe(
    'https://dns.example/manage/v2/domainTemplates/providers/example-host.com/services/docs/apply',
  )
  const [signed = '', signature = ''] = query.split('&key=_dck7&sig=')
  expect(signed).toBe(
    'domain=example.net&groupId=site%2Cownership&host=a.b&redirect_uri=https%3A%2F%2Fdash.example%2Fconnect%2Fs1%3Fx%3D1%26y%3D2&state=s1&verify=x-_y',
  )
  expect(isSigned(signed, decodeURIComponent(signature))).toBe(true)
})

it('publishes a key in pieces that fit into one string each', () => {
  const records = writePublicKeyRecords(privateKey)
  expect(records).toHaveLength(2)
  expect(records.every((each) => each.length <= 255)).toBe(true)
  const text = records.map((each) => each.replace(/^p=\d,a=RS256,d=/, '')).join('')
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  expect(key.export({ type: 'spki', format: 'pem' })).toBe(publicKey)
  const [first = '', second = ''] = records
  expect(findPublicationProblem(records, [second, first])).toBeUndefined()
  expect(findPublicationProblem(records, [])).toBe('there is no TXT record')
  expect(findPublicationProblem(records, [first])).toBe('1 of 2 records are missing')
  expect(findPublicationProblem(records, ['v=spf1 -all'])).toContain('not those of this key')
  expect(findPublicationProblem(records, [...records, 'p=3,d=x'])).toContain('other TXT records')
})
