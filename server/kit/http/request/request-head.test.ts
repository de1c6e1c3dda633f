import { expect, it } from 'vitest'
import { hostName } from './request-head.ts'

const longest = `${'x'.repeat(63)}.`.repeat(3) + 'x'.repeat(61)

it.each([
  ['Docs.Example', 'docs.example'],
  ['docs.example.:8080', 'docs.example'],
  ['_x.docs.example:', '_x.docs.example'],
  ['192.0.2.1:80', '192.0.2.1'],
  ['[2001:DB8::1]:65535', '[2001:db8::1]'],
  ['', ''],
  [`${longest}.:65535`, longest],
])('%s is the host %s', (authority, host) => {
  expect(hostName(authority)).toBe(host)
})

it.each([
  `${longest}x`,
  `${longest}.x`,
  `x:${'1'.repeat(30_000)}`,
  '[::1',
  '[::1]x',
  '[192.0.2.1]',
  '[]',
  'a b',
  'a/b',
  'ann@docs.example',
  '%61.example',
  'dócs.example',
  'a:b',
  'a:1:2',
  '::1',
  ':80',
])('%s is no host', (authority) => {
  expect(hostName(authority)).toBeUndefined()
})
