import { describe, expect, it } from 'vitest'
import { parseEmail } from './email-address.ts'

describe('accepts', () => {
  it.each([
    ['rosa@example.com', 'rosa@example.com'],
    ['Rosa.Blum+store@Example.COM', 'rosa.blum+store@example.com'],
    ['rosa@Bücher.example', 'rosa@xn--bcher-kva.example'],
    ['rosa@xn--bcher-kva.example', 'rosa@xn--bcher-kva.example'],
    ['Jörg@example.com', 'jörg@example.com'],
    ['Jo\u0308rg@example.com', 'jörg@example.com'],
    ["o'neill!#$%&*/=?^_`{|}~-@example.com", "o'neill!#$%&*/=?^_`{|}~-@example.com"],
    ['operator@localhost', 'operator@localhost'],
    ['a@1.example', 'a@1.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s', (text, key) => {
    expect(parseEmail(text)).toEqual({ text: text.normalize('NFC'), key })
  })
})

describe('refuses', () => {
  it.each([
    '',
    'rosa',
    '@example.com',
    'rosa@',
    'a@b@example.com',
    ' rosa@example.com',
    'rosa@example.com ',
    'rosa blum@example.com',
    'rosa@exam ple.com',
    'rosa@example.com\n',
    'rosa\u0000@example.com',
    'Rosa <rosa@example.com>',
    '"rosa blum"@example.com',
    '.rosa@example.com',
    'rosa.@example.com',
    'ro..sa@example.com',
    'rosa@.example.com',
    'rosa@example..com',
    'rosa@example.com.',
    'rosa@-example.com',
    'rosa@exa_mple.com',
    'rosa@example.com/x',
    'rosa@exa%6dple.com',
    'rosa@127.0.0.1',
    'rosa@0x7f.1',
    'rosa@[::1]',
    'rosa@example.123',
    `${'a'.repeat(65)}@example.com`,
    `rosa@${'a'.repeat(64)}.com`,
    `rosa@${'abcdefg.'.repeat(31)}example`,
    'ro\ud800sa@example.com',
  ])('%j', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})

it('distinguishes addresses that may belong to different people', () => {
  const keys = ['r.osa@example.com', 'rosa@example.com', 'rosa+1@example.com', 'rosa@example.org']
  expect(new Set(keys.map((text) => parseEmail(text)?.key)).size).toBe(4)
})
