// Previews over HTTP: an address of their own, the password, promoting without a build, and every way to end.
import { Agent } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { listWithdrawn } from '#publishing/database/publishing-state.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import type { Preview } from '#publishing/previews/routes.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type Answer, refusal } from '../running-store.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson, hour } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { enterPassword, newProject, owner, publishing, rows, serving, slug } from './serving.ts'

const secret = 'a quiet river at dawn'

describe.each(cases(engines))('previews on %s', (engine) => {
  serving(engine, { env: { PREVIEW_AGE: '7d' } })
  beforeEach(() => newProject())

  const deployTo = (preview: string, text: string) => {
    const archive = archiveOf({ 'index.html': text, 'a-3fa9c2d41b.js': 'x' })
    return owner.deploy(slug, archive, `?preview=${preview}`)
  }
  const put = async (preview: string, body: object = {}): Promise<Preview> =>
    expectJson(await owner.put(`/projects/${slug}/previews/${preview}`, body), 200) as Preview
  const list = async () =>
    (await owner.read<{ items: Preview[] }>(`/projects/${slug}/previews`)).items
  const visit = (preview: string, path = '/', options = {}): Promise<Answer> =>
    publishing.visit(`${preview}--${slug}`, path, options)
  const enter = (preview: string, password: string, path?: string, options = {}) =>
    enterPassword(`${preview}--${slug}.docs.localhost`, password, path, options)
  const cookieOf = ({ headers }: Answer) => headers['set-cookie']?.split(';')[0] ?? ''

  it('are shown at an address of their own, while visitors of the site see the live deploy', async () => {
    await owner.deploy(slug, archiveOf({ 'index.html': 'live' }))
    const deploy = await deployTo('branch', 'draft')
    expect(deploy).toMatchObject({ number: 2, state: 'preview', preview: 'branch' })
    const shown = await visit('branch')
    expect(shown).toMatchObject({ status: 200, text: 'draft' })
    expect(shown.headers).toMatchObject({
      'x-robots-tag': 'noindex',
      'cache-control': 'private, max-age=0, must-revalidate',
    })
    expect((await visit('branch', '/a-3fa9c2d41b.js')).headers['cache-control']).toMatch(/^private/)
    expect((await visit('branch', '/missing')).headers['x-robots-tag']).toBe('noindex')
    expect((await publishing.visit(slug)).text).toBe('live')
    expect((await publishing.visit(slug)).headers).not.toHaveProperty('x-robots-tag')
    expect(await list()).toEqual([
      {
        name: 'branch',
        address: expect.stringMatching(new RegExp(`^http://branch--${slug}\\.docs\\.localhost:`)),
        deploy: 2,
        hasPassword: false,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ])
    // The next one replaces it, and its files are deleted.
    await deployTo('branch', 'second draft')
    expect((await visit('branch')).text).toBe('second draft')
    const gone = await owner.ask(`/projects/${slug}/deploys/2`)
    expect(gone).toMatchObject(refusal(404, 'deploy_not_found'))
    expect((await publishing.visit(slug)).text).toBe('live')
  })

  it('keep what they show when the next build fails, and do not change the deploys of the site', async () => {
    await deployTo('branch', 'draft')
    const broken = archiveOf({ 'notes.txt': 'nothing' })
    const failed = await owner.deploy(slug, broken, '?preview=branch')
    expect(failed).toMatchObject({ state: 'failed', preview: 'branch' })
    expect((await visit('branch')).text).toBe('draft')
    expect((await publishing.visit(slug)).status).toBe(404)
    const live = await owner.deploy(slug, archiveOf({ 'index.html': 'live' }))
    expect(live).toMatchObject({ state: 'live', preview: null })
    expect((await visit('branch')).text).toBe('draft')
    const restored = await owner.post(`/projects/${slug}/deploys/1/restore`)
    expect(restored).toMatchObject(refusal(409, 'conflict'))
  })

  it('go live without a build when they are promoted, and end; only then are they the last deploy', async () => {
    const lastDeploy = async () =>
      (await owner.read<{ lastDeploy: Deploy | null }>(`/projects/${slug}`)).lastDeploy
    await deployTo('branch', 'first draft')
    expect(await lastDeploy()).toBeNull()
    await owner.deploy(slug, archiveOf({ 'index.html': 'live' }))
    const before = await deployTo('branch', 'draft')
    expect(await lastDeploy()).toMatchObject({ number: 2, state: 'live' })
    const path = `/projects/${slug}/previews/branch/promote`
    const promoted = expectJson(await owner.post(path), 200)
    expect(promoted).toEqual({ ...before, state: 'live', preview: null })
    expect(await lastDeploy()).toMatchObject({ number: 3, state: 'live' })
    expect((await publishing.visit(slug)).text).toBe('draft')
    expect((await visit('branch')).status).toBe(404)
    expect(await list()).toEqual([])
    // The site as it was can be restored.
    await owner.post(`/projects/${slug}/deploys/2/restore`)
    expect((await publishing.visit(slug)).text).toBe('live')
    expect(await owner.actions()).toContain('deploy.promoted')
    await owner.deploy(slug, archiveOf({ 'a.txt': 'nothing to publish' }))
    expect(await lastDeploy()).toMatchObject({ number: 4, state: 'failed' })
  })

  it('ask for their password, from the first deploy on', async () => {
    const first = await put('branch', { password: secret })
    expect(first).toMatchObject({ hasPassword: true, deploy: null })
    await deployTo('branch', 'draft')
    const asked = await visit('branch', '/', { headers: { accept: 'text/html' } })
    expect(asked.status).toBe(401)
    expect(asked.text).toContain('type="password"')
    expect(asked.text).not.toContain('draft')
    expect(asked.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringContaining("form-action 'self'"),
    })
    const json = await visit('branch', '/', { headers: { accept: 'application/json' } })
    expect(json).toMatchObject(refusal(401, 'not_signed_in'))
    expect((await visit('branch', '/a-3fa9c2d41b.js')).status).toBe(401)
    const wrong = await enter('branch', 'a quiet river at dusk')
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('Incorrect password')
    expect(wrong.headers).not.toHaveProperty('set-cookie')
    expect((await enter('branch', '')).status).toBe(400)
    // Only forms of their own page are accepted, and they lead nowhere else.
    const headers = { origin: 'http://evil.example' }
    const strange = await enter('branch', secret, '/', { headers })
    expect([strange.status, strange.headers['set-cookie']]).toEqual([401, undefined])
    const away = await enter('branch', secret, '//evil.example/x')
    expect(away.headers.location).toMatch(/^\/(?!\/)/)
    const right = await enter('branch', secret, '/guide?x=1')
    expect(right).toMatchObject({ status: 303, headers: { location: '/guide?x=1' } })
    expect(right.headers['set-cookie']).toMatch(
      /^access=[\w.-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const cookie = cookieOf(right)
    expect((await visit('branch', '/', { headers: { cookie } })).text).toBe('draft')
    // Not at the site of a sibling, not with another signature, and not beyond its time.
    await put('other', { password: secret })
    await deployTo('other', 'other draft')
    expect((await visit('other', '/', { headers: { cookie } })).status).toBe(401)
    expect((await visit('branch', '/', { headers: { cookie: `${cookie}x` } })).status).toBe(401)
    const later = cookie.replace(/\.\d/, '.9')
    expect((await visit('branch', '/', { headers: { cookie: later } })).status).toBe(401)
    // A new password asks everyone again; without one, nobody is asked.
    await put('branch', { password: 'a loud river at night' })
    expect((await visit('branch', '/', { headers: { cookie } })).status).toBe(401)
    await put('branch', { password: null })
    expect((await visit('branch')).text).toBe('draft')
    expect((await visit('other')).status).toBe(401)
  })

  it('limit attempts to guess the password, also the right one then', async () => {
    await put('branch', { password: secret })
    await deployTo('branch', 'draft')
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) statuses.push((await enter('branch', `wrong guess ${i}`)).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
    expect(statuses[10]).toBe(429)
    const limited = await enter('branch', secret)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    // Who guesses, from however many networks, locks nobody else out.
    const guess = (n: number, password: string) =>
      enter('branch', password, '/', { agent: new Agent({ localAddress: `127.0.1.${n}` }) })
    for (let n = 1; n <= 12; n++)
      for (let i = 0; i < 10; i++) expect((await guess(n, `wrong guess ${i}`)).status).toBe(401)
    expect((await guess(1, secret)).status).toBe(429)
    expect((await guess(100, secret)).status).toBe(303)
    publishing.pass(hour)
    expect((await enter('branch', secret)).status).toBe(303)
  })

  it('refuse a weak password, and names that make no host', async () => {
    const weak = await owner.put(`/projects/${slug}/previews/branch`, { password: 'short' })
    expect(weak).toMatchObject({ status: 400, json: { details: [{ path: 'password' }] } })
    for (const name of ['ab', 'a--b', '-ab', 'ab-', 'Branch', 'x'.repeat(41)]) {
      const asked = await owner.put(`/projects/${slug}/previews/${name}`, {})
      expect(asked, name).toMatchObject(refusal(400, 'invalid_parameter'))
    }
    // A slug cannot look like a preview of another project.
    const taken = await owner.post('/projects', { name: 'x', slug: `other--${slug}` })
    expect(taken).toMatchObject(refusal(400, 'invalid_body'))
  })

  it('get a password and end at once, for connections that are kept, too', async () => {
    await deployTo('branch', 'draft')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const status = async () => (await visit('branch', '/', { agent })).status
    try {
      for (let n = 0; n < 3; n++) expect(await status()).toBe(200)
      await put('branch', { password: secret })
      expect(await status()).toBe(401)
      await put('branch', { password: null })
      for (let n = 0; n < 3; n++) expect(await status()).toBe(200)
      expectJson(await owner.delete(`/projects/${slug}/previews/branch`), 204)
      // Or the connection was closed.
      expect(await status().catch(() => 404)).toBe(404)
    } finally {
      agent.destroy()
    }
    // Their files are deleted.
    expect(await list()).toEqual([])
    await expect.poll(() => owner.deploys(slug)).toEqual([])
    await expect.poll(() => rows.orphans()).toEqual(noOrphans)
  })

  it('end by age, to the millisecond; a deploy starts their time anew', async () => {
    await deployTo('old', 'draft')
    await deployTo('young', 'draft')
    publishing.pass(6 * day)
    await owner.signIn()
    await deployTo('young', 'draft 2')
    publishing.pass(day)
    await owner.signIn()
    expect((await visit('old')).status).toBe(404)
    expect((await visit('young')).text).toBe('draft 2')
    expect((await list()).map(({ name }) => name)).toEqual(['young'])
    await publishing.store.running.publishing.maintain()
    expect((await owner.deploys(slug)).map(({ preview }) => preview)).toEqual(['young'])
  })

  it('end by count: the one without a deploy for the longest time', async () => {
    const member = await publishing.member('free')
    await member.create(`few-${slug}`)
    const names = ['one', 'two', 'three', 'four', 'five', 'six']
    for (const name of names) {
      publishing.pass(1000)
      await member.put(`/projects/few-${slug}/previews/${name}`, {})
    }
    const { items } = await member.read<{ items: Preview[] }>(`/projects/few-${slug}/previews`)
    expect(items.map(({ name }) => name)).toEqual(names.slice(1).reverse())
  })

  it('follow the slug of their project, and end with it', async () => {
    await deployTo('branch', 'draft')
    const moved = `moved-${slug}`
    await owner.patch(`/projects/${slug}`, { slug: moved })
    expect((await publishing.visit(`branch--${moved}`)).text).toBe('draft')
    expect((await visit('branch')).status).toBe(404)
    expectJson(await owner.delete(`/projects/${moved}?name=${slug}`), 204)
    expect((await publishing.visit(`branch--${moved}`)).status).toBe(404)
    // No node keeps a connection to either host.
    const withdrawn = (await listWithdrawn(rows.database.read, 0n, 100)).map(({ host }) => host)
    expect(withdrawn).toEqual(
      expect.arrayContaining([`branch--${slug}.docs.localhost`, `branch--${moved}.docs.localhost`]),
    )
  })
})
