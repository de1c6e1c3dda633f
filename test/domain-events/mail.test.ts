// Owners get mail through a real mail server, exactly once, through failures of the server and restarts of ours.

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Project } from '#publishing/projects/schema.ts'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import { type DomainsInTest, type Owner, startDomains, target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { day, hour, minute, type Person, password } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { login, type MailServer, startMailServer, trustMailServer } from './mail-server.ts'

const us = `${target}.`

beforeAll(trustMailServer)

describe.each(anyEngine)('mail on %s', (engine) => {
  let world: DomainsInTest
  let server: MailServer
  afterEach(async () => {
    await world.release()
    await server.close()
  })

  async function begin(env: Record<string, string> = {}, query = ''): Promise<Owner> {
    server = await startMailServer()
    world = await startDomains(engine, { env: { SMTP_URL: server.url + query, ...env } })
    const owner = await world.owner()
    await confirm(owner.person.ask, owner.person.account.email)
    return owner
  }

  const linksTo = (email: string) =>
    server.received.filter(({ headers, to }) => {
      return to === email && headers.subject === 'Confirm your e-mail address'
    })

  /** The secret of the link in the last mail to the address. */
  const tokenFor = (email: string) =>
    linksTo(email)
      .at(-1)
      ?.text.match(/#(\S+)/)?.[1] ?? ''

  async function confirm(ask: Person['ask'], email: string): Promise<void> {
    const sent = await ask('/account/email-confirmation', { method: 'POST' })
    expect(sent.status).toBe(204)
    const body = { token: tokenFor(email) }
    expect((await world.anonymous('/email-confirmation', { body })).status).toBe(204)
    // Tests count the other mails.
    server.received.splice(0)
    server.attempts = 0
  }

  /** Proves a domain and removes it again, which sends a mail. */
  async function addAndRemove(owner: Owner): Promise<string> {
    const { host } = await owner.addProven()
    await owner.remove(host)
    return host
  }

  /** Makes a domain active, which sends a mail. */
  async function addLive(owner: Owner): Promise<string> {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    zone.put('_animal-store.docs', 'TXT', (await owner.add(host)).verification.value)
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    return host
  }

  const mailsOf = (host: string) =>
    server.received.filter(({ headers }) => headers.subject?.includes(host))
  const waitForMail = (host: string, word: string) =>
    eventually(
      async () => mailsOf(host).filter(({ headers }) => headers.subject?.includes(word)),
      (mails) => mails.length > 0,
    )

  it('reports a removed domain with the records to delete', async () => {
    const sender = encodeURIComponent('The Store <store@animals.example>')
    const owner = await begin({}, `?from=${sender}`)
    const { host, zone } = await owner.addProven()
    const { value } = (await owner.get(host)).verification
    zone.put('_animal-store.docs', 'TXT', value)
    await owner.verify(host)
    await owner.remove(host)
    const [mail] = await waitForMail(host, 'removed')
    expect(mail).toMatchObject({
      to: owner.person.account.email,
      isEncrypted: true,
      user: login.user,
      headers: {
        subject: `${host} was removed`,
        from: 'The Store <store@animals.example>',
        to: owner.person.account.email,
        'auto-submitted': 'auto-generated',
        'message-id': expect.stringMatching(/^<evt_\w+\.acc_\w+@animals\.example>$/),
      },
    })
    expect(mail?.text).toContain(`Somebody removed ${host} from ${owner.slug}.`)
    expect(mail?.text).toContain(`/projects/${owner.slug}/settings/domains\n`)
    const records = [`${host}  CNAME  ${target}`, `_animal-store.${host}  TXT  ${value}`]
    // Quoted-printable.
    const textOf = (sent: typeof mail) => sent?.text.replaceAll('=3D', '=')
    expect(textOf(mail)).toContain(`take over the name.\n${records.join('\n')}\n\n`)
  })

  it('warns before a domain is lost, with what to do', async () => {
    const owner = await begin()
    const { host, zone } = await owner.addProven()
    zone.clear('docs')
    await owner.verify(host)
    world.pass(11 * minute)
    await owner.verify(host)
    const [mail] = await waitForMail(host, 'no longer points to us')
    expect(mail?.text).toContain(`${host}  CNAME  ${target}`)
    expect(mail?.text).toContain('until 8 January 2027 at the latest')
    world.pass(7 * day)
    await owner.verify(host)
    await waitForMail(host, 'no longer served')
  })

  it('reports a failed certificate once, for any number of attempts', async () => {
    const owner = await begin({ ACME_DIRECTORY: 'https://127.0.0.1:1/directory' })
    const host = await addLive(owner)
    const events = async () => (await owner.events(host)).filter(({ type }) => type === 'failed')
    await waitForMail(host, 'has no certificate yet')
    for (const [tries, waitMs] of [
      [2, 2 * minute],
      [3, 12 * minute],
    ] as const) {
      world.pass(waitMs)
      await eventually(events, (failed) => failed.length === tries)
    }
    expect((await events())[0]).toMatchObject({ detail: { code: 'noAnswer' } })
    expect(mailsOf(host)[0]?.text).toContain('The certificate authority said:')
    expect(mailsOf(host).map(({ headers }) => headers.subject)).toEqual([
      `${host} has no certificate yet`,
    ])
  })

  if (isLong)
    it('is sent to every operator for shared projects', async () => {
      server = await startMailServer()
      const env = { SMTP_URL: server.url, FIRST_PROJECT: 'on' }
      world = await startDomains(engine, { env })
      const { operator } = world
      await eventually(
        async () => (await operator.ask('/projects/animal-store')).json as Partial<Project>,
        ({ liveDeploy }) => liveDeploy != null,
        60_000,
      )
      const email = 'otto@example.com'
      const invited = await operator.post('/invitations', { email, role: 'operator' })
      const { link } = invited.json as { link: string }
      const token = new URL(link).hash.slice(1)
      const body = { token, email, name: 'Otto', password }
      const otto = await world.anonymous('/invitations/accept', { body })
      const cookie = otto.headers['set-cookie']?.split(';')[0] ?? ''
      await confirm(operator.ask, operator.account.email)
      await confirm(
        (to, options) => world.anonymous(to, { ...options, headers: { cookie } }),
        email,
      )
      const zone = world.buy()
      const [host, path] = [`docs.${zone.name}`, '/projects/animal-store/domains']
      await operator.post(path, { host })
      zone.put('docs', 'CNAME', us)
      world.pass(minute)
      await operator.post(`${path}/${host}/verify`)
      await eventually(
        async () => mailsOf(host).map(({ to }) => to),
        (readers) => readers.includes(email) && readers.includes(operator.account.email),
      )
    })

  it('is sent to confirmed addresses only: others get the link, once', async () => {
    server = await startMailServer()
    world = await startDomains(engine, { env: { SMTP_URL: server.url } })
    const owner = await world.owner()
    const { email } = owner.person.account
    const first = await addAndRemove(owner)
    await expect.poll(() => linksTo(email)).toHaveLength(1)
    const second = await addAndRemove(owner)
    world.pass(2 * minute)
    await world.store.running.publishing.maintain()
    const state = async () => (await owner.person.ask('/account/email-confirmation')).json
    expect(await state()).toMatchObject({ email, confirmedAt: null, canSend: true })
    expect(server.received).toHaveLength(1)
    // A link was sent just now.
    const again = await owner.person.post('/account/email-confirmation')
    expect(again).toMatchObject(refusal(429, 'rate_limited'))

    const body = { token: tokenFor(email) }
    expect((await world.anonymous('/email-confirmation', { body })).status).toBe(204)
    expect(await state()).toMatchObject({ confirmedAt: expect.any(String) })
    // The link works once.
    expect(await world.anonymous('/email-confirmation', { body })).toMatchObject(
      refusal(410, 'link_not_valid'),
    )
    // What waited is sent.
    world.pass(20 * minute)
    await waitForMail(first, 'removed')
    await waitForMail(second, 'removed')
    expect(linksTo(email)).toHaveLength(1)

    // A new address is used once it is confirmed.
    world.pass(hour)
    await owner.person.signIn()
    const changed = { email: 'other@example.com', currentPassword: password }
    const patched = await owner.person.patch('/account', changed)
    expect(patched.status).toBe(200)
    expect(await state()).toMatchObject({ email, pendingEmail: 'other@example.com' })
    const third = await addAndRemove(owner)
    expect((await waitForMail(third, 'removed'))[0]?.to).toBe(email)
    const [link] = server.received.filter(({ to }) => to === 'other@example.com')
    const used = { token: link?.text.match(/#(\S+)/)?.[1] ?? '' }
    expect((await world.anonymous('/email-confirmation', { body: used })).status).toBe(204)
    const fourth = await addAndRemove(owner)
    expect((await waitForMail(fourth, 'removed'))[0]?.to).toBe('other@example.com')
  })

  it('waits for a server that is down, and is then sent once', async () => {
    const owner = await begin()
    await server.close()
    const host = await addAndRemove(owner)
    const { port } = server
    await world.store.running.publishing.maintain()
    server = await startMailServer({ port })
    await eventually(
      async () => {
        world.pass(minute)
        return mailsOf(host).length
      },
      (mails) => mails === 1,
    )
  })

  const nextAttempt = (before: number): Promise<number> =>
    // The next attempt is scheduled a moment after the failed one.
    eventually(
      async () => {
        world.pass(61_000)
        return server.attempts
      },
      (attempts) => attempts > before,
    )

  if (isLong)
    it('is given up after two days', async () => {
      const owner = await begin()
      server.mode = 'busy'
      const late = await addLive(owner)
      const since = world.store.clock.now
      await eventually(
        async () => {
          world.pass(hour / 3)
          return world.store.clock.now - since
        },
        (passed) => passed > 5 * day,
        60_000,
      )
      expect(server.attempts).toBeGreaterThan(2)
      server.mode = 'takes'
      await waitForMail(await addLive(owner), 'is live')
      expect(mailsOf(late)).toEqual([])
    })

  it('is given up at once if the recipient is refused', async () => {
    const owner = await begin()
    server.mode = 'refuses'
    const refused = await addLive(owner)
    await nextAttempt(0)
    server.mode = 'takes'
    world.pass(day)
    await waitForMail(await addLive(owner), 'is live')
    expect(mailsOf(refused)).toEqual([])
  })
})
