// Platform hosts over HTTPS: the API, the dashboard, sites below the platform host, with automatic certificates.

import { beforeAll, describe, expect, it } from 'vitest'
import { prepareQuery } from '#publishing/database/tables.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { expectJson, startPublishing } from '../publishing/publishing-in-test.ts'
import { ask as askHttp } from '../running-store.ts'
import { shared } from '../shared.ts'
import { ask, handshakeFault } from './clients.ts'
import { openServedDomains } from './served-domains.ts'

const rootOf = prepareQuery()((db) => db.selectFrom('internal_roots').select('chain'))

describe.each(cases(engines))('hosts of our own on %s', (engine) => {
  const publishing = shared(() => startPublishing(engine, { now: Date.now() }))
  const domains = shared(() => openServedDomains(publishing.store.place))
  const owner = shared(() => publishing.member('paid'))
  let port: number
  beforeAll(() => {
    port = publishing.store.running.config.httpsPort ?? 0
  })

  const certified = (host: string) => expect.poll(() => handshakeFault(port, host)).toBe('none')
  const removed = (host: string) =>
    expect.poll(() => handshakeFault(port, host)).toMatch(/UNRECOGNIZED_NAME/)
  async function root(): Promise<string> {
    const [row] = await domains.database.read.all(rootOf, {})
    return row?.chain ?? ''
  }

  it('are served over HTTPS, to clients that trust the internal authority', async () => {
    const { keys } = publishing.store
    for (const host of ['localhost', 'staging.localhost']) await certified(host)
    const authorization = { authorization: `Bearer ${keys.production}` }
    const pets = await ask(port, 'localhost', await root(), '/v1/pets', authorization)
    expect([pets.status, pets.json]).toEqual([200, []])
    expect(pets.headers).not.toHaveProperty('strict-transport-security')
    const staging = { authorization: `Bearer ${keys.staging}` }
    const samples = await ask(port, 'staging.localhost', await root(), '/v1/pets', staging)
    expect(samples.json).toHaveLength(20)
    expect((await ask(port, 'localhost', await root(), '/sign-in')).status).toBe(200)
    // And over HTTP as before, because HTTPS is not configured.
    expect((await publishing.store.ask('/pets')).status).toBe(200)
  })

  it('include previews as long as they exist, with cookies for HTTPS alone', async () => {
    await owner.create('guide')
    const at = '/projects/guide/previews/branch'
    const settings = { password: 'a quiet river at dawn' }
    expectJson(await owner.put(at, settings), 200)
    await owner.deploy('guide', archiveOf({ 'index.html': 'draft' }), '?preview=branch')
    const host = 'branch--guide.docs.localhost'
    await certified(host)
    const body = String(new URLSearchParams(settings))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const right = await ask(port, host, await root(), '/', form, { body })
    expect(right.status).toBe(303)
    const cookie = right.headers['set-cookie'] ?? ''
    expect(cookie).toMatch(/^__Host-access=.*; HttpOnly; SameSite=Lax; Secure$/)
    const shown = await ask(port, host, await root(), '/', { cookie: cookie.split(';')[0] ?? '' })
    expect(shown.text).toBe('draft')
    expect((await ask(port, host, await root(), '/')).status).toBe(401)
    expectJson(await owner.delete(at), 204)
    await removed(host)
  })

  it('include sites from their first deploy on, also after a new slug', async () => {
    const host = 'tour.docs.localhost'
    await owner.publish('tour', { 'index.html': '<title>Tour</title>' })
    await certified(host)
    expect((await ask(port, host, await root())).text).toBe('<title>Tour</title>')
    expect((await publishing.visit('tour')).status).toBe(200)
    expectJson(await owner.patch('/projects/tour', { slug: 'trip' }), 200)
    await certified('trip.docs.localhost')
    // Old links still redirect, over HTTPS too: the hosts that are not needed are removed in the order of their names.
    const later = 'vanished.docs.localhost'
    await owner.publish('vanished', { 'index.html': 'x' })
    await certified(later)
    expectJson(await owner.delete('/projects/vanished?name=vanished'), 204)
    await removed(later)
    expect((await publishing.visit('tour')).status).toBe(308)
    const moved = await ask(port, host, await root(), '/a?b')
    expect(moved.status).toBe(308)
    expect(moved.headers.location).toMatch(/\/\/trip\.docs\.localhost(:\d+)?\/a\?b$/)
    expectJson(await owner.delete('/projects/trip?name=tour'), 204)
    await removed('trip.docs.localhost')
    await removed(host)
  })

  it('are not listed, and cannot be added or removed', async () => {
    await owner.publish('quiet', { 'index.html': 'x' })
    const host = 'quiet.docs.localhost'
    await certified(host)
    expect((await owner.ask('/projects/quiet/domains')).json).toMatchObject({ items: [] })
    for (const name of [host, 'localhost']) {
      const path = `/projects/quiet/domains/${name}`
      expect((await owner.ask(path)).status).toBe(404)
      expect((await owner.delete(path)).status).toBe(404)
      const added = await owner.post('/projects/quiet/domains', { host: name })
      expect(added.status).toBe(400)
    }
    expect(await handshakeFault(port, host)).toBe('none')
  })
})

describe('a dashboard whose URL is https', () => {
  const publishing = shared(() =>
    startPublishing('sqlite', { env: { DASHBOARD_URL: 'https://localhost' } }),
  )
  const domains = shared(() => openServedDomains(publishing.store.place))
  async function plain(path: string, headers: Record<string, string> = {}) {
    const { httpPort } = publishing.store.running.config
    const base = new URL('http://localhost')
    const answer = await askHttp(httpPort, base, '', path.slice(1), { key: null, headers })
    return [answer.status, answer.headers.location]
  }

  it('redirects to it once the certificate is trusted by browsers, but not behind a proxy', async () => {
    const { httpsPort = 0 } = publishing.store.running.config
    await expect.poll(() => handshakeFault(httpsPort, 'localhost')).toBe('none')
    expect(await plain('/sign-in')).toEqual([200, undefined])
    await domains.renew('localhost')
    expect(await plain('/sign-in?x=1')).toEqual([301, `https://localhost:${httpsPort}/sign-in?x=1`])
    expect(await plain('/sign-in', { 'x-forwarded-proto': 'https' })).toEqual([200, undefined])
    expect(await plain('/healthz')).toEqual([200, undefined])
    const page = await ask(httpsPort, 'localhost', domains.ca, '/sign-in')
    expect([page.status, page.headers['strict-transport-security']]).toEqual([
      200,
      'max-age=2592000',
    ])
  })
})
