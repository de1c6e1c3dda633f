// Sign-in by an OpenID Connect provider over HTTP, with a real provider (oidc-provider) on this machine.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuditAction } from '#kit/audit/actions.ts'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { cases } from '../cases.ts'
import type { Engine } from '../database.ts'
import { engines } from '../database.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { query } from '../query.ts'
import { refusal } from '../running-store.ts'
import {
  type AccountsInTest,
  type AccountsOptions,
  codeIn,
  expectCode,
  minute,
  password,
  startAccounts,
} from './accounts-in-test.ts'
import { turnOnOneTimeCodes } from './one-time-codes.ts'
import { browserOf, type Person, startProvider } from './provider-in-test.ts'

const maria: Person = {
  sub: 'maria-1',
  email: 'maria@example.com',
  email_verified: true,
  name: 'Maria',
}

/** The details of the entries of an action, in order. */
async function auditOf({ place }: AccountsInTest, action: AuditAction): Promise<unknown[]> {
  const sql = `select detail from audit_log where action = '${action}' order by id`
  return (await query(place, 'publishing', sql)).map(({ detail }) => JSON.parse(String(detail)))
}

async function start(
  engine: Engine,
  settings: Partial<IdentityProviderSettings> = {},
  options: AccountsOptions = {},
  pem?: Pem,
) {
  let accounts: AccountsInTest | undefined
  const provider = await startProvider(
    () => `${accounts?.context.dashboardUrl.origin}/sign-in/callback`,
    pem,
  )
  onTestFinished(() => provider.close())
  accounts = await startAccounts(engine, { provider: provider.settings(settings), ...options })
  provider.person = maria
  return { accounts, provider, operator: await accounts.operator() }
}

interface Listed {
  items: { id: string; issuer: string; email: string | null; lastUsedAt: string | null }[]
  provider: string | null
  hasPassword: boolean
}

describe.each(cases(engines))('sign-in by a provider on %s', (engine) => {
  it('connects an identity to an account with its password, signs in, and is removed', async () => {
    const { accounts, provider } = await start(engine)
    const browser = browserOf(accounts)
    await browser.signIn('olga@example.com')
    const wrong = { currentPassword: 'a wrong password' }
    await expectCode(browser.post('/account/identities/start', wrong), 'invalid_credentials')
    const connected = await browser.connect(password)
    expect(connected).toMatchObject({
      status: 201,
      json: { issuer: provider.origin, email: 'maria@example.com', lastUsedAt: null },
    })

    const other = browserOf(accounts, '192.0.2.50')
    const signedIn = await other.signInByProvider({ next: '/projects/x?tab=1' })
    expect(signedIn).toMatchObject({
      status: 201,
      json: { account: { email: 'olga@example.com' }, next: '/projects/x?tab=1' },
    })
    expect(other.cookie).toMatch(/^animal-store=[^;]+$/)
    const { items } = (await other.ask('/account/sessions')).json as {
      items: { isCurrent: boolean; signedInBy: string }[]
    }
    expect(items.find(({ isCurrent }) => isCurrent)?.signedInBy).toBe('provider')
    const listed = (await other.ask('/account/identities')).json as Listed
    expect(listed).toMatchObject({
      items: [{ lastUsedAt: expect.any(String) }],
      provider: 'Example ID',
      hasPassword: true,
    })

    const path = `/account/identities/${listed.items[0]?.id}`
    expect((await other.delete(path)).status).toBe(204)
    expect((await other.delete(path)).status).toBe(404)
    const late = browserOf(accounts, '192.0.2.51')
    await expectCode(late.signInByProvider(), 'identity_not_connected')
    expect(accounts.log()).not.toContain(provider.settings().clientSecret)
  })

  it('does not give an account to whoever has its e-mail address at the provider', async () => {
    const { accounts, provider } = await start(engine, { createsAccounts: true })
    for (const email_verified of [false, true]) {
      provider.person = { sub: 'attacker', email: 'olga@example.com', email_verified }
      const browser = browserOf(accounts)
      await expectCode(browser.signInByProvider(), 'identity_not_connected')
      expect((await browser.ask('/session')).status).toBe(401)
    }
  })

  it('accepts an invitation by its verified address as member, as operator only by its link', async () => {
    const { accounts, operator, provider } = await start(engine)
    await operator.invite({ email: 'Maria@example.com', plan: 'paid' })
    const token = await operator.invite({ email: 'boss@example.com', role: 'operator' })
    provider.person = { ...maria, email_verified: false }
    await expectCode(browserOf(accounts).signInByProvider(), 'identity_not_connected')
    provider.person = maria
    const browser = browserOf(accounts)
    expect((await browser.signInByProvider()).json).toMatchObject({
      account: { email: 'Maria@example.com', name: 'Maria', role: 'member', plan: 'paid' },
    })
    provider.person = { sub: 'boss-1', email: 'boss@example.com', email_verified: true }
    const boss = browserOf(accounts)
    await expectCode(boss.signInByProvider(), 'identity_not_connected')
    expect((await boss.signInByProvider({ invitation: token })).json).toMatchObject({
      account: { email: 'boss@example.com', role: 'operator' },
    })
    provider.person = { sub: 'other', email: 'other@example.com' }
    await expectCode(browserOf(accounts).signInByProvider({ invitation: token }), 'link_not_valid')
    expect(await auditOf(accounts, 'sign_in.identity_connected')).toEqual([
      { issuer: provider.origin, email: 'maria@example.com' },
      { issuer: provider.origin, email: 'boss@example.com' },
    ])
  })

  it('creates accounts for verified addresses of allowed domains only', async () => {
    const settings = { createsAccounts: true, emailDomains: ['example.com'] }
    const { accounts, provider } = await start(engine, settings)
    for (const [person, code] of [
      [{ ...maria, email: 'maria@example.net' }, 'identity_not_allowed'],
      [{ ...maria, email: 'maria@sub.example.com' }, 'identity_not_allowed'],
      [{ ...maria, email_verified: false }, 'identity_not_allowed'],
      [{ sub: 'nobody' }, 'identity_not_allowed'],
      [maria, undefined],
    ] as const) {
      provider.person = person
      expect([person.email, codeIn(await browserOf(accounts).signInByProvider())]).toEqual([
        person.email,
        code,
      ])
    }
  })

  it('keeps an account without a password from losing its only way to sign in', async () => {
    const { accounts } = await start(engine, { createsAccounts: true })
    const browser = browserOf(accounts)
    await browser.signInByProvider()
    const { hasPassword, items } = (await browser.ask('/account/identities')).json as Listed
    expect(hasPassword).toBe(false)
    const path = `/account/identities/${items[0]?.id}`
    const refused = await browser.delete(path)
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.text).toContain('Set a password under Account first.')
    const email = 'maria@example.com'
    for (const given of ['', ' ', password]) {
      expect([400, 401]).toContain((await browser.signIn(email, given)).status)
    }
    const setPassword = () => browser.post('/account/password', { newPassword: password })
    accounts.clock.now += 11 * minute
    await expectCode(setPassword(), 'sign_in_too_old')
    await browser.signInByProvider()
    expect((await setPassword()).status).toBe(204)
    await expectCode(setPassword(), 'conflict')
    expect((await browser.delete(path)).status).toBe(204)
    expect((await browser.signIn(email)).status).toBe(201)
  })

  it('does not connect one identity to two accounts', async () => {
    const { accounts, operator } = await start(engine)
    const olga = browserOf(accounts)
    await olga.signIn('olga@example.com')
    expect((await olga.connect(password)).status).toBe(201)
    expect((await olga.connect(password)).status).toBe(201)
    await accounts.member(operator, 'max@example.com')
    const max = browserOf(accounts)
    await max.signIn('max@example.com')
    await expectCode(max.connect(password), 'identity_taken')
    const { items } = (await olga.ask('/account/identities')).json as Listed
    await expectCode(max.delete(`/account/identities/${items[0]?.id}`), 'identity_not_found')
  })

  it('asks for the code of an account with codes, unless the provider has checked two factors', async () => {
    const { accounts, provider } = await start(engine, {}, { secondFactor: 'all' })
    const browser = browserOf(accounts)
    await browser.signIn('olga@example.com')
    const { code } = await turnOnOneTimeCodes(accounts, browser)
    expect((await browser.connect(password)).status).toBe(201)

    const second = browserOf(accounts, '192.0.2.60')
    await expectCode(second.signInByProvider({ next: '/system' }), 'second_factor_required')
    expect((await second.ask('/session')).status).toBe(401)
    const enter = (browser: typeof second, given: string) =>
      browser.post('/session/provider/code', { code: given })
    await expectCode(enter(second, '000000'), 'invalid_code')
    expect(await auditOf(accounts, 'session.failed')).toEqual([{ reason: 'code' }])
    const stolen = browserOf(accounts, '192.0.2.61')
    stolen.cookie = second.cookie
    expect(await enter(second, code())).toMatchObject({ status: 201, json: { next: '/system' } })
    expect((await second.ask('/account/tokens')).status).toBe(200)
    accounts.clock.now += minute
    await expectCode(enter(stolen, code()), 'sign_in_failed')

    provider.person = { ...maria, amr: ['pwd', 'otp'] }
    const strong = browserOf(accounts, '192.0.2.62')
    expect((await strong.signInByProvider()).status).toBe(201)
    expect((await strong.ask('/account/tokens')).status).toBe(200)
  })

  it('restricts a session with one factor where two are required', async () => {
    const settings = { createsAccounts: true }
    const { accounts, provider } = await start(engine, settings, { secondFactor: 'all' })
    const browser = browserOf(accounts)
    provider.person = { ...maria, amr: ['pwd'] }
    expect((await browser.signInByProvider()).status).toBe(201)
    await expectCode(browser.ask('/account/tokens'), 'second_factor_missing')
    await expectCode(browser.delete('/account/identities/idn_1'), 'second_factor_missing')
    // Adding a factor requires a password.
    const set = await browser.post('/account/password', { newPassword: password })
    expect(set.status).toBe(204)
    const body = { currentPassword: password }
    expect((await browser.post('/account/second-factor/set-up', body)).status).toBe(201)

    const strong = browserOf(accounts, '192.0.2.62')
    provider.person = { ...maria, amr: ['mfa'] }
    expect((await strong.signInByProvider()).status).toBe(201)
    expect((await strong.ask('/account/tokens')).status).toBe(200)
  })

  it('says when it was cancelled at the provider, and counts no attempt for a sign-in', async () => {
    const { accounts, provider } = await start(engine, { createsAccounts: true })
    const browser = browserOf(accounts)
    provider.person = undefined
    const cancelled = await browser.signInByProvider()
    expect(cancelled).toMatchObject(refusal(401, 'sign_in_cancelled'))
    provider.person = maria
    for (let round = 0; round < 15; round++)
      expect((await browser.signInByProvider()).status).toBe(201)
    provider.person = undefined
    const codes: (string | undefined)[] = []
    for (let round = 0; round < 12; round++) codes.push(codeIn(await browser.signInByProvider()))
    expect(codes.at(-1)).toBe('rate_limited')
    await expectCode(browserOf(accounts, '192.0.2.99').signInByProvider(), 'sign_in_cancelled')
  })

  it('finishes a sign-in once, in its browser, in ten minutes', async () => {
    const { accounts, provider } = await start(engine, { createsAccounts: true })
    const victim = browserOf(accounts)
    const attacker = browserOf(accounts, '192.0.2.66')
    // Login CSRF: the victim opens the attacker's callback, with and without a sign-in of its own.
    const query = await attacker.comeBack()
    await expectCode(victim.finish(query), 'sign_in_failed')
    await victim.start()
    await expectCode(victim.finish(query), 'sign_in_failed')
    const requests = provider.requests.length
    const changed = query.replace(/state=[^&]+/, 'state=x')
    await expectCode(attacker.finish(changed), 'sign_in_failed')
    await expectCode(attacker.finish(query.replace(/state=[^&]+&?/, '')), 'sign_in_failed')
    expect(provider.requests.length).toBe(requests)

    const { cookie } = attacker
    expect((await attacker.finish(query)).status).toBe(201)
    const asked = provider.requests.length
    attacker.cookie = cookie
    await expectCode(attacker.finish(query), 'sign_in_failed')
    expect(provider.requests.length).toBe(asked)

    // A code that was redeemed, with the state of another sign-in of the same browser.
    const [, used = ''] = /code=([^&]+)/.exec(query) ?? []
    const url = new URL(await attacker.start())
    const state = url.searchParams.get('state') ?? ''
    const injected = new URLSearchParams({ code: used, state, iss: provider.origin }).toString()
    await expectCode(attacker.finish(injected), 'sign_in_failed')

    const late = await victim.comeBack()
    accounts.clock.now += 10 * minute
    await expectCode(victim.finish(late), 'sign_in_failed')
    expect((await victim.ask('/session')).status).toBe(401)
    expect(await victim.comeBack()).toContain('code=')
  })

  it('connects only to the account that has started it', async () => {
    const { accounts, operator } = await start(engine)
    await accounts.member(operator, 'max@example.com')
    const browser = browserOf(accounts)
    await browser.signIn('olga@example.com')
    const body = { currentPassword: password }
    const query = await browser.comeBack(body, '/account/identities/start')
    await expectCode(browser.finish(query), 'sign_in_failed')
    await browser.signIn('max@example.com')
    await expectCode(browser.post('/account/identities', { query }), 'sign_in_failed')
  })

  it('refuses to return to other sites', async () => {
    const { accounts } = await start(engine)
    const browser = browserOf(accounts)
    const evil = ['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example']
    for (const next of [...evil, 'x', '']) {
      const response = await browser.post('/session/provider/start', { next })
      expect([next, response.status, response.json]).toMatchObject([
        ...[next, 400, { details: [{ path: 'next' }] }],
      ])
    }
  })

  it('is not there without settings, and stays when the provider is gone', async () => {
    const none = await startAccounts(engine)
    const browser = browserOf(none)
    expect((await browser.ask('/session/provider')).json).toEqual({ name: null, isSetUp: false })
    await expectCode(browser.post('/session/provider/start', {}), 'provider_not_found')

    const { accounts, provider } = await start(engine)
    const visitor = browserOf(accounts)
    await provider.close()
    const refused = await visitor.post('/session/provider/start', {})
    expect(refused).toMatchObject(refusal(503, 'provider_unavailable'))
    expect((await visitor.ask('/session/provider')).json).toEqual({
      name: 'Example ID',
      isSetUp: true,
    })
    expect((await visitor.signIn('olga@example.com')).status).toBe(201)
    expect(accounts.log()).toContain('identity provider: ECONNREFUSED')
  })

  it('trusts the roots of CA_FILE, and no others', async () => {
    const pem = makeCertificate(['localhost'])
    const { accounts, provider } = await start(engine, { createsAccounts: true }, {}, pem)
    const strangers = await startAccounts(engine, {
      provider: provider.settings({ trustedRoots: undefined }),
    })
    await expectCode(
      browserOf(strangers).post('/session/provider/start', {}),
      'provider_unavailable',
    )
    expect(strangers.log()).toMatch(/identity provider: \w*SELF_SIGNED/)
    expect((await browserOf(accounts).signInByProvider()).status).toBe(201)
  })

  it('sets a cookie that scripts cannot read, and asks with S256, nonce and the exact redirect URI', async () => {
    const dashboardUrl = 'https://dashboard.example'
    const { accounts } = await start(engine, {}, { dashboardUrl })
    const response = await browserOf(accounts).post('/session/provider/start', {})
    expect(response.headers['set-cookie']).toMatch(
      /^__Host-animal-store-provider=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const { searchParams } = new URL((response.json as { url: string }).url)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'animal-store',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${dashboardUrl}/sign-in/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.any(String),
    })
  })
})
