// No secret is in a log, the database, a response or an address.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import { password, startWithMember, startWithOperator } from './accounts-in-test.ts'

describe.each(cases(engines))('secrets on %s', (engine) => {
  it('are neither logged nor stored', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const secrets = [password, accounts.setUpToken, operator.cookie ?? '']
    const first = await operator.invite({ email: 'ida@example.com' })
    const member = await accounts.member(operator, 'max@example.com')
    secrets.push(first, member.cookie ?? '')

    await operator.signIn('olga@example.com', 'a wrong secret of mine')
    await operator.signIn('unknown@example.com', 'a wrong secret of mine')
    await operator.signIn('olga@example.com')
    secrets.push('a wrong secret of mine', operator.cookie ?? '')

    const token = await operator.accessToken()
    await accounts.visitor().ask('/probe', { token })
    await accounts.visitor().ask('/probe', { token: `${token}x` })
    secrets.push(token)

    const reset = await operator.passwordLink(member.account.id)
    const done = await accounts.visitor().resetPassword(reset, 'another secret of mine')
    secrets.push(reset, 'another secret of mine', done.headers['set-cookie'] ?? '')

    // Malformed requests, too: the errors do not quote them.
    await operator.post('/session', `{"password":"${password}"`)
    await operator.post('/session', { password })
    await operator.ask(`/account?password=${encodeURIComponent(password)}`)
    await operator.ask(`/${encodeURIComponent(password)}`)

    const log = accounts.log()
    const kept = await readStoredBytes(accounts.place)
    expect(log).toContain('"operation":"signIn"')
    expect(kept).toContain('olga@example.com')
    expect(kept).toContain('$argon2id$')
    for (const secret of secrets) {
      const text = secret.replace(/^(__Host-)?animal-store=/, '').split(';')[0] ?? ''
      expect(text.length).toBeGreaterThan(10)
      expect(log).not.toContain(text)
      expect(kept).not.toContain(text)
      expect(log).not.toContain(encodeURIComponent(text))
    }
    // Nor the email addresses of the requests.
    expect(log).not.toContain('@example.com')
  })

  it('are in the response that creates them and in no other', async () => {
    const { operator, member } = await startWithMember(engine)
    const token = await operator.accessToken()
    const invitation = await operator.invite({ email: 'ida@example.com' })
    const paths = ['/session', '/account', '/account/sessions', '/account/tokens', '/accounts']
    for (const path of [...paths, '/invitations']) {
      const { status, text } = await operator.ask(path)
      expect(status).toBe(200)
      for (const secret of [token, invitation, operator.cookie, member.cookie, '$argon2id$'])
        expect(text).not.toContain(secret?.split('=')[1] ?? secret)
      expect(text.toLowerCase()).not.toMatch(/hash|secret/)
    }
  })
})
