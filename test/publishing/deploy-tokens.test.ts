// Deploy tokens: each deploys to its one project and reads the deploys of it. Everything else is refused by the server.
// What each operation answers to one is in test/management/authorization.test.ts.

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { runCommand } from '../served-process.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson } from './publishing-in-test.ts'
import { owner, publishing, serving } from './serving.ts'

interface DeployToken {
  id: string
  token: string
}

describe.each(cases(engines))('deploy tokens on %s', (engine) => {
  serving(engine)
  beforeAll(async () => {
    await owner.create('handbook', 'Handbook')
    await owner.create('another')
  })

  const createToken = async (body: object, by = owner): Promise<DeployToken> =>
    expectJson(await by.ask('/projects/handbook/tokens', { body }), 201) as DeployToken
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

    for (const [slug, request] of [
      ['another', () => upload('another', token)],
      ['another', () => ask('/projects/another/deploys', token)],
      ['not-there', () => ask('/projects/not-there/deploys', token)],
    ] as const) {
      const { json, status } = await request()
      expect([slug, status, json]).toMatchObject([
        slug,
        403,
        {
          code: 'insufficient_scope',
          message:
            'This deploy token lacks the scope project:deploy for this project: it belongs to another one.',
        },
      ])
    }
    for (const [method, path, scope] of [
      ['GET', '/projects', 'projects:read'],
      ['GET', '/projects/handbook', 'projects:read'],
      ['PATCH', '/projects/handbook', 'projects:write'],
      ['POST', '/projects/handbook/deploys/1/restore', 'deploys:write'],
      ['GET', '/projects/handbook/domains', 'projects:read'],
      ['POST', '/projects/handbook/domains', 'domains:write'],
      ['GET', '/store/production/pets', 'store:read'],
    ] as const) {
      expect(await ask(path, token, { method })).toMatchObject({
        status: 403,
        json: {
          code: 'insufficient_scope',
          message: `This deploy token lacks the scope ${scope}: it can only deploy to its project, manage its previews and read both.`,
        },
      })
    }
    for (const [method, path] of [
      ['DELETE', '/projects/handbook?name=Handbook'],
      ['GET', '/projects/handbook/tokens'],
      ['POST', '/projects/handbook/tokens'],
      ['GET', '/account'],
      ['POST', '/account/tokens'],
    ] as const) {
      expect(await ask(path, token, { method })).toMatchObject({
        status: 403,
        json: { message: 'Access tokens cannot do this. Sign in.' },
      })
    }
  })

  it('are named, shown once, listed with their last use, and revoked by owner and operators', async () => {
    expect((await owner.ask('/projects/handbook/tokens', { body: {} })).status).toBe(400)
    const made = await createToken({ label: 'GitLab', expiresInDays: 7 })
    const list = async (by = owner): Promise<object> =>
      expectJson(await by.ask('/projects/handbook/tokens'), 200) as object
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
    const own = (await owner.ask('/account/tokens')).json as { items: object[] }
    expect(own.items).toContainEqual(
      expect.objectContaining({ id: made.id, project: { slug: 'handbook', name: 'Handbook' } }),
    )
    const stranger = await publishing.member()
    expect((await stranger.ask('/projects/handbook/tokens')).status).toBe(404)
    const path = `/projects/handbook/tokens/${made.id}`
    expect(
      (await owner.ask(path.replace('handbook', 'another'), { method: 'DELETE' })).status,
    ).toBe(404)
    expect((await publishing.operator.ask(path, { method: 'DELETE' })).status).toBe(204)
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
    await owner.ask('/projects/brief?name=brief', { method: 'DELETE' })
    expect((await ask('/projects/brief/deploys', token)).status).toBe(401)
    // Nor does it open the project that has the slug next.
    await owner.create('brief')
    expect((await ask('/projects/brief/deploys', token)).status).toBe(401)
  })

  it('deploy from the command line, and are created there', async () => {
    const { place, running } = publishing.store
    const create = (...more: string[]) =>
      runCommand(place, [
        'tokens',
        'create',
        '--account',
        owner.account.email,
        '--label',
        'cli',
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
})
