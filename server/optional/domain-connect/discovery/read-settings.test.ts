// What strangers' DNS and documents may say, and what is read from them.
import { expect, it } from 'vitest'
import { findAllowedProvider, readDiscoveryValue, readSettings } from './discover-provider.ts'

const consentOrigin = 'https://dash.cloudflare.com'
const settings = {
  providerId: 'cloudflare.com',
  providerName: 'Cloudflare',
  urlSyncUX: `${consentOrigin}/domainconnect`,
  urlAPI: 'https://api.cloudflare.com/client/v4/dns/domainconnect',
  urlControlPanel: 'https://dash.cloudflare.com/?zone=%domain%',
  nameServers: ['A.NS.Cloudflare.com.'],
  unknown: { field: [1] },
}
const read = (change: object = {}) =>
  readSettings(JSON.stringify({ ...settings, ...change }), { consentOrigin, zone: 'example.com' })

it('reads the addresses of known providers only', () => {
  const find = (value: string) => {
    const discovery = readDiscoveryValue(value)
    return discovery && findAllowedProvider(discovery, [])?.consentOrigin
  }
  expect(find(' API.cloudflare.com/client/v4/dns/domainconnect/ ')).toBe(consentOrigin)
  expect(find('domainconnect.vercel.com')).toBe('https://vercel.com')
  for (const value of [
    ...[
      '',
      'https://domainconnect.vercel.com',
      'domainconnect.vercel.com?x',
      'a@domainconnect.vercel.com',
    ],
    ...['domainconnect.vercel.com#x', 'domainconnect.vercel.com:99999', 'a b', '169.254.169.254'],
    ...[
      'domainconnect.vercel.com/../x',
      'domainconnect.vercel.com.evil.example',
      `${'a'.repeat(250)}.com`,
    ],
    ...['domainconnect.vercel.com\\@evil.example', '[::1]', 'localhost'],
  ])
    expect(find(value), value).toBeUndefined()
})

it('reads settings, and text for display without control characters', () => {
  expect(read()).toMatchObject({
    name: 'Cloudflare',
    consentUrl: { href: settings.urlSyncUX },
    nameServers: ['a.ns.cloudflare.com'],
    controlPanel: 'https://dash.cloudflare.com/?zone=example.com',
  })
  expect(read({ providerDisplayName: 'Cloud\u202e\u0007flare ' })?.name).toBe('Cloudflare')
  expect(read({ providerName: 'x'.repeat(500) })?.name).toHaveLength(60)
  expect(read({ providerName: 5 })?.name).toBe('cloudflare.com')
  expect(read({ urlSyncUX: undefined })?.consentUrl).toBeUndefined()
  expect(read({ urlControlPanel: 'javascript:alert(1)' })?.controlPanel).toBeUndefined()
  expect(read({ crit: ['urlAPI'] })).toBeDefined()
})

it.each([
  { providerId: '' },
  { providerId: 'a b' },
  { urlAPI: undefined },
  { urlAPI: 'http://api.cloudflare.com' },
  { urlAPI: 'https://user:secret@api.cloudflare.com' },
  { urlAPI: `https://api.cloudflare.com/${'x'.repeat(500)}` },
  { urlSyncUX: 'http://dash.cloudflare.com' },
  { urlSyncUX: 'javascript:alert(1)' },
  { urlSyncUX: `${consentOrigin}/?next=x` },
  { urlSyncUX: `${consentOrigin}/#x` },
  { nameServers: 'a.ns.cloudflare.com' },
  { nameServers: Array.from({ length: 51 }, () => 'ns') },
  { crit: ['futureField'] },
  { crit: 'urlAPI' },
])('does not use %j', (change) => {
  expect(read(change)).toBeUndefined()
})

it('does not use what is no JSON object', () => {
  for (const text of ['', '[]', 'null', '"x"', '<html>'])
    expect(readSettings(text, { consentOrigin, zone: 'example.com' })).toBeUndefined()
})
