import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../config/config.ts'
import { isMailFrom, readSmtpUrl } from './send-mail.ts'

it('reads a server with and without login and port', () => {
  expect(readSmtpUrl('smtp://mail.example.com')).toEqual({
    host: 'mail.example.com',
    port: 587,
    isSecure: false,
    login: undefined,
  })
  expect(readSmtpUrl('smtps://a%40b:p%2Fw@[::1]:2465')).toEqual({
    host: '::1',
    port: 2465,
    isSecure: true,
    login: { user: 'a@b', password: 'p/w' },
  })
  expect(readSmtpUrl('smtps://mail.example.com')?.port).toBe(465)
})

it.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://user@mail.example.com',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?tls=no',
  'smtp://a:%ff@mail.example.com',
])('refuses %s', (text) => {
  expect(readSmtpUrl(text)).toBeUndefined()
})

it('never shows the password of a URL that it refuses', () => {
  const refuse = () => readConfig({ SMTP_URL: 'smtp://owl:wisdom@host:99999999' })
  expect(refuse).toThrow(ConfigError)
  expect(refuse).not.toThrow(/wisdom/)
})

it('accepts an address with or without a name, and refuses text that could add a second header', () => {
  expect(isMailFrom('store@example.com')).toBe(true)
  expect(isMailFrom('The Store <store@example.com>')).toBe(true)
  for (const text of ['store', 'a@b, c@d', 'A <a@b> c', 'A\r\nBcc: x@y <a@b>', '<a@b']) {
    expect([text, isMailFrom(text)]).toEqual([text, false])
  }
})
