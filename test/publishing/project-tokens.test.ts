// Tokens of one project, and what an attacker would try with them. Deploy tokens can deploy to it, manage its previews and
// read both. With site tokens programs read its site, whatever its visibility, and can do nothing else. What each operation
// returns to them is in test/management/authorization.test.ts.

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askHttp2, openHttp2 } from '../edge/clients.ts'
import { openRaw } from '../raw-connection.ts'
import { type Answer, type AskOptions, refusal } from '../running-store.ts'
import { runCommand } from '../served-process.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson } from './publishing-in-test.ts'
import {
  domains,
  newProject,
  owner,
  publishing,
  servingDomains,
  setVisibility,
  slug,
  visitHost,
} from './serving.ts'

const secret = 'a quiet river at dawn'

interface DeployToken {
  id: string
  token: string
}

function deployTokens(): void {
  beforeAll(async () => {
    await owner.create('handbook', 'Handbook')
    await owner.create('another')
  })

  const createToken = async (body: object, by = owner): Promise<DeployToken> =>
    expectJson(await by.post('/projects/handbook/tokens', body), 201) as DeployToken
  const ask = (path: string, token: string, options = {}) =>
    publishing.anonymous(path, { token, ...options })
  const upload = (slug: string, token: string) =>
    ask(`/projects/${slug}/archives`, token, {
      method: 'POST',
      body: archiveOf({ 'index.html': 'Hello' }),
      type: 'application/gzip',
    })

  it('deploy, and read the deploys, of their project alone', async () => {
    const { token } = await createToken({ label: 'GitHub Actions' })
    const deploy = expectJson(await upload('handbook', token), 201) as { number: number }
    const path = `/projects/handbook/deploys/${deploy.number}`
    expect(await ask(`${path}?wait=25`, token)).toMatchObject({ json: { state: 'live' } })
    expect((await ask('/projects/handbook/deploys', token)).status).toBe(200)
    expect((await publishing.visit('handbook')).text).toBe('Hello')

    const lacks = (what: string) => `This deploy token lacks the scope ${what}`
    const ofAnother = lacks('project:deploy for this project: it belongs to another one.')
    const refused = { status: 403, json: { code: 'insufficient_scope', message: ofAnother } }
    expect(await upload('another', token)).toMatchObject(refused)
    const lacksScope = (scope: string) =>
      lacks(`${scope}: it can only deploy to its project, manage its previews and read both.`)
    const ofSessions = 'Access tokens cannot do this. Sign in.'
    for (const [route, message] of [
      ['GET /projects/another/deploys', ofAnother],
      ['GET /projects/not-there/deploys', ofAnother],
      ['GET /projects', lacksScope('projects:read')],
      ['POST /projects/handbook/deploys/1/restore', lacksScope('deploys:write')],
      ['POST /account/tokens', ofSessions],
    ] as const) {
      const [method = '', path = ''] = route.split(' ')
      const response = await ask(path, token, { method })
      expect(response, route).toMatchObject({ ...refused, json: { ...refused.json, message } })
    }
  })

  it('are named, shown once, listed with their last use, and revoked by owner and operators', async () => {
    expect((await owner.post('/projects/handbook/tokens', {})).status).toBe(400)
    const made = await createToken({ label: 'GitLab', expiresInDays: 7 })
    const list = async (by = owner): Promise<object> =>
      await by.read<object>('/projects/handbook/tokens')
    await ask('/projects/handbook/deploys', made.token)
    const shown = {
      id: made.id,
      label: 'GitLab',
      scopes: ['project:deploy'],
      createdBy: { id: owner.account.id, name: owner.account.name },
      lastUsedAt: new Date(publishing.store.clock.now).toISOString(),
      expiresAt: new Date(publishing.store.clock.now + 7 * day).toISOString(),
    }
    expect(await list()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining(shown)]),
    })
    expect(JSON.stringify(await list())).not.toContain(made.token)
    expect(await list(publishing.operator)).toEqual(await list())
    const own = await owner.read<{ items: object[] }>('/account/tokens')
    expect(own.items).toContainEqual(
      expect.objectContaining({ id: made.id, project: { slug: 'handbook', name: 'Handbook' } }),
    )
    const stranger = await publishing.member()
    expect((await stranger.ask('/projects/handbook/tokens')).status).toBe(404)
    const path = `/projects/handbook/tokens/${made.id}`
    expect((await owner.delete(path.replace('handbook', 'another'))).status).toBe(404)
    expect((await publishing.operator.delete(path)).status).toBe(204)
    expect((await ask('/projects/handbook/deploys', made.token)).status).toBe(401)
  })

  it('end with the access of their account, with their project, and on time', async () => {
    const { operator } = publishing
    const byOperator = await createToken({ label: 'Of an operator' }, operator)
    expect((await ask('/projects/handbook/deploys', byOperator.token)).status).toBe(200)
    const short = await createToken({ label: 'Short', expiresInDays: 1 })
    publishing.pass(day)
    expect((await ask('/projects/handbook/deploys', short.token)).status).toBe(401)

    await owner.signIn()
    await owner.create('brief')
    const token = await owner.deployToken('brief')
    await owner.delete('/projects/brief?name=brief')
    expect((await ask('/projects/brief/deploys', token)).status).toBe(401)
    // Nor does it open the project that has the slug next.
    await owner.create('brief')
    expect((await ask('/projects/brief/deploys', token)).status).toBe(401)
  })

  it('deploy from the command line, and are created there', async () => {
    const { place, running } = publishing.store
    const create = (...more: string[]) =>
      runCommand(place, [
        ...['tokens', 'create', '--account', owner.account.email, '--label', 'cli'],
        ...more,
      ])
    const made = await create('--project', 'another')
    expect(made.status).toBe(0)
    expect(await create('--project', 'not-there')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has no project not-there'),
    })
    expect(await create('--project', 'another', '--scopes', 'store:read')).toMatchObject({
      status: 2,
    })
    const folder = await mkdtemp(join(tmpdir(), 'deploy-token-'))
    await writeFile(join(folder, 'index.html'), 'From the command line')
    const url = `http://localhost:${running.config.httpPort}`
    const deploy = (project: string) =>
      runCommand(place, [
        ...['deploy', folder, '--project', project],
        ...['--url', url, '--token', made.stdout.trim()],
      ])
    expect(await deploy('another')).toMatchObject({
      status: 0,
      stdout: 'Deploy 1 is live (1 file, 1 sent).\n',
    })
    expect(await deploy('handbook')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('lacks the scope project:deploy for this project'),
    })
  })
}

interface SiteToken {
  id: string
  token: string
  lastUsedAt: string | null
}

function siteTokens(): void {
  beforeEach(async () => {
    for (const person of [owner, publishing.operator]) await person.signIn()
    await project()
    await setVisibility('members')
  })

  async function project(): Promise<void> {
    await newProject()
    const files = { 'index.html': `home of ${slug}`, _redirects: '/old / 302\n' }
    await owner.deployFolder(slug, files)
  }
  const path = () => `/projects/${slug}/tokens`
  const create = (body: object = {}, by = owner) =>
    by.post(path(), { label: 'Link checker', scope: 'site:read', ...body })
  const token = async (body = {}, by = owner) =>
    expectJson(await create(body, by), 201) as SiteToken
  const listed = async () => (await owner.read<{ items: SiteToken[] }>(path())).items
  const visit = (
    authorization: string | undefined,
    host = `${slug}.docs.localhost`,
    { headers, ...options }: AskOptions = {},
  ): Promise<Answer> =>
    visitHost(host, '/', {
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
    for (const [visibility, password] of [['members'], ['password', secret]] as const) {
      await setVisibility(visibility, password)
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
    const raw = await openRaw(publishing.store.running.config.httpPort)
    const head = `GET / HTTP/1.1\r\nHost: ${slug}.docs.localhost\r\n`
    for (const [fields, expected] of [
      ['', 401],
      [`Authorization: ${bearer}\r\n`, 200],
      ['', 401],
      [`authorization: bearer  ${made.token} \r\n`, 200],
      [`Authorization: ${bearer}\r\nAuthorization: ${bearer}\r\n`, 401],
    ] as const) {
      raw.write(`${head}${fields}\r\n`)
      expect((await raw.response())?.status).toBe(expected)
    }
    raw.close()
    for (const method of ['HEAD', 'OPTIONS', 'POST']) {
      const response = await visit(bearer, undefined, { method })
      expect(response.status).not.toBe(401)
      expect((await visit(undefined, undefined, { method })).status).toBe(401)
    }
    // Previews follow, unless they have a password of their own.
    const preview = (name: string, body: object) =>
      owner.put(`/projects/${slug}/previews/${name}`, body)
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
    expectJson(await owner.delete(`${path()}/${revoked.id}`), 204)
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
    const { id } = (await owner.post(offer)).json as { id: string }
    expectJson(await heir.answer(id, 'accept'), 204)
    expect(await status(`Bearer ${kept.token}`)).toBe(401)
    expect((await listed()).map((one) => one.id)).not.toContain(kept.id)
    // Deploy tokens of the owner of before, who is an editor now, stay.
    const deploys = `/projects/${slug}/deploys`
    expect((await publishing.anonymous(deploys, { token: deploying })).status).toBe(200)

    await project()
    await setVisibility('members')
    const last = await token()
    await owner.delete(`/projects/${slug}?name=${slug}`)
    await owner.publish(slug, { 'index.html': 'another project' })
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
    const message = expect.stringContaining('site token')
    const refused = await publishing.anonymous(`/projects/${own}/deploys`, { token: text })
    expect(refused).toMatchObject({ status: 401, json: { code: 'invalid_token', message } })
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
    expect((await visitHost(`${slug}.docs.localhost`, query)).status).toBe(401)
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
      expect(await create({}, person)).toMatchObject(refusal(403, 'role_required'))
    }
    const { token: byOperator } = await token({}, publishing.operator)
    expect(await status(`Bearer ${byOperator}`)).toBe(200)
    const { id, token: text } = await token()
    expect((await editor.ask(path())).text).toContain(id)
    expectJson(await editor.delete(`${path()}/${id}`), 204)
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
}

describe.each(cases(engines))('on %s', (engine) => {
  servingDomains(engine)
  describe('deploy tokens', deployTokens)
  describe('site tokens', siteTokens)
})
