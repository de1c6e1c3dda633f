// `animal-store api` on a real server, and the commands that it replaced.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeReplacement, replacedCommands } from '#cli/run-api.ts'
import { cases, isLong } from '../cases.ts'
import { type PublishingInTest, startPublishing } from '../publishing/publishing-in-test.ts'
import { runCommand, runOnTerminal } from '../served-process.ts'
import { startReceiver } from '../webhooks/receiver.ts'

let home: string
let publishing: PublishingInTest
let token: string
let server: Record<string, string>

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
  const env = { WEBHOOK_ALLOW: '127.0.0.1' }
  publishing = await startPublishing('sqlite', { now: Date.now(), env })
  token = await publishing.operator.token()
  const { httpPort } = publishing.store.running.config
  server = { ANIMAL_STORE_URL: `http://localhost:${httpPort}`, ANIMAL_STORE_TOKEN: token }
  await publishing.operator.create('docs')
  for (const name of ['Rex', 'Ada', 'Ida']) {
    const body = { name, categoryId: 1, status: name === 'Ida' ? 'sold' : 'available' }
    await publishing.operator.ask('/store/production/pets', { body })
  }
})
afterAll(async () => {
  await publishing.release()
  await rm(home, { recursive: true })
})

function run(words: string[], env = server, input = '') {
  return runCommand(publishing.store.place, words, env, input)
}

/** Of a call that succeeds. */
async function api(words: string[], env = server, input = ''): Promise<Record<string, unknown>> {
  const { status, stderr, stdout } = await run(['api', ...words], env, input)
  expect([status, stderr], stdout).toEqual([0, ''])
  return stdout === '' ? {} : JSON.parse(stdout)
}

describe('api', () => {
  it('sends fields in the query of a GET', async () => {
    const path = '/api/store/production/pets'
    const found = await api(['get', `${path}?limit=1`, '-f', 'status=sold'])
    expect(found).toMatchObject({ items: [{ status: 'sold' }] })
    const wrong = await run(['api', 'GET', path, '-f', 'limits=1'])
    expect(wrong.stdout).toContain('did you mean limit?')
  })

  it('sends fields, or a file, as the body of other methods', async () => {
    const animal = { name: '7', categoryId: 9223372036854775807n }
    const fields = ['-f', 'name=7', '-F', `categoryId=${animal.categoryId}`]
    const path = '/api/store/production/pets'
    const made = await run(['api', 'POST', path, ...fields])
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(made.stdout).toContain('"name":"7","categoryId":9223372036854775807')
    const body = JSON.stringify({ name: 'Momo', categoryId: 1 })
    expect(await api(['POST', path, '--input', '-'], server, body)).toMatchObject({ name: 'Momo' })
    const file = join(home, 'pet.json')
    await writeFile(file, body)
    const query = ['--input', file, '-F', 'dryRun=true']
    const header = ['-H', 'Content-Type: application/x-ndjson']
    const dryRun = await run(['api', 'POST', `${path}/import`, ...query, ...header])
    expect(dryRun).toMatchObject({ status: 0, stderr: '' })
    await writeFile(file, 'Named in a file\n')
    const named = await api(['POST', '/api/projects', '-F', `name=@${file}`, '-f', 'slug=named'])
    expect(named).toMatchObject({ slug: 'named', name: 'Named in a file' })
    const { id } = JSON.parse(made.stdout)
    expect(await api(['DELETE', `${path}/${id}`])).toEqual({})
  })

  it('calls the store with an API key, and this machine without a URL', async () => {
    const { httpPort } = publishing.store.running.config
    const env = {
      HTTP_PORT: String(httpPort),
      ANIMAL_STORE_TOKEN: publishing.store.keys.production,
    }
    const { stdout } = await run(['api', 'GET', '/v1/pets', '-f', 'limit=2'], env)
    expect(JSON.parse(stdout)).toHaveLength(2)
  })

  it('prints JSON as it is to a pipe, and indented on a terminal', async () => {
    const path = '/api/projects/docs'
    const text = (await publishing.operator.ask('/projects/docs')).text
    expect((await run(['api', 'GET', path])).stdout).toBe(text)
    const { place } = publishing.store
    const shown = await runOnTerminal(place, ['api', 'GET', path], server)
    expect(shown.trim()).toBe(JSON.stringify(JSON.parse(text), null, 2))
  })

  it('ends with 1 for an error, whose body it prints', async () => {
    const missing = await run(['api', 'GET', '/api/projects/nothing'])
    expect(missing).toMatchObject({ status: 1 })
    const { code, message } = JSON.parse(missing.stdout)
    expect(code).toBe('project_not_found')
    expect(missing.stderr).toBe(`animal-store: ${message} (HTTP 404)\n`)
    const stale = await run(['api', 'GET', '/api/projects'], { ...server, ANIMAL_STORE_TOKEN: 'x' })
    expect(stale).toMatchObject({ status: 1, stdout: expect.stringContaining('invalid_token') })
    const nowhere = await run(['api', 'GET', '/api/projects', '--url', 'http://localhost:2'])
    const stderr = expect.stringContaining('http://localhost:2 does not answer (ECONNREFUSED)')
    expect(nowhere).toEqual({ status: 1, stdout: '', stderr })
  })

  it('names the nearest operation for a path that there is not', async () => {
    const { status, stderr } = await run(['api', 'POST', '/api/project/docs/deploy'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/The nearest operation: POST \/api\/projects\/\{slug\}\/deploys\n$/)
    expect(stderr.split('\n')).toHaveLength(2)
  })

  it.each(
    cases([
      [['GET', '/api/projects'], { ANIMAL_STORE_URL: 'http://localhost:2' }, '--token is missing'],
      [['GET', '/api/projects'], {}, 'animal-store tokens create'],
      [['FETCH', '/api/projects'], undefined, 'METHOD accepts GET, POST, PUT, PATCH, or DELETE'],
      [['GET', 'projects'], undefined, 'PATH starts with /'],
      [['GET', 'https://example.com/'], undefined, 'PATH starts with /'],
      [['GET'], undefined, 'PATH is missing'],
      [['GET', '/api/projects', '-f', 'limit'], undefined, '--raw-field accepts NAME=VALUE'],
      [['GET', '/api/projects', '-H', 'a b: c'], undefined, '--header does not accept'],
      [
        ['GET', '/api/projects', '--url', 'ftp://a'],
        undefined,
        '--url accepts an http or https URL',
      ],
    ]),
  )('refuses %j', async (words, env, message) => {
    const { status, stderr, stdout } = await run(['api', ...words], env ?? server)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  it('lists the operations of both documents in its help, while the server runs', async () => {
    const { status, stdout } = await run(['api', '--help'], server)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^ {2}-f, --raw-field KEY=VALUE {2}/m)
    expect(stdout).toMatch(/^ {2}GET {5}\/api\/projects\/\{slug\} {2,}\S/m)
    expect(stdout).toMatch(/^ {2}GET {5}\/v1\/pets\/\{petId\} {2,}\S/m)
    expect(stdout).toMatch(
      /^ {2}PUT {5}\/api\/projects\/\{slug\}\/visibility .*in the dashboard only/m,
    )
    const without = await run(['api', '--help', '--url', 'http://localhost:2'], {})
    expect(without).toMatchObject({ status: 0, stderr: '' })
    expect(without.stdout).toContain('while the server at http://localhost:2 is running')
  })
})

describe('a command that there was', () => {
  it('names the call that does its work, which works', async () => {
    const receiver = await startReceiver()
    await writeFile(join(home, 'index.html'), 'hello')
    for (const name of ['promoted', 'changed']) {
      await run(['deploy', home, '--project', 'docs', '--preview', name])
    }
    const { settings } = await api(['GET', '/api/projects/docs/site-settings'])
    const files: Record<string, string> = {
      'site-settings set': JSON.stringify({ ...(settings as object), title: 'Animals' }),
      'site-settings upload': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'previews password': 'a quiet river at dawn\n',
    }
    const values: Record<string, string> = {
      ...{ environment: 'production', slug: 'docs', image: 'logo' },
    }
    const file = join(home, 'input')
    const said = await run(['webhooks', 'list'])
    const stderr = `animal-store: ${describeReplacement(['webhooks', 'list'])}\n`
    expect(said).toEqual({ status: 2, stdout: '', stderr })
    for (const [name, call] of Object.entries(replacedCommands)) {
      const line = `${name} is animal-store api ${call}`
      expect(describeReplacement(name.split(' '))).toBe(line)
      // The short tier makes the calls of one resource.
      if (!isLong && !name.startsWith('webhooks ')) continue
      values.preview = name === 'previews promote' ? 'promoted' : 'changed'
      await writeFile(file, files[name] ?? '')
      const words = call
        .replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '')
        .replace('FILE', file)
        .replace('URL', receiver.url)
      const { items, id } = await api(words.split(' '))
      if (name === 'webhooks create') {
        values.webhookId = String(id)
        const body = { name: 'Rex', categoryId: 1 }
        await publishing.operator.ask('/store/production/pets', { body })
        await receiver.took(1)
      }
      if (name === 'webhooks deliveries')
        values.eventId = (items as { eventId: string }[])[0]?.eventId ?? ''
    }
    expect(await api(['GET', '/api/store/production/webhooks'])).toEqual({ items: [] })
    if (!isLong) return
    const saved = await api(['GET', '/api/projects/docs/site-settings'])
    expect(saved).toMatchObject({ settings: { title: 'Animals' } })
    expect(await api(['GET', '/api/projects/docs/previews'])).toMatchObject({ items: [] })
  })

  it('names the place in the dashboard where access tokens cannot do it', async () => {
    const { stderr } = await run(['visibility', 'set', 'public', '--project', 'docs'])
    expect(stderr).toBe(
      'animal-store: visibility set is in the dashboard only, under Project settings, Site\n',
    )
    const path = '/api/projects/docs/visibility'
    const refused = await run(['api', 'PUT', path, '-f', 'visibility=members'])
    expect(refused).toMatchObject({ status: 1 })
    expect(refused.stderr).toContain('Access tokens cannot do this.')
  })

  it('is listed with its group', async () => {
    const { stderr } = await run(['transfer'])
    expect(stderr.split('\n').map((line) => line.split(' ').slice(-1)[0])).toHaveLength(6)
    expect(stderr).toContain('transfer show is animal-store api GET /api/projects/{slug}/members\n')
  })
})
