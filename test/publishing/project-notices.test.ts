// Mails about invitations to projects and offers of them: only to confirmed addresses, once for an invitation, a limited
// number for a project, and none for what has ended meanwhile.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type MailServer, startMailServer, trustMailServer } from '../domain-events/mail-server.ts'
import {
  day,
  expectJson,
  minute,
  type Person,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'

describe.each(cases(engines))('mails about projects on %s', (engine) => {
  let publishing: PublishingInTest
  let server: MailServer
  let owner: Person
  let restoreTrust = (): void => {}
  let projects = 0
  beforeAll(async () => {
    restoreTrust = trustMailServer()
    server = await startMailServer()
    publishing = await startPublishing(engine, { env: { SMTP_URL: server.url } })
    owner = await confirmed('paid')
  })
  afterAll(async () => {
    await publishing.release()
    await server.close()
    restoreTrust()
  })

  /** Those that are not about confirming an address. */
  const mailsTo = ({ account: { email } }: Person) =>
    server.received.filter(({ headers, to }) => {
      return to === email && headers.subject !== 'Confirm your e-mail address'
    })
  const subjectsTo = (person: Person) => mailsTo(person).map(({ headers }) => headers.subject)
  const wait = { timeout: 20_000 }

  async function confirmed(plan: 'free' | 'paid' = 'free'): Promise<Person> {
    const person = await publishing.member(plan)
    expectJson(await person.post('/account/email-confirmation'), 204)
    const mails = server.received.filter(({ to }) => to === person.account.email)
    const token = /#(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
    expectJson(await publishing.anonymous('/email-confirmation', { body: { token } }), 204)
    return person
  }
  async function project(): Promise<string> {
    const slug = `team-${++projects}`
    await owner.create(slug, `Team ${projects}`)
    return slug
  }
  async function invite(slug: string, person: Person, role = 'editor'): Promise<string> {
    const body = { email: person.account.email.toUpperCase(), role }
    const invited = await owner.post(`/projects/${slug}/invitations`, body)
    return (expectJson(invited, 201) as { id: string }).id
  }
  async function offer(slug: string, person: Person): Promise<string> {
    const path = `/projects/${slug}/members/${person.account.id}/transfer`
    return (expectJson(await owner.post(path), 201) as { id: string }).id
  }

  it('an invitation is mailed once, to a confirmed address only', async () => {
    const slug = await project()
    const known = await confirmed()
    const unconfirmed = await publishing.member()
    await unconfirmed.post('/account/email-confirmation')
    await invite(slug, unconfirmed)
    await invite(slug, known)
    // Whether the first mail was sent before or not: it is renewed.
    await invite(slug, known)
    await expect.poll(() => subjectsTo(known), wait).toEqual([`Invitation to the project Team 1`])
    const [mail] = mailsTo(known)
    expect(mail?.text).toContain('Somebody invites you to the project Team 1 as an editor.')
    expect(mail?.text).toMatch(/until 15 January 2027:\nhttp:\/\/localhost:\d+\/projects\n/)
    expect(mail?.text).toContain('You get this mail because your e-mail address was invited to')
    // What was queued later is sent later: nothing came for the others before it.
    const other = await confirmed()
    await invite(slug, other)
    await expect.poll(() => subjectsTo(other), wait).toHaveLength(1)
    expect(subjectsTo(unconfirmed)).toEqual([])
    expect(subjectsTo(known)).toHaveLength(1)
    // A day later, an invitation that is renewed is mailed again.
    publishing.pass(day + minute)
    await owner.signIn()
    await invite(slug, known)
    await expect.poll(() => subjectsTo(known), wait).toHaveLength(2)
  })

  it('an offer is mailed to the member, and its answer to the owner', async () => {
    const slug = await project()
    const name = `Team ${projects}`
    const heir = await confirmed('paid')
    expectJson(await heir.answer(await invite(slug, heir), 'accept'), 204)
    const before = subjectsTo(owner).length
    expectJson(await heir.answer(await offer(slug, heir), 'decline'), 204)
    const declined = `The offer of ${name} was declined`
    await expect.poll(() => subjectsTo(owner).slice(before), wait).toEqual([declined])
    expect(mailsTo(owner).at(-1)?.text).toContain(`You still own ${name}.`)
    // The mail of the declined offer may not have been sent before; that of another day is.
    publishing.pass(day + minute)
    for (const person of [owner, heir]) await person.signIn()
    const id = await offer(slug, heir)
    const offered = `${name} is offered to you`
    await expect.poll(() => subjectsTo(heir).at(-1), wait).toBe(offered)
    expect(mailsTo(heir).at(-1)?.text).toContain('the limits of your plan apply')
    expectJson(await heir.answer(id, 'accept'), 204)
    const accepted = `${name} has a new owner`
    await expect.poll(() => subjectsTo(owner).slice(before), wait).toEqual([declined, accepted])
    expect(mailsTo(owner).at(-1)?.text).toContain(`/projects/${slug}\n`)
  })

  it('one that ended while the mail server was away is not mailed any more', async () => {
    const slug = await project()
    const [first, second] = [await confirmed(), await confirmed()]
    server.mode = 'busy'
    const attempts = server.attempts
    const ended = await invite(slug, first)
    await invite(slug, second)
    await expect.poll(() => server.attempts, wait).toBeGreaterThanOrEqual(attempts + 2)
    const path = `/projects/${slug}/invitations/${ended}`
    expectJson(await owner.delete(path), 204)
    server.mode = 'takes'
    publishing.pass(2 * minute)
    await expect.poll(() => subjectsTo(second), wait).toHaveLength(1)
    expect(subjectsTo(first)).toEqual([])
  })

  it('at most twenty are mailed for a project in a day', async () => {
    const slug = await project()
    const other = await project()
    const people: Person[] = []
    for (let i = 0; i < 22; i++) people.push(await confirmed())
    for (const person of people) await invite(slug, person)
    // Of another project, and queued after all of them.
    const marker = await confirmed()
    await invite(other, marker)
    await expect.poll(() => subjectsTo(marker), wait).toHaveLength(1)
    await expect.poll(() => people.flatMap(subjectsTo).length, wait).toBeGreaterThanOrEqual(20)
    expect(people.flatMap(subjectsTo)).toHaveLength(20)
  })
})
