// Changing the e-mail address: by a link to the new address, and without telling which addresses have accounts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type MailServer, startMailServer, trustMailServer } from '../domain-events/mail-server.ts'
import { type Answer, refusal } from '../running-store.ts'
import {
  day,
  password,
  startWithMember,
  startWithOperator,
  type Visitor,
} from './accounts-in-test.ts'

let server: MailServer
let restoreTrust: () => void
beforeEach(async () => {
  restoreTrust = trustMailServer()
  server = await startMailServer()
})
afterEach(async () => {
  await server.close()
  restoreTrust()
})

const change = (who: Visitor, email: string) =>
  who.patch('/account', { email, currentPassword: password })

const confirm = (who: Visitor, token: string) => who.post('/email-confirmation', { token })

const mailsTo = (address: string) => server.received.filter(({ to }) => to === address)

/** The token of the link in the first mail to an address. */
const tokenFor = (address: string) =>
  /confirm-email#(\w+)/.exec(mailsTo(address)[0]?.text ?? '')?.[1] ?? ''

/** Everything that a client sees, without what differs between any two responses. */
function seen({ headers, status, text }: Answer) {
  const { date: _, 'x-request-id': __, ...compared } = headers
  return { status, compared, text: text.replace(/"requestId":"[^"]*"/, '') }
}

describe.each(cases(engines))('change of an e-mail address on %s', (engine) => {
  const start = () => startWithMember(engine, { smtpUrl: server.url })

  it('has the same response for a taken address and a free one', async () => {
    const { member } = await start()
    const taken = await change(member, 'OLGA@example.com')
    const pendingTaken = await member.ask('/account/email-confirmation')
    const free = await change(member, 'rosa@example.com')
    const pendingFree = await member.ask('/account/email-confirmation')
    expect(seen(taken)).toEqual(seen(free))
    expect(taken).toMatchObject({ status: 200, json: { email: 'max@example.com' } })
    expect(pendingTaken.json).toMatchObject({ pendingEmail: 'OLGA@example.com' })
    expect(pendingFree.json).toMatchObject({ pendingEmail: 'rosa@example.com' })
    // The owners of the addresses, and of the account, are told.
    expect(mailsTo('OLGA@example.com')[0]?.text).toContain('You have an account with it already')
    expect(mailsTo('OLGA@example.com')[0]?.text).not.toContain('#')
    expect(tokenFor('rosa@example.com')).not.toBe('')
    expect(mailsTo('max@example.com')).toHaveLength(2)
    expect(server.received).toHaveLength(4)
    // Nor does a refusing mail server tell.
    server.mode = 'busy'
    const [known, unknown] = ['olga@example.com', 'ida@example.com']
    const refused = [await change(member, known), await change(member, unknown)]
    expect(refused.map(({ status }) => status)).toEqual([503, 503])
    const [first, second] = refused.map(({ headers }) => Object.keys(headers).sort())
    expect(first).toEqual(second)
  })

  it('takes effect once the link is used, which works once and for 7 days', async () => {
    const { accounts, member } = await start()
    const reader = accounts.visitor('192.0.2.9')
    await change(member, 'early@example.com')
    const early = tokenFor('early@example.com')
    await change(member, 'rosa@example.com')
    const token = tokenFor('rosa@example.com')
    expect((await member.ask('/account')).json).toMatchObject({ email: 'max@example.com' })
    expect((await accounts.visitor().signIn('rosa@example.com')).status).toBe(401)
    // Only the latest link works.
    expect(await confirm(reader, early)).toMatchObject({ status: 410 })
    expect((await confirm(reader, token)).status).toBe(204)
    expect(await confirm(reader, token)).toMatchObject({ status: 410 })
    expect((await accounts.visitor().signIn('max@example.com')).status).toBe(401)
    expect((await accounts.visitor().signIn('rosa@example.com')).status).toBe(201)
    expect((await member.ask('/account/email-confirmation')).json).toMatchObject({
      email: 'rosa@example.com',
      confirmedAt: '2027-01-01T00:00:00.000Z',
      pendingEmail: null,
    })

    await change(member, 'late@example.com')
    accounts.clock.now += 7 * day
    const late = tokenFor('late@example.com')
    expect(await confirm(reader, late)).toMatchObject({ status: 410 })
    await change(member, 'never@example.com')
    await member.delete('/account/email-change')
    const never = tokenFor('never@example.com')
    expect(await confirm(reader, never)).toMatchObject({ status: 410 })
  })

  it('of two accounts to one address is confirmed by the first', async () => {
    const { member, operator } = await start()
    await change(member, 'rosa@example.com')
    await change(operator, 'ROSA@example.com')
    const outcomes = await Promise.all([
      confirm(member, tokenFor('rosa@example.com')),
      confirm(operator, tokenFor('ROSA@example.com')),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual([204, 409])
  })

  it('can be requested five times an hour, and five times a day for one address', async () => {
    const { accounts, member, operator } = await start()
    for (let i = 0; i < 5; i++) expect((await change(member, 'olga@example.com')).status).toBe(200)
    expect(await change(member, 'free@example.com')).toMatchObject(refusal(429, 'rate_limited'))
    const other = await accounts.member(operator, 'ida@example.com')
    expect((await change(other, 'olga@example.com')).status).toBe(429)
    expect(mailsTo('olga@example.com')).toHaveLength(5)
    expect(mailsTo('free@example.com')).toHaveLength(0)
  })

  it('is refused without a mail server, taken or free, except for operators', async () => {
    const { operator, member } = await startWithMember(engine)
    const [known, unknown] = ['olga@example.com', 'x@example.com']
    const refusals = [await change(member, known), await change(member, unknown)]
    expect(refusals.map(seen)[0]).toEqual(refusals.map(seen)[1])
    expect(refusals[0]).toMatchObject(refusal(409, 'conflict'))
    expect(refusals[0]?.text).toContain('Ask an operator')
    expect(await change(operator, 'max@example.com')).toMatchObject(refusal(409, 'email_taken'))
    const changed = { status: 200, json: { email: 'o@example.com' } }
    expect(await change(operator, 'o@example.com')).toMatchObject(changed)
  })

  it('accepting an invitation never tells whether an account exists', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const unnamed = await operator.post('/invitations', {})
    expect(unnamed).toMatchObject({ status: 400, json: { details: [{ path: 'email' }] } })
    const accept = (token: string, email: string) =>
      accounts.visitor().acceptInvitation(token, { email })
    const [one, two] = [await operator.invite(), await operator.invite()]
    const taken = await accept(one, 'olga@example.com')
    const free = await accept(one, 'nobody@example.com')
    expect(seen(taken)).toEqual(seen(free))
    expect(taken).toMatchObject({ status: 400, json: { details: [{ path: 'email' }] } })
    expect((await accept(one, 'max@example.com')).status).toBe(201)
    // Of an address that has got an account since: like a link that was used.
    expect(seen(await accept(two, 'max@example.com'))).toEqual(
      seen(await accept(one, 'max@example.com')),
    )
  })
})
