import { expect, it, test } from 'vitest'
import { createVisitCounter, isRobot, readSource } from './visit-counter.ts'

test('projects whose visitors use up all names leave others some of their own', () => {
  const counter = createVisitCounter(() => 0)
  for (let project = 0; project < 300; project++)
    for (let n = 0; n < 200; n++) counter.count(`busy-${project}`, 'search', `word ${n}`)
  for (let n = 0; n < 30; n++) counter.count('quiet', 'search', `word ${n}`)
  const quiet = counter.take().filter(({ project }) => project === 'quiet')
  expect(quiet.filter(({ name }) => name !== '')).toHaveLength(20)
  expect(quiet.find(({ name }) => name === '')?.count).toBe(10)
})

it('knows browsers from programs', () => {
  for (const agent of [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  ]) {
    expect(isRobot(agent), agent).toBe(false)
    expect(isRobot(agent), agent).toBe(false)
  }
  for (const agent of [
    undefined,
    '',
    'curl/8.14.1',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    `Mozilla/5.0 ${'x'.repeat(400)}`,
  ]) {
    expect(isRobot(agent), agent).toBe(true)
  }
})

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
