// The commands for accounts with a running server: what they print works at its API.

import { describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import { type AskOptions, ask } from '../running-store.ts'
import { serveStore } from '../served-store.ts'
import { shared } from '../shared.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import { password, tokenOf } from './accounts-in-test.ts'

describe.each(anyEngine)('accounts by command line on %s', (engine) => {
  const store = shared(() => serveStore(engine, { LOG_LEVEL: 'trace' }))
  const secrets = [password]
  const askApi = (key: string | null, path: string, options: AskOptions) => {
    const base = new URL(`http://localhost:${store.port}/api`)
    const headers = { origin: base.origin, ...options.headers }
    return ask(store.port, base, '', path, { key, ...options, headers })
  }
  const post = (path: string, body: object) => askApi(null, path, { body })
  const get = (path: string, token: string) => askApi(token, path, {})

  it('invite, list, change the plan and reset the password', {
    timeout: 120_000,
  }, async () => {
    const run = (...words: string[]) => store.command('accounts', ...words)
    expect((await run('list')).stdout).toBe(
      'No accounts yet. serve prints the link to create the first one.\n',
    )

    const invited = await run('invite', '--email', 'olga@example.com', '--role', 'operator')
    expect(invited).toMatchObject({ status: 0, stderr: '' })
    expect(invited.stdout).toMatch(/^http:\/\/localhost:8080\/invitation#[0-9A-Za-z]{43}\n$/)
    const olga = { email: 'olga@example.com', name: 'Olga', password }
    const token = tokenOf(invited.stdout.trim())
    secrets.push(token)
    expect(await post('/invitations/accept', { ...olga, token })).toMatchObject({
      status: 201,
      json: { role: 'operator', plan: 'paid' },
    })
    const forMax = await run('invite', '--email', 'max@example.com', '--plan', 'paid', '--json')
    const { link, ...shown } = JSON.parse(forMax.stdout)
    expect(shown).toEqual({
      email: 'max@example.com',
      role: 'member',
      plan: 'paid',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    const max = { email: 'max@example.com', name: 'Max', password, token: tokenOf(link) }
    expect((await post('/invitations/accept', max)).json).toMatchObject({ plan: 'paid' })

    expect(await run('plan', 'MAX@example.com', 'free')).toMatchObject({
      status: 0,
      stdout: 'max@example.com is on the free plan now.\n',
    })
    const session = await post('/session', { email: 'olga@example.com', password })
    const cookie = session.headers['set-cookie']?.split(';')[0] ?? ''
    const log = await askApi(null, '/audit-log?area=plan', { headers: { cookie } })
    expect((log.json as { items: unknown[] }).items).toMatchObject([
      {
        action: 'plan.changed',
        actor: { id: null, name: 'command line', via: 'command_line' },
        target: { name: 'max@example.com' },
        detail: { from: 'paid', to: 'free' },
      },
    ])
    expect((await run('list')).stdout).toMatch(
      /^ +ID +EMAIL +ROLE +PLAN +CREATED +NAME\n +acc_\w+ +olga@example\.com +operator +paid +\S+ +Olga\n +acc_\w+ +max@example\.com +member +free +\S+ +Max\n$/,
    )
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([
      { email: 'olga@example.com', role: 'operator' },
      { email: 'max@example.com', plan: 'free' },
    ])

    expect((await run('email', 'max@example.com', 'olga@example.com')).stderr).toContain(
      'Another account has this e-mail address.',
    )
    expect(await run('email', 'max@example.com', 'max@example.org')).toMatchObject({
      status: 0,
      stdout: 'The account signs in with max@example.org now.\n',
    })
    await run('email', 'max@example.org', 'max@example.com')

    const reset = await run('reset', 'max@example.com')
    expect(reset.stdout).toMatch(/^http:\/\/localhost:8080\/password#[0-9A-Za-z]{43}\n$/)
    const again = { token: tokenOf(reset.stdout.trim()), password: 'another cup of coffee' }
    expect((await post('/password', again)).status).toBe(201)
    const signIn = (given: string) =>
      post('/session', { email: 'max@example.com', password: given })
    expect((await signIn(password)).status).toBe(401)
    expect((await signIn('another cup of coffee')).status).toBe(201)
  })

  it('create, list and revoke access tokens; no token is logged or stored', {
    timeout: 120_000,
  }, async () => {
    const account = ['--account', 'olga@example.com']
    const run = (...words: string[]) => store.command('tokens', ...words)
    expect((await run('list', ...account)).stdout).toContain('No access tokens yet')

    const made = await run('create', ...account, '--label', 'ci', '--scopes', 'projects:read')
    expect(made.stdout).toMatch(/^as_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\n$/)
    const token = made.stdout.trim()
    expect((await get('/projects', token)).status).toBe(200)
    expect((await get('/account', token)).status).toBe(403)
    const other = await run('create', ...account, '--label', 'two', '--expires', '2d', '--json')
    const { token: second, ...shown } = JSON.parse(other.stdout)
    expect(shown).toMatchObject({
      label: 'two',
      scopes: [
        'projects:read',
        'projects:write',
        'deploys:write',
        'domains:write',
        'store:read',
        'store:write',
      ],
      lastUsedAt: null,
    })
    expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(2 * 86_400_000)
    const listed = await run('list', ...account)
    expect(listed.stdout).toMatch(/ active +ci +projects:read /)
    expect(JSON.parse((await run('list', ...account, '--json')).stdout)).toHaveLength(2)

    const [, , id = ''] = token.split('_')
    expect((await run('revoke', token)).stdout).toBe(`Revoked ${id}.\n`)
    expect((await get('/projects', token)).status).toBe(401)
    expect(await run('revoke', id)).toMatchObject({
      status: 1,
      stderr: `animal-store: there is no access token ${id}\n`,
    })
    expect((await get('/projects', second)).status).toBe(200)
    expect((await run('revoke-all', ...account)).stdout).toBe('Revoked 1 access token.\n')
    expect((await get('/projects', second)).status).toBe(401)

    const everything = [store.log(), listed.stdout, await readStoredBytes(store.place)]
    for (const text of everything) {
      for (const secret of [token, second, ...secrets]) expect(text).not.toContain(secret)
    }
    expect(store.log()).toContain('acceptInvitation')
  })

  if (isLong)
    it('report invalid arguments', async () => {
      const account = ['--account', 'nobody@example.com']
      for (const [words, status, message] of [
        ['accounts invite --email nowhere', 2, '--email accepts an email address such as'],
        [
          'accounts invite --email a@example.com --role owner',
          2,
          '--role accepts operator or member',
        ],
        ['accounts invite --email a@example.com --plan golden', 2, '--plan accepts free or paid'],
        ['accounts invite', 2, '--email'],
        ['accounts email nobody@example.com nowhere', 2, '<new-email> accepts an email address'],
        ['accounts plan nobody@example.com golden', 2, 'the plan accepts free or paid'],
        ['accounts plan nobody@example.com paid', 1, 'there is no account with the email address'],
        ['accounts plan nobody@example.com', 2, '<free|paid> is missing'],
        ['accounts reset nobody@example.com', 1, 'there is no account with the email address'],
        [`tokens create ${account.join(' ')} --label ci`, 1, 'there is no account'],
        [`tokens create ${account.join(' ')} --label ci --expires 367d`, 2, 'at most 366d'],
        [`tokens create ${account.join(' ')} --label ci --expires 0s`, 2, '--expires accepts'],
        [
          `tokens create ${account.join(' ')} --label ci --scopes all`,
          2,
          '--scopes does not accept',
        ],
        ['tokens list', 2, '--account EMAIL is missing'],
        ['tokens revoke-all', 2, '--account EMAIL is missing'],
        [`tokens revoke-all ${account.join(' ')}`, 1, 'there is no account'],
      ] as const) {
        const result = await store.command(...words.split(' '))
        expect([words, result.status, result.stdout]).toEqual([words, status, ''])
        expect(result.stderr).toContain(message)
        expect(result.stderr.trim().split('\n')).toHaveLength(1)
      }
    })
})
