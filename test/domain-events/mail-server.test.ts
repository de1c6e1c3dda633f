// Sending mail by SMTP: when credentials are sent, and that errors do not reveal them.
import { afterEach, expect, it } from 'vitest'
import { createMailSender, type MailOutcome, readSmtpUrl } from '#kit/mail/send-mail.ts'
import {
  login,
  type MailServer,
  type MailServerOptions,
  startMailServer,
  trustMailServer,
} from './mail-server.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const one of undo.splice(0)) await one()
})

async function serve(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  undo.push(() => server.close())
  return server
}

async function send(url: string): Promise<MailOutcome> {
  const read = readSmtpUrl(url)
  if (!read) throw new Error(url)
  const sender = createMailSender({ ...read, from: 'store@animals.example' })
  return await sender({
    to: 'owner@example.com',
    subject: 'Grüße',
    text: 'Hello.\n.\n',
    id: 'evt_1',
    at: new Date(0),
  })
}

const notHere = (url: string): string => url.replace('localhost', '0.0.0.0')

it('encrypts from the first byte with smtps', async () => {
  undo.push(trustMailServer())
  const server = await serve({ isSecure: true })
  expect(await send(server.url)).toBe('sent')
  expect(server.received).toMatchObject([
    {
      isEncrypted: true,
      user: login.user,
      text: 'Hello.\n.\n',
      headers: { date: 'Thu, 01 Jan 1970 00:00:00 +0000' },
    },
  ])
})

it('sends no credentials to a server with an untrusted certificate', async () => {
  const server = await serve()
  expect(await send(server.url)).toMatchObject({
    failed: expect.stringMatching(/CERT|ESOCKET|ETLS/),
  })
  const secure = await serve({ isSecure: true })
  expect(await send(secure.url)).toMatchObject({ failed: expect.any(String) })
  expect([...server.logins, ...secure.logins]).toEqual([])
})

it('sends no credentials over an unencrypted connection, except to this machine', async () => {
  const server = await serve({ isPlain: true })
  expect(await send(notHere(server.url))).toMatchObject({ failed: expect.any(String) })
  expect(server.logins).toEqual([])
  expect(await send(server.url)).toBe('sent')
  expect(server.logins).toEqual([`${login.user}:${login.password}`])
})

it('encrypts without credentials where possible', async () => {
  const server = await serve({ isOpen: true })
  expect(await send(notHere(server.url))).toBe('sent')
  const plain = await serve({ isOpen: true, isPlain: true })
  expect(await send(notHere(plain.url))).toBe('sent')
  expect([...server.received, ...plain.received]).toMatchObject([
    { isEncrypted: true },
    { isEncrypted: false },
  ])
})

it("reports an error without the server's text or the credentials", async () => {
  undo.push(trustMailServer())
  const server = await serve()
  const wrong = await send(server.url.replace(login.user, 'raven'))
  expect(wrong).toEqual({ failed: 'EAUTH AUTH PLAIN 535' })
  server.mode = 'refuses'
  expect(await send(server.url)).toEqual({ refused: 'EENVELOPE RCPT TO 550' })
  server.mode = 'busy'
  expect(await send(server.url)).toEqual({ failed: 'EENVELOPE RCPT TO 451' })
  await server.close()
  expect(await send(server.url)).toEqual({ failed: 'ESOCKET CONN' })
})
