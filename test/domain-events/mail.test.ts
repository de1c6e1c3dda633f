// Owners are written to through a real mail server: once, whatever becomes of the server or of us.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type DomainsInTest, type Owner, startDomains, target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { day, hour, minute } from '../publishing/publishing-in-test.ts'
import { startStore } from '../running-store.ts'
import { believeMailServer, login, type MailServer, startMailServer } from './mail-server.ts'

const us = `${target}.`

let disbelieve = (): void => {}
beforeAll(() => {
  disbelieve = believeMailServer()
})
afterAll(() => disbelieve())

describe.each(engines)('mail on %s', (engine) => {
  let world: DomainsInTest
  let server: MailServer
  afterEach(async () => {
    await world.release()
    await server.close()
  })

  async function begin(env: Record<string, string> = {}): Promise<Owner> {
    server = await startMailServer()
    world = await startDomains(engine, { env: { SMTP_URL: server.url, ...env } })
    return await world.owner()
  }

  /** A domain that is proven and removed again, of which a mail tells. */
  async function addAndRemove(owner: Owner): Promise<string> {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    await owner.add(host)
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    await owner.remove(host)
    return host
  }

  const mailsOf = (host: string) =>
    server.received.filter(({ headers }) => headers.subject?.includes(host))
  const toldOf = (host: string, word: string) =>
    eventually(
      async () => mailsOf(host).filter(({ headers }) => headers.subject?.includes(word)),
      (mails) => mails.length > 0,
    )

  it('tells that a domain was removed, over an encrypted connection', async () => {
    const owner = await begin({ MAIL_FROM: 'The Store <store@animals.example>' })
    const host = await addAndRemove(owner)
    const [mail] = await toldOf(host, 'removed')
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
  })

  it('warns before a domain is cut off, and says what to do', async () => {
    const owner = await begin()
    const zone = world.buy()
    const host = `docs.${zone.name}`
    await owner.add(host)
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    zone.clear('docs')
    await owner.verify(host)
    world.pass(11 * minute)
    await owner.verify(host)
    const [mail] = await toldOf(host, 'does not lead here')
    expect(mail?.text).toContain(`${host}  CNAME  ${target}`)
    expect(mail?.text).toContain('until 8 January 2027 at the latest')
    world.pass(7 * day)
    await owner.verify(host)
    await toldOf(host, 'not served any more')
  })

  it('waits for a server that is away, and then tells once', async () => {
    const owner = await begin()
    await server.close()
    const host = await addAndRemove(owner)
    const { port } = server
    await world.store.running.publishing.keepUp()
    server = await startMailServer({ port })
    await eventually(
      async () => {
        world.pass(minute)
        return mailsOf(host).length
      },
      (mails) => mails === 1,
    )
  })

  it('goes on after a restart', async () => {
    const owner = await begin()
    server.mode = 'busy'
    const host = await addAndRemove(owner)
    await eventually(
      async () => server.attempts,
      (attempts) => attempts > 0,
    )
    const { running } = world.store
    await running.stop()
    running.stop = async () => {}
    server.mode = 'takes'
    const again = await startStore(engine, {
      place: world.store.place,
      env: { SMTP_URL: server.url },
    })
    again.clock.now = world.store.clock.now + 2 * minute
    await toldOf(host, 'removed')
    await again.release()
    expect(
      mailsOf(host).filter(({ headers }) => headers.subject?.includes('removed')),
    ).toHaveLength(1)
  })

  it('is sent by one process of several', async () => {
    const owner = await begin()
    const other = await startStore(engine, {
      place: world.store.place,
      env: { SMTP_URL: server.url },
    })
    other.clock.now = world.store.clock.now
    const hosts: string[] = []
    for (let times = 0; times < 5; times++) hosts.push(await addAndRemove(owner))
    for (const host of hosts) await toldOf(host, 'removed')
    await other.release()
    const ids = server.received.map(({ headers }) => headers['message-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })

  const nextAttempt = (before: number): Promise<number> =>
    eventually(
      async () => server.attempts,
      (attempts) => attempts > before,
    )

  /** A domain that goes live, of which a mail tells. */
  async function addLive(owner: Owner): Promise<string> {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    zone.put('_animal-store.docs', 'TXT', (await owner.add(host)).proof.value)
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    return host
  }

  it('is given up after two days', { timeout: 60_000 }, async () => {
    const owner = await begin()
    server.mode = 'busy'
    const late = await addLive(owner)
    let attempts = 0
    for (let passed = 0; passed <= 2 * day + 7 * hour; passed += 7 * hour) {
      attempts = await nextAttempt(attempts)
      world.pass(7 * hour)
    }
    server.mode = 'takes'
    await toldOf(await addLive(owner), 'is live')
    expect(mailsOf(late)).toEqual([])
  })

  it('is given up at once where the recipient is refused', async () => {
    const owner = await begin()
    server.mode = 'refuses'
    const refused = await addLive(owner)
    await nextAttempt(0)
    server.mode = 'takes'
    world.pass(day)
    await toldOf(await addLive(owner), 'is live')
    expect(mailsOf(refused)).toEqual([])
  })
})
