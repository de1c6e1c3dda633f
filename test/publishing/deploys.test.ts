// Deploys over HTTP: an archive, a folder by its files, failures, history and restoring.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { maxDeployFileBytes } from '../../client/values/limits.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { archiveOf, zipOf } from './archive-of.ts'
import { day, expectJson, type Files, minute } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { newProject, owner, publishing, rows, serving, slug, visit } from './serving.ts'

const site: Files = {
  'index.html': '<h1>Welcome</h1>',
  'guide/start.html': '<h1>Start</h1>',
  'empty.txt': '',
}

describe.each(engines)('deploys on %s', (engine) => {
  serving(engine)
  beforeEach(() => newProject())
  afterAll(async () => expect(await rows.orphans()).toEqual(noOrphans))

  const put = (hash: string, body: Uint8Array, by = owner) => by.putFile(slug, body, hash)

  function deployHashes(files: { path: string; hash: string }[], by = owner) {
    return by.post(`/projects/${slug}/deploys`, { files })
  }

  it.each([
    ['.zip', zipOf(site)],
    ['.tar.gz', archiveOf(site)],
    [
      '.zip of a folder',
      zipOf(Object.fromEntries(Object.entries(site).map(([path, text]) => [`site/${path}`, text]))),
    ],
  ])('publishes a %s', async (_, bytes) => {
    expect((await visit(slug)).status).toBe(404)
    expect(await owner.deploy(slug, bytes)).toEqual({
      number: 1,
      state: 'live',
      preview: null,
      rebuildOf: null,
      warnings: null,
      kind: 'ready',
      source: 'archive',
      message: null,
      createdBy: owner.account.id,
      createdByName: owner.account.name,
      createdVia: 'session',
      tokenLabel: null,
      createdAt: expect.stringMatching(/^2027-01-01T/),
      finishedAt: expect.stringMatching(/^2027-01-01T/),
      sourceFiles: 3,
      sourceBytes: 30,
      siteFiles: 3,
      siteBytes: 30,
      failure: null,
    })
    expect(await visit(slug)).toMatchObject({ status: 200, text: '<h1>Welcome</h1>' })
    expect(await visit(slug, '/guide/start')).toMatchObject({ text: '<h1>Start</h1>' })
    expect(await visit(slug, '/empty.txt')).toMatchObject({ status: 200, text: '' })
  })

  it('publishes a folder by its files, and sends only new content', async () => {
    expect(await owner.deployFolder(slug, site)).toMatchObject({ state: 'live', sent: 3 })
    expect(await visit(slug)).toMatchObject({ text: '<h1>Welcome</h1>' })
    const same = await owner.deployFolder(slug, site)
    expect(same).toMatchObject({ number: 2, source: 'folder', state: 'live', sent: 0 })
    const copies = { ...site, 'copy.html': '<h1>Welcome</h1>', 'index.html': '<h1>Other</h1>' }
    expect(await owner.deployFolder(slug, copies)).toMatchObject({ sent: 1, siteFiles: 4 })
    expect(await visit(slug)).toMatchObject({ text: '<h1>Other</h1>' })
    expect(await visit(slug, '/copy')).toMatchObject({ text: '<h1>Welcome</h1>' })
    // Content that came in an archive need not be sent either.
    await owner.deploy(slug, archiveOf({ 'index.html': 'from an archive' }))
    expect(await owner.deployFolder(slug, { 'index.html': 'from an archive' })).toMatchObject({
      sent: 0,
    })
  })

  it('does not give content of others to an account that only knows its hash', async () => {
    const victim = slug
    const secret = Buffer.from('<h1>The secret of another account</h1>')
    const hash = contentHash(secret)
    await owner.deployFolder(victim, { 'index.html': secret })
    const other = await publishing.member()
    await newProject(other)
    expect(await other.missing(slug, [hash])).toEqual([hash])
    expect(await deployHashes([{ path: 'index.html', hash }], other)).toMatchObject(
      refusal(409, 'files_missing', 'index.html'),
    )
    // Also in a deploy so large that it is bound in parts, and then again.
    const many = Array.from({ length: 1500 }, (_, i) => ({ path: `${i}.html`, hash }))
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await deployHashes(many, other)).toMatchObject({ json: { code: 'files_missing' } })
    }
    expect((await other.ask(`/projects/${slug}/deploys`)).json).toEqual({ items: [], next: null })
    expect((await visit(slug)).status).toBe(404)
    // With the content it can be published, and deleting it does not affect the other project.
    expect((await put(hash, secret, other)).status).toBe(204)
    expect((await deployHashes([{ path: 'index.html', hash }], other)).status).toBe(201)
    const deletion = await owner.delete(`/projects/${victim}?name=${victim}`)
    expect(deletion.status).toBe(204)
    expect((await other.finished(slug, 1)).state).toBe('live')
    expect(await visit(slug)).toMatchObject({ text: secret.toString() })
  })

  it('refuses a file whose content does not match its hash', async () => {
    const bytes = Buffer.from('content')
    const hash = contentHash(bytes)
    const cases: [string, Uint8Array][] = [
      [hash, Buffer.from('other content')],
      [hash, Buffer.alloc(0)],
      [hash.toUpperCase(), bytes],
      ['..%2F..%2Fetc%2Fpasswd', bytes],
      ['%00', bytes],
    ]
    for (const [named, body] of cases) {
      expect(await put(named, body), named).toMatchObject(refusal(400, 'invalid_parameter', 'hash'))
    }
    const large = Buffer.alloc(maxDeployFileBytes + 1)
    expect(await put(contentHash(large), large)).toMatchObject(refusal(413, 'body_too_large'))
    expect((await put(hash, bytes)).status).toBe(204)
    const largest = large.subarray(1)
    expect((await put(contentHash(largest), largest)).status).toBe(204)
  })

  it('refuses invalid paths, all at once', async () => {
    const hash = contentHash(Buffer.from('x'))
    await put(hash, Buffer.from('x'))
    const paths = ['../x', '/x', 'a\\b', 'a//b', 'ok.html', 'OK.html', 'con', 'x\u202e.html']
    const response = await deployHashes(paths.map((path) => ({ path, hash })))
    expect(response).toMatchObject(refusal(400, 'invalid_body'))
    const { details } = response.json as { details: { path: string; message: string }[] }
    expect(details.map(({ path }) => path)).toEqual(
      [0, 1, 2, 3, 5, 6, 7].map((i) => `files[${i}].path`),
    )
  })

  it('shows what it waits for, and long polling returns as soon as it changes', async () => {
    const seen = [(await owner.upload(slug, archiveOf(site))).json as Deploy]
    for (let last = seen[0] as Deploy; last.state !== 'live'; last = seen.at(-1) as Deploy) {
      const after = `${last.state}:${last.siteFiles}`
      const path = `/projects/${slug}/deploys/1?wait=25&after=${after}`
      seen.push(await owner.read<Deploy>(path))
    }
    const states = seen.map(({ state }) => state)
    expect(states[0]).toBe('uploaded')
    const order = ['uploaded', 'building', 'live']
    expect(states).toEqual(states.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
    expect((await owner.finished(slug, 1)).state).toBe('live')
    // It cannot change, so the response is immediate.
    expect((await owner.ask(`/projects/${slug}/deploys/1?wait=25&after=live:3`)).status).toBe(200)
  })

  it.each([
    [
      'invalid settings',
      { 'index.md': '# Hello', 'site.yaml': 'language: en\ntitle: [a]\n' },
      { file: 'site.yaml', line: 2 },
    ],
    [
      'an invalid OpenAPI document',
      { 'index.md': '# Hello', 'openapi.yaml': 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\n' },
      { file: 'openapi.yaml', line: 1 },
    ],
    ['nothing to publish', { 'notes.txt': 'nothing' }, { file: null, line: null }],
    [
      'a page with the path of a file',
      { 'a.md': '# A', 'a.html': 'mine' },
      { file: 'a.md', line: null },
    ],
  ])('fails with %s, and the last successful one stays live', async (_, files, place) => {
    await owner.deploy(slug, archiveOf(site))
    const failed = await owner.deploy(slug, archiveOf(files))
    expect(failed).toMatchObject({ number: 2, state: 'failed', kind: null, failure: place })
    expect(failed.failure?.message).toMatch(/\S.{15,}/)
    expect(await visit(slug)).toMatchObject({ text: '<h1>Welcome</h1>' })
    expect((await owner.ask(`/projects/${slug}`)).json).toMatchObject({
      liveDeploy: { number: 1, state: 'live' },
    })
    const restoring = await owner.post(`/projects/${slug}/deploys/2/restore`)
    expect(restoring).toMatchObject(refusal(409, 'conflict'))
  })

  it('renders Markdown, and publishes the other files', async () => {
    const files = {
      'index.md': '# Hello\n\n![a](a.svg)',
      'a.svg': '<svg/>',
      'site.yaml': 'title: T',
    }
    expect(await owner.deploy(slug, archiveOf(files))).toMatchObject({
      state: 'live',
      kind: 'rendered',
      sourceFiles: 3,
    })
    expect((await visit(slug)).text).toContain('Hello</h1>')
    expect((await visit(slug, '/a.svg')).headers['content-type']).toContain('image/svg+xml')
    expect((await visit(slug, '/site.yaml')).status).toBe(404)
    expect((await visit(slug, '/sitemap.xml')).text).toContain(`http://${slug}.docs.localhost`)
  })

  it('compresses files once, if it is worth it', async () => {
    const text = '<p>All the same.</p>\n'.repeat(500)
    await owner.deploy(slug, archiveOf({ 'index.html': text, 'small.txt': 'small' }))
    const headers = { 'accept-encoding': 'gzip' }
    const packed = await visit(slug, '/', { headers })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(Number(packed.headers['content-length'])).toBeLessThan(text.length / 10)
    expect((await visit(slug, '/small.txt', { headers })).text).toBe('small')
  })

  it('restores an earlier one at once, any number of times', async () => {
    for (const text of ['one', 'two', 'three']) {
      await owner.deploy(slug, archiveOf({ 'index.html': text }))
    }
    for (const [number, text] of [
      [1, 'one'],
      [3, 'three'],
      [2, 'two'],
      [2, 'two'],
    ] as const) {
      const response = await owner.post(`/projects/${slug}/deploys/${number}/restore`)
      expect(expectJson(response, 200)).toMatchObject({ number, state: 'live' })
      expect((await visit(slug)).text).toBe(text)
    }
    const states = async () =>
      (await owner.deploys(slug)).map(({ number, state }) => `${number} ${state}`)
    expect(await states()).toEqual(['3 superseded', '2 live', '1 superseded'])
    // A new one is live again, and the next page of the list has the others.
    await owner.deploy(slug, archiveOf({ 'index.html': 'four' }))
    expect((await visit(slug)).text).toBe('four')
    const page = await owner.read<{ next: number }>(`/projects/${slug}/deploys?limit=3`)
    expect(page).toMatchObject({ items: [{ number: 4 }, { number: 3 }, { number: 2 }], next: 2 })
    const rest = await owner.ask(`/projects/${slug}/deploys?limit=3&before=${page.next}`)
    expect(rest.json).toMatchObject({ items: [{ number: 1 }], next: null })
  })

  it('keeps ten earlier ones and five failed ones, and deletes the files of the others', async () => {
    const text = (i: number) => `<h1>Version ${i} of ${slug}</h1>`
    for (let i = 1; i <= 13; i++) await owner.deploy(slug, archiveOf({ 'index.html': text(i) }))
    const failing = (i: number) => archiveOf({ 'notes.txt': `${text(i)}, which fails` })
    for (let i = 14; i <= 20; i++) await owner.deploy(slug, failing(i))
    const deploys = await owner.deploys(slug)
    expect(deploys.map(({ number, state }) => `${number} ${state}`)).toEqual([
      ...[20, 19, 18, 17, 16].map((n) => `${n} failed`),
      '13 live',
      ...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `${n} superseded`),
    ])
    for (const path of ['deploys/2', 'deploys/14']) {
      const response = await owner.ask(`/projects/${slug}/${path}`)
      expect(response).toMatchObject(refusal(404, 'deploy_not_found'))
    }
    const hash = (i: number, suffix = '') => contentHash(Buffer.from(text(i) + suffix))
    const failed = [hash(14, ', which fails'), hash(16, ', which fails')] as const
    await expect
      .poll(() => owner.missing(slug, [hash(1), hash(2), hash(3), hash(13), ...failed]))
      .toEqual([hash(1), hash(2), failed[0]])
    await expect.poll(() => rows.orphans()).toEqual(noOrphans)
  })

  it('deletes unused uploads after a day', async () => {
    const [early, late] = ['early', 'late'].map((text) => Buffer.from(`${text} ${slug}`)) as [
      Buffer,
      Buffer,
    ]
    const unused = () => owner.missing(slug, [contentHash(early), contentHash(late)])
    await put(contentHash(early), early)
    publishing.pass(day - minute)
    await put(contentHash(late), late)
    await publishing.store.running.publishing.maintain()
    expect(await unused()).toEqual([])
    publishing.pass(2 * minute)
    await publishing.store.running.publishing.maintain()
    expect(await unused()).toEqual([contentHash(early)])
    // Sent again, it is kept for another day.
    publishing.pass(day - 3 * minute)
    await put(contentHash(late), late)
    publishing.pass(4 * minute)
    await publishing.store.running.publishing.maintain()
    expect(await unused()).toEqual([contentHash(early)])
    expect(await rows.orphans()).toEqual(noOrphans)
  })

  it('builds two at the same time, each completely', async () => {
    const files = (text: string): Files =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`${i || 'index'}.html`, `${text} ${i}`]),
      )
    const [one, two] = [slug, `${slug}-other`]
    await owner.create(two)
    const deploys = await Promise.all([
      owner.deploy(one, archiveOf(files('one'))),
      owner.deployFolder(two, files('two')),
      owner.deploy(one, archiveOf(files('again'))),
    ])
    const numbers = deploys.map(({ number }) => number)
    expect(numbers.toSorted()).toEqual([1, 1, 2])
    const last = deploys[0]?.number === 2 ? 'one' : 'again'
    for (const i of [1, 20, 39]) {
      expect((await visit(one, `/${i}`)).text).toBe(`${last} ${i}`)
      expect((await visit(two, `/${i}`)).text).toBe(`two ${i}`)
    }
  })

  it('queues at most ten deploys of a project', async () => {
    const archive = archiveOf(site)
    const answers = await Promise.all(Array.from({ length: 14 }, () => owner.upload(slug, archive)))
    const refused = answers.filter(({ status }) => status !== 201)
    for (const response of refused) {
      expect(response).toMatchObject(refusal(409, 'limit_reached'))
    }
    const taken = answers.length - refused.length
    expect((await owner.finished(slug, taken)).state).toBe('live')
    // The files of refused deploys are deleted.
    await expect.poll(async () => (await rows.count()).uploads).toBe(1)
  })

  it('say where they come from, whatever happens to it later', async () => {
    const member = await publishing.member()
    await newProject(member)
    const path = `/projects/${slug}`
    const archive = zipOf({ 'index.html': 'Hello' })
    const sent = (message: string) =>
      member.upload(slug, archive, `?${new URLSearchParams({ message })}`)
    expect(expectJson(await sent('Fix a typo'), 201)).toMatchObject({
      message: 'Fix a typo',
      createdBy: member.account.id,
      createdByName: member.account.name,
      createdVia: 'session',
      tokenLabel: null,
    })
    // A token, which is deleted then.
    const scopes = ['deploys:write', 'projects:read']
    const made = await member.post('/account/tokens', { label: 'GitHub', scopes })
    const { id, token } = made.json as { id: string; token: string }
    const content = Buffer.from('From a token')
    const hash = contentHash(content)
    const upload = { method: 'PUT', body: content, type: 'application/octet-stream', token }
    await member.ask(`${path}/files/${hash}`, upload)
    const body = { files: [{ path: 'index.html', hash }], message: '  Add the guide ' }
    const created = await member.ask(`${path}/deploys`, { body, token })
    const { number } = expectJson(created, 201) as Deploy
    await member.delete(`/account/tokens/${id}`)
    expect((await member.ask(`${path}/deploys/${number}`)).json).toMatchObject({
      message: 'Add the guide',
      createdByName: member.account.name,
      createdVia: 'token',
      tokenLabel: 'GitHub',
    })
    // An account that was renamed since.
    await member.patch('/account', { name: 'Maxine' })
    const deploys = await member.deploys(slug)
    expect(deploys.map(({ createdByName }) => createdByName)).toEqual(['Maxine', 'Maxine'])
    for (const message of ['two\nlines', 'x'.repeat(201)]) {
      expect(await sent(message)).toMatchObject(refusal(400, 'invalid_parameter', 'message'))
    }
    const longest = '\u{1f98a}'.repeat(200)
    expect(expectJson(await sent(longest), 201)).toMatchObject({ message: longest })
  })
})
