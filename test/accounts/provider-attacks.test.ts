// A provider that breaks the rules: ID tokens that are not for this sign-in, bodies without end, metadata of another issuer.

import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { codeIn, expectCode, startAccounts } from './accounts-in-test.ts'
import { startHostileProvider } from './hostile-provider.ts'
import { browserOf } from './provider-in-test.ts'

const now = Math.floor(Date.now() / 1000)

describe.each(cases(engines))('a hostile provider on %s', (engine) => {
  it('signs nobody in with an ID token that is not for this sign-in', async () => {
    const provider = await startHostileProvider()
    const accounts = await startAccounts(engine, { provider: provider.settings })
    let round = 0
    const attempt = async () => {
      const browser = browserOf(accounts, `192.0.2.${++round}`)
      return codeIn(await browser.finish(provider.callbackFor(await browser.start())))
    }
    for (const claims of [
      { nonce: 'of another sign-in' },
      { nonce: undefined },
      { aud: 'another client' },
      { aud: ['animal-store', 'another client'], azp: 'another client' },
      { iss: 'https://another.example' },
      { exp: now - 600 },
      { sub: '' },
      { sub: 'x'.repeat(256) },
      { sub: undefined },
    ]) {
      provider.claims = claims
      expect([claims, await attempt()]).toEqual([claims, 'sign_in_failed'])
    }
    provider.claims = {}
    const right = provider.key
    provider.key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    expect(await attempt()).toBe('sign_in_failed')
    provider.key = right
    expect(await attempt()).toBe(undefined)
  })

  it('is refused when its metadata are of another issuer', async () => {
    const provider = await startHostileProvider()
    const accounts = await startAccounts(engine, { provider: provider.settings })
    provider.metadata = { issuer: 'https://login.microsoftonline.com/common/v2.0' }
    await expectCode(
      browserOf(accounts).post('/session/provider/start', {}),
      'provider_unavailable',
    )
  })

  it('refuses responses of another issuer (mix-up)', async () => {
    const provider = await startHostileProvider()
    const accounts = await startAccounts(engine, { provider: provider.settings })
    provider.metadata = { authorization_response_iss_parameter_supported: true }
    const browser = browserOf(accounts)
    const query = provider.callbackFor(await browser.start(), { iss: 'https://another.example' })
    await expectCode(browser.finish(query), 'sign_in_failed')
    expect(provider.requests).not.toContain('/token')
  })

  it('is read up to a limit, follows no redirect, and its errors stay in the log', async () => {
    const provider = await startHostileProvider()
    const accounts = await startAccounts(engine, { provider: provider.settings })
    let written = 0
    const endless = (path: string) =>
      provider.answers.set(path, (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        const more = (error?: Error | null): void => {
          if (error || response.destroyed) return
          written += 65_536
          response.write(' '.repeat(65_536), more)
        }
        more()
      })
    const paths = ['/.well-known/openid-configuration', '/token', '/jwks']
    for (const [round, path] of paths.entries()) {
      const browser = browserOf(accounts, `192.0.2.${round}`)
      accounts.clock.now += 6000
      // Metadata are read at the start of a sign-in, the others at its end.
      const query = round > 0 && provider.callbackFor(await browser.start())
      endless(path)
      const answer = query
        ? await browser.finish(query)
        : await browser.post('/session/provider/start', {})
      expect([path, codeIn(answer)]).toEqual([path, 'provider_unavailable'])
      provider.answers.clear()
    }
    expect(written).toBeLessThan(40 * 1024 * 1024)

    const browser = browserOf(accounts)
    provider.answers.set('/token', (_, response) => {
      response.writeHead(307, { Location: `${provider.origin}/elsewhere` }).end()
    })
    const query = provider.callbackFor(await browser.start())
    await expectCode(browser.finish(query), 'provider_unavailable')
    expect(provider.requests).not.toContain('/elsewhere')

    provider.answers.set('/token', (_, response) => {
      const body = { error: 'invalid_client', error_description: 'a secret text' }
      response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
    const next = await browser.finish(provider.callbackFor(await browser.start()))
    expect(codeIn(next)).toBe('provider_unavailable')
    expect(next.text).not.toContain('secret')
    expect(accounts.log()).toContain('invalid_client')
    expect(accounts.log()).not.toMatch(/a secret|id_token|a code/)
  })

  it('is asked for its metadata once by many visitors, and again five seconds after a failure', async () => {
    const provider = await startHostileProvider()
    const accounts = await startAccounts(engine, { provider: provider.settings })
    const path = '/.well-known/openid-configuration'
    const asked = (): number => provider.requests.filter((each) => each === path).length
    const start = () => browserOf(accounts).post('/session/provider/start', {})
    expect(asked()).toBe(0)
    provider.answers.set(path, (_, response) => response.writeHead(500).end())
    const refused = await Promise.all(Array.from({ length: 10 }, start))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await start()).status).toBe(503)
    expect(asked()).toBe(1)
    provider.answers.clear()
    accounts.clock.now += 5000
    const started = await Promise.all(Array.from({ length: 10 }, start))
    expect(new Set(started.map(({ status }) => status))).toEqual(new Set([200]))
    expect(asked()).toBe(2)
    // Metadata of an hour ago are better than none.
    accounts.clock.now += 3_600_000
    provider.answers.set(path, (_, response) => response.writeHead(500).end())
    expect((await start()).status).toBe(200)
    expect(asked()).toBe(3)
  })

  it('does not take over a sign-in with a cookie of another installation', async () => {
    const provider = await startHostileProvider()
    const [accounts, others] = [
      await startAccounts(engine, { provider: provider.settings }),
      await startAccounts(engine, { provider: provider.settings }),
    ]
    const attacker = browserOf(others)
    const query = provider.callbackFor(await attacker.start())
    const victim = browserOf(accounts)
    victim.cookie = attacker.cookie
    await expectCode(victim.finish(query), 'sign_in_failed')
    victim.cookie = 'animal-store-provider=v1.x'
    await expectCode(victim.finish(query), 'sign_in_failed')
  })
})
