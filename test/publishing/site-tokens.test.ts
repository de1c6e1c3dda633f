// Site tokens: programs read the site of one project with them, whatever its visibility, and can do nothing else. And what
// an attacker would try with them, and with other tokens.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askHttp2, openHttp2 } from '../edge/clients.ts'
import { openServedDomains, type ServedDomains } from '../edge/served-domains.ts'
import { openRaw } from '../raw-connection.ts'
import { type Answer, type AskOptions, ask } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { day, expectJson } from './publishing-in-test.ts'
import { newProject, owner, publishing, serving, slug } from './serving.ts'

interface SiteToken {
  id: string
  token: string
  lastUsedAt: string | null
}

describe.each(cases(engines))('site tokens on %s', (engine) => {
  let domains: ServedDomains
  let port: number
  serving(engine)
  beforeAll(async () => {
    port = publishing.store.running.config.httpPort
    domains = await openServedDomains(publishing.store.place)
  })
  afterAll(() => domains.close())
  beforeEach(async () => {
    await owner.signIn()
    await project()
    await setVisibility('members')
  })

  async function project(): Promise<void> {
    await newProject()
    const files = { 'index.html': `home of ${slug}`, _redirects: '/old / 302\n' }
    await owner.deployFolder(slug, files)
  }
  const setVisibility = (visibility: string, of = slug) => {
    const password = visibility === 'password' ? 'a quiet river at dawn' : undefined
    return owner.ask(`/projects/${of}/visibility`, {
      method: 'PUT',
      body: { visibility, password },
    })
  }
  const path = () => `/projects/${slug}/tokens`
  const create = (body: object = {}, by = owner) =>
    by.ask(path(), { body: { label: 'Link checker', scope: 'site:read', ...body } })
  const token = async (body = {}, by = owner) =>
    expectJson(await create(body, by), 201) as SiteToken
  const listed = async () =>
    (expectJson(await owner.ask(path()), 200) as { items: SiteToken[] }).items
  const visit = (
    authorization: string | undefined,
    host = `${slug}.docs.localhost`,
    { headers, ...options }: AskOptions = {},
  ): Promise<Answer> =>
    ask(port, new URL(`http://${host}:${port}`), '', '', {
      key: null,
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      ...options,
    })
  const status = async (authorization?: string, host?: string) =>
    (await visit(authorization, host)).status

  it('read the site at each of its hosts, privately, for members or with a password', async () => {
    const made = await token()
    expect(made).toMatchObject({ label: 'Link checker', scopes: ['site:read'], lastUsedAt: null })
    const bearer = `Bearer ${made.token}`
    const [plainHost, secureHost] = [`plain-${slug}.example`, `secure-${slug}.example`]
    await domains.attach(slug, plainHost, { isCertified: false })
    await domains.attach(slug, secureHost)
    for (const visibility of ['members', 'password']) {
      await setVisibility(visibility)
      for (const host of [`${slug}.docs.localhost`, plainHost]) {
        const asked = await visit(undefined, host)
        expect(asked).toMatchObject({
          status: 401,
          headers: { 'www-authenticate': 'Bearer realm="site"', 'cache-control': 'no-store' },
        })
        const shown = await visit(bearer, host)
        expect(shown).toMatchObject({ status: 200, text: `home of ${slug}` })
        expect(shown.headers).toMatchObject({
          'cache-control': 'private, no-store',
          'x-robots-tag': 'noindex',
        })
        expect(shown.headers).not.toHaveProperty('set-cookie')
      }
      const httpsPort = publishing.store.running.config.httpsPort ?? 0
      const session = await openHttp2(httpsPort, secureHost, domains.ca)
      const at = { ':path': '/', ':authority': secureHost }
      expect((await askHttp2(session, { ...at, authorization: bearer })).status).toBe(200)
      expect((await askHttp2(session, at)).status).toBe(401)
      session.destroy()
    }
    // On one connection, what one request may see is no other's.
    const raw = await openRaw(port)
    const head = `GET / HTTP/1.1\r\nHost: ${slug}.docs.localhost\r\n`
    for (const [fields, expected] of [
      ['', 401],
      [`Authorization: ${bearer}\r\n`, 200],
      ['', 401],
      [`authorization: bearer  ${made.token} \r\n`, 200],
      [`Authorization: ${bearer}\r\nAuthorization: ${bearer}\r\n`, 401],
    ] as const) {
      raw.write(`${head}${fields}\r\n`)
      expect((await raw.answer())?.status).toBe(expected)
    }
    raw.close()
    for (const method of ['HEAD', 'OPTIONS', 'POST']) {
      const answer = await visit(bearer, undefined, { method })
      expect(answer.status).not.toBe(401)
      expect((await visit(undefined, undefined, { method })).status).toBe(401)
    }
    // Previews follow, unless they have a password of their own.
    const preview = (name: string, body: object) =>
      owner.ask(`/projects/${slug}/previews/${name}`, { method: 'PUT', body })
    await preview('open', {})
    await preview('shut', { password: 'a loud river at night' })
    expect((await visit(bearer, `open--${slug}.docs.localhost`)).text).toContain('Preview not')
    const shut = await visit(bearer, `shut--${slug}.docs.localhost`)
    expect(shut.status).toBe(401)
    expect(shut.headers).not.toHaveProperty('www-authenticate')
    const [shown] = await listed()
    expect(shown).toMatchObject({ id: made.id, lastUsedAt: expect.stringMatching(/^2027-/) })
    expect(JSON.stringify(await listed())).not.toContain(made.token)
  })

  it('are refused at once when they are revoked, have expired, or their owner is another', async () => {
    const revoked = await token()
    expect(await status(`Bearer ${revoked.token}`)).toBe(200)
    expectJson(await owner.ask(`${path()}/${revoked.id}`, { method: 'DELETE' }), 204)
    expect(await status(`Bearer ${revoked.token}`)).toBe(401)

    const short = await token({ expiresInDays: 1 })
    expect(await status(`Bearer ${short.token}`)).toBe(200)
    publishing.pass(day)
    await owner.signIn()
    expect(await status(`Bearer ${short.token}`)).toBe(401)

    const kept = await token()
    const deploying = await owner.deployToken(slug)
    const heir = await publishing.member('paid')
    await owner.addMember(slug, heir, 'editor')
    const offer = `/projects/${slug}/members/${heir.account.id}/transfer`
    const { id } = (await owner.ask(offer, { method: 'POST' })).json as { id: string }
    const accept = `/account/project-invitations/${id}/accept`
    expectJson(await heir.ask(accept, { method: 'POST' }), 204)
    expect(await status(`Bearer ${kept.token}`)).toBe(401)
    expect((await listed()).map((one) => one.id)).not.toContain(kept.id)
    // Deploy tokens of the owner of before, who is an editor now, stay.
    const deploys = `/projects/${slug}/deploys`
    expect((await publishing.anonymous(deploys, { token: deploying })).status).toBe(200)

    await project()
    await setVisibility('members')
    const last = await token()
    await owner.ask(`/projects/${slug}?name=${slug}`, { method: 'DELETE' })
    await owner.create(slug)
    await owner.deployFolder(slug, { 'index.html': 'another project' })
    await setVisibility('members')
    expect(await status(`Bearer ${last.token}`)).toBe(401)
  })

  it('open no other site, nor the API', async () => {
    const { token: text } = await token()
    const bearer = `Bearer ${text}`
    const own = slug
    await project()
    await setVisibility('members')
    expect(await status(bearer)).toBe(401)
    expect(await status(bearer, `${own}.docs.localhost`)).toBe(200)
    const refusal = { code: 'invalid_token', message: expect.stringContaining('site token') }
    for (const [method, at] of [
      ['GET', `/projects/${own}`],
      ['GET', `/projects/${own}/deploys`],
      ['POST', `/projects/${own}/archives`],
      ['GET', `/projects/${own}/tokens`],
      ['GET', '/account'],
      ['GET', '/store/production/pets'],
    ] as const) {
      const refused = await publishing.anonymous(at, { method, token: text })
      expect([at, refused]).toMatchObject([at, { status: 401, json: refusal }])
    }
    const store = await publishing.store.ask('/pets', { headers: { authorization: bearer } })
    expect(store.status).toBe(401)
    // A cookie beside it does not help either.
    const headers = { cookie: owner.cookie() }
    expect((await publishing.anonymous('/account', { token: text, headers })).status).toBe(401)
  })

  it('are the only tokens that open a site', async () => {
    const { id, token: text } = await token()
    const start = text.slice(0, text.lastIndexOf('_') + 1)
    for (const authorization of [
      `Bearer ${await owner.token()}`,
      `Bearer ${await owner.deployToken(slug)}`,
      `Bearer ${publishing.store.keys.production}`,
      `Basic ${Buffer.from(`x:${text}`).toString('base64')}`,
      `Bearer ${text}x`,
      `Bearer ${text.slice(0, -1)}`,
      `Bearer ${start}${'0'.repeat(text.length - start.length)}`,
      `Bearer ${id}`,
      `Bearer ${'a'.repeat(5000)}`,
      'Bearer',
    ]) {
      expect([authorization, await status(authorization)]).toEqual([authorization, 401])
    }
    const json = await visit('Bearer x', undefined, { headers: { accept: 'application/json' } })
    expect(json.json).toMatchObject({
      code: 'not_signed_in',
      message: expect.stringContaining('site token'),
    })
    // Neither in the query nor in a cookie, where others would see it.
    const query = `/?access_token=${text}`
    const base = new URL(`http://${slug}.docs.localhost:${port}`)
    expect((await ask(port, base, '', query.slice(1), { key: null })).status).toBe(401)
    // Everyone sees a public site, whatever they send.
    await setVisibility('public')
    expect(await status('Bearer x')).toBe(200)
  })

  it('are created by the owner and operators alone; editors see and revoke them', async () => {
    const editor = await publishing.member()
    const viewer = await publishing.member()
    await owner.addMember(slug, editor, 'editor')
    await owner.addMember(slug, viewer, 'viewer')
    for (const person of [editor, viewer]) {
      expect(await create({}, person)).toMatchObject({
        status: 403,
        json: { code: 'role_required' },
      })
    }
    const { token: byOperator } = await token({}, publishing.operator)
    expect(await status(`Bearer ${byOperator}`)).toBe(200)
    const { id, token: text } = await token()
    expect((await editor.ask(path())).text).toContain(id)
    expectJson(await editor.ask(`${path()}/${id}`, { method: 'DELETE' }), 204)
    expect(await status(`Bearer ${text}`)).toBe(401)
    expect((await create({ scope: 'store:read' })).status).toBe(400)
  })

  it('are created and revoked on the command line', async () => {
    const run = (...words: string[]) => runCommand(publishing.store.place, ['tokens', ...words])
    const make = (email: string, ...more: string[]) =>
      run('create', '--account', email, '--label', 'checker', '--project', slug, ...more)
    // The command line has the clock of this machine.
    const made = await make(owner.account.email, '--scopes', 'site:read', '--expires', '366d')
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const bearer = `Bearer ${made.stdout.trim()}`
    expect(await listed()).toMatchObject([{ label: 'checker', scopes: ['site:read'] }])
    const before = publishing.store.clock.now
    publishing.store.clock.now = Date.now()
    expect(await status(bearer)).toBe(200)
    expect(await run('revoke', made.stdout.trim())).toMatchObject({ status: 0 })
    expect(await status(bearer)).toBe(401)
    publishing.store.clock.now = before
    const editor = await publishing.member()
    await owner.addMember(slug, editor, 'editor')
    const refused = await make(editor.account.email, '--scopes', 'site:read')
    const stderr = expect.stringContaining('Only the owner')
    expect(refused).toEqual({ status: 1, stdout: '', stderr })
    const both = await make(owner.account.email, '--scopes', 'site:read,project:deploy')
    expect(both).toMatchObject({ status: 2, stdout: '' })
  })
})
