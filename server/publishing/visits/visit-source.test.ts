import { expect, it } from 'vitest'
import { readSource } from './visit-counter.ts'

const host = 'docs.example.com'
const read = (referer?: string, isSameOrigin = false) => readSource({ host, isSameOrigin, referer })

it.each([
  ['https://news.example.org/item?id=1#top', 'news.example.org'],
  ['https://www.example.org/', 'example.org'],
  ['http://EXAMPLE.org.:8080/a', 'example.org'],
  ['https://example.org', 'example.org'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  ['http://wiki/start', 'wiki'],
  ['https://www.com/', 'www.com'],
])('reads the host of %s', (referer, source) => {
  expect(read(referer)).toBe(source)
})

it('tells a visitor without a source from a link within the site', () => {
  expect(read()).toBe('')
  expect(read('')).toBe('')
  expect(read(undefined, true)).toBe(undefined)
  expect(read(`https://${host}/guide`)).toBe(undefined)
  expect(read(`https://${host}:8443/`, true)).toBe(undefined)
})

it.each([
  'https://192.0.2.1/',
  'https://[2001:db8::1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://user:secret@example.org/',
  'https://example.org?id=1',
  'https://exam ple.org/',
  'https://bücher.example/',
  'https://exa\u0000mple.org/',
  'https://-example.org/',
  'https://example..org/',
  'https://exa_mple.org/',
  'https://example.org:port/',
  'https://',
  'https:///path',
  'android-app://com.example.reader/',
  'about:client',
  'HTTPS://example.org/',
  `https://${'a'.repeat(64)}.example/`,
  `https://${'a.'.repeat(200)}example/`,
  `https://${'-'.repeat(5000)}`,
])('drops %j', (referer) => {
  expect(read(referer)).toBe(undefined)
})
