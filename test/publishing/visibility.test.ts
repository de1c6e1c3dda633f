// Who may see the site of a project: everyone, visitors with its password, or members; at every host, on every protocol,
// at once. And what an attacker would try against the codes and cookies.

import { beforeEach, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askHttp2, ask as askTls, openHttp2 } from '../edge/clients.ts'
import { openRaw } from '../raw-connection.ts'
import { type Answer, refusal } from '../running-store.ts'
import { expectJson, hour, minute, type Person } from './publishing-in-test.ts'
import {
  domains,
  enterPassword,
  newProject,
  owner,
  publishing,
  servingDomains,
  setVisibility,
  slug,
  visitHost,
} from './serving.ts'

const secret = 'a quiet river at dawn'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe.each(cases(engines))('the visibility of a site on %s', (engine) => {
  /** A custom domain of the project without a certificate, and one with. */
  let plainHost = ''
  let secureHost = ''

  servingDomains(engine)
  beforeEach(async () => {
    await newProject()
    plainHost = `plain-${slug}.example`
    secureHost = `secure-${slug}.example`
    await owner.deployFolder(slug, {
      'index.html': 'secret home',
      'guide.html': 'secret guide',
      'a-3fa9c2d41b.js': 'secret script',
      'search.json': 'secret index',
      _redirects: '/old /guide 302\n',
    })
    await domains.attach(slug, plainHost, { isCertified: false })
    await domains.attach(slug, secureHost)
  })

  const platformHost = () => `${slug}.docs.localhost`
  const withCookie = (cookie: string) => ({ headers: { cookie } })
  const cookieOf = ({ headers }: Answer, name: string) =>
    new RegExp(`${name}=[^;]*`).exec(headers['set-cookie'] ?? '')?.[0] ?? ''

  /** Posts the form of the page. Gives the cookie of the visit and what the dashboard is asked. */
  async function begin(host: string, path = '/', headers = {}) {
    const asked = await visitHost(host, path, { method: 'POST', headers: { ...form, ...headers } })
    const to = new URL(asked.headers.location ?? 'none:')
    const body = Object.fromEntries(to.searchParams) as { host: string; state: string }
    return { asked, to, body, visitCookie: cookieOf(asked, 'visit') }
  }
  /** The target that the dashboard sends a person to. */
  async function codeFor(person: Person, body: object): Promise<URL> {
    const response = await person.post('/site-access', body)
    return new URL((expectJson(response, 200) as { address: string }).address)
  }
  async function signInAt(host: string, person: Person, path = '/'): Promise<string> {
    const { body, visitCookie } = await begin(host, path)
    const { pathname, search } = await codeFor(person, body)
    const entered = await visitHost(host, pathname + search, withCookie(visitCookie))
    expect([entered.status, entered.headers.location]).toEqual([303, path])
    return cookieOf(entered, 'access')
  }

  it('is public by default, and its change takes effect at every host at once', async () => {
    const project = await owner.ask(`/projects/${slug}`)
    expect(project.json).toMatchObject({ visibility: 'public' })
    const paths = ['/', '/guide', '/a-3fa9c2d41b.js', '/search.json', '/old', '/missing']
    for (const path of paths) await visitHost(platformHost(), path)
    // A connection and a session that are open already, and have been answered on the fast paths.
    const raw = await openRaw(publishing.store.running.config.httpPort)
    const block = ` HTTP/1.1\r\nHost: ${platformHost()}\r\n\r\n`
    const onRaw = async (path: string) => {
      raw.write(`GET ${path}${block}`)
      return await raw.response()
    }
    const httpsPort = publishing.store.running.config.httpsPort ?? 0
    const session = await openHttp2(httpsPort, secureHost, domains.ca)
    const onHttp2 = (path: string, headers = {}) =>
      askHttp2(session, { ':path': path, ':authority': secureHost, ...headers })
    for (let i = 0; i < 3; i++) {
      expect((await onRaw('/'))?.text).toBe('secret home')
      expect((await onHttp2('/')).text).toBe('secret home')
    }
    const etag = (await visitHost(platformHost())).headers.etag ?? ''
    expect((await setVisibility('password', secret)).json).toMatchObject({ visibility: 'password' })
    // What one visitor may see is in memory then, and still nobody else sees it.
    const cookie = cookieOf(await enterPassword(platformHost(), secret), 'access')
    for (const path of paths) {
      const shown = await visitHost(platformHost(), path, withCookie(cookie))
      expect([path, shown.status]).not.toContain(401)
    }
    const answers: { status: number; headers: Record<string, string>; text: string }[] = []
    for (const path of paths) {
      answers.push((await onRaw(path)) as NonNullable<Awaited<ReturnType<typeof onRaw>>>)
      answers.push(await onHttp2(path), await askTls(httpsPort, secureHost, domains.ca, path))
      for (const host of [platformHost(), plainHost]) {
        answers.push(await visitHost(host, path))
        answers.push(await visitHost(host, path, { headers: { 'if-none-match': etag } }))
        answers.push(await visitHost(host, path, { headers: { range: 'bytes=0-1' } }))
        answers.push(await visitHost(host, path, { method: 'HEAD' }))
        answers.push(await visitHost(host, path, { method: 'OPTIONS' }))
      }
    }
    for (const { headers, status, text } of answers) {
      expect(status).toBe(401)
      expect(text).not.toContain('secret')
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      expect(headers).not.toHaveProperty('etag')
      expect(headers).not.toHaveProperty('location')
    }
    // Challenges and probes stay, in front of the site.
    const token = 'a'.repeat(43)
    await domains.challenge(plainHost, token, 'key-of-token')
    const challenge = await visitHost(plainHost, `/.well-known/acme-challenge/${token}`)
    expect([challenge.status, challenge.text]).toEqual([200, 'key-of-token'])
    expect((await visitHost(plainHost, '/.well-known/animal-store/x')).status).not.toBe(401)
    expectJson(await setVisibility('public'), 200)
    expect((await onRaw('/'))?.text).toBe('secret home')
    expect((await onHttp2('/')).text).toBe('secret home')
    session.destroy()
    raw.close()
  })

  it('password: one for all hosts, a cookie for each, nothing of it cached', async () => {
    const missing = await setVisibility('password')
    expect(missing).toMatchObject({ status: 400, json: { details: [{ path: 'password' }] } })
    expect((await setVisibility('members', secret)).status).toBe(400)
    expect((await setVisibility('password', 'short')).status).toBe(400)
    await setVisibility('password', secret)
    const page = await visitHost(platformHost(), '/', { headers: { accept: 'text/html' } })
    expect(page.text).toContain('This site has a password.')
    expect((await enterPassword(platformHost(), 'wrong')).status).toBe(401)
    const right = await enterPassword(platformHost(), secret, '/guide?x=1')
    expect(right).toMatchObject({ status: 303, headers: { location: '/guide?x=1' } })
    const cookie = cookieOf(right, 'access')
    for (const [path, status] of [
      ['/', 200],
      ['/a-3fa9c2d41b.js', 200],
      ['/old', 302],
      ['/guide.html', 308],
      ['/missing', 404],
    ] as const) {
      const shown = await visitHost(platformHost(), path, withCookie(cookie))
      expect([path, shown.status]).toEqual([path, status])
      expect(shown.headers['cache-control']).toMatch(/no-store$/)
      expect(shown.headers['x-robots-tag']).toBe('noindex')
    }
    expect((await visitHost(platformHost(), '/', withCookie(cookie))).headers).toMatchObject({
      'cache-control': 'private, no-store',
    })
    expect((await visitHost(plainHost, '/', withCookie(cookie))).status).toBe(401)
    const at = cookieOf(await enterPassword(plainHost, secret), 'access')
    expect((await visitHost(plainHost, '/', withCookie(at))).text).toBe('secret home')
    // What visitors do is counted, but not the pages that they did not get.
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
    await visitHost(plainHost, '/guide', { headers: { ...browser, cookie: at } })
    await visitHost(plainHost, '/guide', { headers: browser })
    expect((await owner.ask(`/projects/${slug}/visits`)).json).toMatchObject({
      pages: { items: [{ name: '/guide', count: 1 }] },
    })
    // The same visibility without a password keeps it; a new one asks everyone again.
    expectJson(await setVisibility('password'), 200)
    expect((await visitHost(plainHost, '/', withCookie(at))).status).toBe(200)
    await setVisibility('password', 'a loud river at night')
    expect((await visitHost(plainHost, '/', withCookie(at))).status).toBe(401)
    expect((await owner.actions())[0]).toBe('project.visibility_changed')
  })

  it('members: by way of the dashboard, and back to the page that was asked for', async () => {
    expectJson(await setVisibility('members'), 200)
    const page = await visitHost(plainHost, '/guide', { headers: { accept: 'text/html' } })
    const { origin } = publishing.store.running.config.dashboardUrl
    expect(page.status).toBe(401)
    expect(page.headers['content-security-policy']).toContain(`form-action 'self' ${origin};`)
    const json = await visitHost(plainHost, '/', { headers: { accept: 'application/json' } })
    expect(json).toMatchObject(refusal(401, 'not_signed_in'))
    const { asked, body, to, visitCookie } = await begin(plainHost, '/guide?x=1')
    expect([to.origin, to.pathname, body.host]).toEqual([origin, '/site-access', plainHost])
    expect(asked.headers['set-cookie']).toMatch(
      /^visit=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const viewer = await publishing.member()
    await owner.addMember(slug, viewer, 'viewer')
    const target = await codeFor(viewer, body)
    expect(target.origin).toBe(`http://${plainHost}:${publishing.store.running.config.httpPort}`)
    const entered = await visitHost(
      plainHost,
      target.pathname + target.search,
      withCookie(visitCookie),
    )
    expect(entered).toMatchObject({ status: 303, headers: { location: '/guide?x=1' } })
    expect(entered.headers['set-cookie']).toContain('visit=; Max-Age=0')
    const cookie = cookieOf(entered, 'access')
    const shown = await visitHost(plainHost, '/guide', withCookie(cookie))
    expect(shown).toMatchObject({
      text: 'secret guide',
      headers: { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' },
    })
    // The owner and operators, too, and at the platform's host.
    for (const person of [owner, publishing.operator]) {
      const own = await signInAt(platformHost(), person)
      expect((await visitHost(platformHost(), '/', withCookie(own))).text).toBe('secret home')
    }
  })

  it('members: ends at once with the membership, the session, and the account', async () => {
    await setVisibility('members')
    const visitors: { person: Person; cookie: string }[] = []
    for (let i = 0; i < 3; i++) {
      const person = await publishing.member()
      await owner.addMember(slug, person, 'viewer')
      visitors.push({ person, cookie: await signInAt(plainHost, person) })
    }
    const statuses = () =>
      Promise.all(
        visitors.map(
          async ({ cookie }) => (await visitHost(plainHost, '/', withCookie(cookie))).status,
        ),
      )
    const [one, two, three] = visitors.map(({ person }) => person) as [Person, Person, Person]
    expect(await statuses()).toEqual([200, 200, 200])
    expectJson(await owner.delete(`/projects/${slug}/members/${one.account.id}`), 204)
    expect(await statuses()).toEqual([401, 200, 200])
    expectJson(await two.delete('/session'), 204)
    expect(await statuses()).toEqual([401, 401, 200])
    expectJson(await publishing.operator.delete(`/accounts/${three.account.id}`), 204)
    expect(await statuses()).toEqual([401, 401, 401])
    // It also ends automatically.
    const late = await signInAt(plainHost, owner)
    publishing.pass(7 * 24 * hour)
    expect((await visitHost(plainHost, '/', withCookie(late))).status).toBe(401)
    await owner.signIn()
    await publishing.operator.signIn()
  })

  it('members: refuses codes and cookies that are not of this visit', async () => {
    await setVisibility('members')
    const viewer = await publishing.member()
    await owner.addMember(slug, viewer, 'viewer')
    const stranger = await publishing.member()
    const first = await begin(plainHost)
    const go = (host: string, target: URL, cookie: string) =>
      visitHost(host, target.pathname + target.search, withCookie(cookie))
    const refused = async (response: Promise<Answer>) => {
      const { headers, status } = await response
      expect([status, headers['set-cookie'], headers.location]).toEqual([401, undefined, undefined])
    }

    // No code without a role in this very project, nor for hosts that are not served or not of members.
    for (const [person, host] of [
      [stranger, plainHost],
      [viewer, 'evil.example'],
      [viewer, `${plainHost}:80`],
      [viewer, plainHost.toUpperCase()],
      [viewer, 'localhost'],
    ] as const) {
      const response = await person.post('/site-access', { ...first.body, host })
      expect(response).toMatchObject(refusal(404, 'project_not_found'))
    }
    const token = await viewer.token()
    expect((await viewer.ask('/site-access', { body: first.body, token })).status).toBe(403)

    // A code works in the browser that has asked, once, at its host, for a minute.
    await refused(go(plainHost, await codeFor(viewer, first.body), ''))
    const other = await begin(plainHost)
    await refused(go(plainHost, await codeFor(viewer, first.body), other.visitCookie))
    await refused(go(platformHost(), await codeFor(viewer, first.body), first.visitCookie))
    const target = await codeFor(viewer, first.body)
    const newer = await codeFor(viewer, first.body)
    await refused(go(plainHost, target, first.visitCookie))
    expect((await go(plainHost, newer, first.visitCookie)).status).toBe(303)
    await refused(go(plainHost, newer, first.visitCookie))
    const late = await codeFor(viewer, first.body)
    publishing.pass(minute)
    await refused(go(plainHost, late, first.visitCookie))
    await refused(visitHost(plainHost, '/_site/access?code=x', withCookie(first.visitCookie)))

    // A cookie is of its host, its project and its session, and cannot be altered.
    const cookie = await signInAt(plainHost, viewer)
    const [name = '', session = '', until = '', signature = ''] = cookie.split(/[=.]/)
    await refused(visitHost(platformHost(), '/', withCookie(cookie)))
    const other2 = await signInAt(plainHost, owner)
    const foreign = other2.split(/[=.]/)[1] ?? ''
    for (const altered of [
      `${name}=${foreign}.${until}.${signature}`,
      `${name}=${session}.9${until}.${signature}`,
      `${name}=${session}.${until}.${signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))}`,
      `${name}=${session}.${until}.`,
      `${name}=${session}`,
      viewer.cookie(),
    ]) {
      await refused(visitHost(plainHost, '/', withCookie(altered)))
    }
    // Nor does it open a site with a password, or one that goes to another project.
    await setVisibility('password', secret)
    await refused(visitHost(plainHost, '/', withCookie(cookie)))
    await setVisibility('members')
    expect((await visitHost(plainHost, '/', withCookie(cookie))).status).toBe(200)

    // The form is its own page's, and what is asked for never leads to another host.
    const strange = await begin(plainHost, '/', { origin: 'http://evil.example' })
    expect([strange.asked.status, strange.asked.headers['set-cookie']]).toEqual([401, undefined])
    const { body, visitCookie } = await begin(plainHost, '//evil.example/x')
    const entered = await go(plainHost, await codeFor(viewer, body), visitCookie)
    expect(entered.headers.location).toMatch(/^\/(?!\/)/)
    const planted = visitCookie.replace(
      /\..*$/,
      `.${Buffer.from('//evil.example').toString('base64url')}`,
    )
    const again = await go(plainHost, await codeFor(viewer, body), planted)
    expect(again.headers.location).toMatch(/^\/(?!\/)/)
  })

  it('is that of its previews, unless they have a password of their own', async () => {
    await owner.put(`/projects/${slug}/previews/draft`, {})
    const draft = `draft--${slug}.docs.localhost`
    expect((await visitHost(draft)).status).toBe(404)
    await setVisibility('members')
    expect((await visitHost(draft)).status).toBe(401)
    const cookie = await signInAt(draft, owner)
    expect((await visitHost(draft, '/', withCookie(cookie))).status).toBe(404)
    await owner.put(`/projects/${slug}/previews/draft`, { password: secret })
    expect((await enterPassword(draft, secret)).status).toBe(303)
    expect((await visitHost(draft, '/', withCookie(cookie))).status).toBe(401)
    // A former slug only leads to the current one.
    await owner.patch(`/projects/${slug}`, { slug: `new-${slug}` })
    const moved = await visitHost(platformHost(), '/guide')
    expect([moved.status, moved.headers.location]).toEqual([
      308,
      `http://new-${slug}.docs.localhost:${publishing.store.running.config.httpPort}/guide`,
    ])
    expect((await visitHost(`new-${slug}.docs.localhost`)).status).toBe(401)
  })
})
