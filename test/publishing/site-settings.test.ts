// Settings of a site that are chosen in the dashboard, and its uploaded logo and favicon: their formats and limits, what they
// apply to, what the files of a deploy set instead, and that the live deploy is built again without an upload.

import { beforeEach, describe, expect, it } from 'vitest'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { cases, isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { query } from '../query.ts'
import type { Answer } from '../running-store.ts'
import { refusal } from '../running-store.ts'
import { archiveOf } from './archive-of.ts'
import { pngOf } from './png-of.ts'
import { day, expectJson, type Files } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { newProject, owner, publishing, rows, serving, slug } from './serving.ts'

const none = {
  ...{ title: null, description: null, colour: null, logo: null, favicon: null },
  ...{ navigation: [], redirects: '' },
}

/** What the API says of the files of a deploy. */
const ofFiles = (set: object = {}) => ({ ...none, navigation: null, redirects: null, ...set })

const show = (at = '/') => publishing.visit(slug, at)

/** Waits for the deploy that applies what was saved. */
async function applied(response: Answer): Promise<Deploy> {
  const { deploy } = expectJson(response, 200) as { deploy: number }
  return await owner.finished(slug, deploy)
}

function settingsTests(): void {
  beforeEach(() => newProject(owner, 'My docs'))

  const path = () => `/projects/${slug}/site-settings`
  const put = (settings: object) => owner.put(path(), { ...none, ...settings })
  const state = async () => (await owner.ask(path())).json
  const deploy = (files: Files) => owner.deploy(slug, archiveOf(files as Record<string, string>))
  const apply = async (settings: object) => await applied(await put(settings))

  it('are applied to the live deploy by a new build of its sources', async () => {
    expect(await state()).toEqual({
      settings: none,
      images: { logo: null, favicon: null },
      live: null,
    })
    expect((await put({ title: 'Early' })).json).toMatchObject({ deploy: null })
    await deploy({
      'index.md': '# Home',
      'a.md': '# First A',
      'z.md': '# Last Z',
      'guides/one.md': '# One',
      'images/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    })
    expect((await show()).text).toContain('Early')
    const applied = await apply({
      title: 'Handbook of animals',
      description: 'All about them.',
      colour: '#7a1f5c',
      logo: '/images/logo.svg',
      favicon: 'missing.png',
      navigation: [
        { title: null, pages: ['z.md'] },
        { title: 'How to', pages: ['guides/'] },
      ],
      redirects: '/old /a\n/news/* /guides/:splat 302\n',
    })
    expect(applied).toMatchObject({ number: 2, state: 'live', message: 'Site settings changed' })
    const { text } = await show()
    expect(text).toContain('Handbook of animals')
    expect(text).toContain('All about them.')
    expect(text).toContain('src="/images/logo.svg"')
    expect(text).not.toContain('missing.png')
    const [z, guides, a] = [text.indexOf('Last Z'), text.indexOf('How to'), text.indexOf('First A')]
    expect([z > 0, guides > z, a > guides]).toEqual([true, true, true])
    const [, style = ''] = /href="(\/_site\/colour[^"]*\.css)"/.exec(text) ?? []
    expect((await show(style)).text).toContain('#7a1f5c')
    expect(await show('/old')).toMatchObject({ status: 301, headers: { location: '/a' } })
    expect((await show('/news/one')).headers.location).toBe('/guides/one')
    expect((await show('/_redirects')).status).toBe(404)
    expect(await state()).toMatchObject({ live: { number: 2, kind: 'rendered', files: ofFiles() } })
    const entries = await owner.read<{ items: object[] }>('/account/audit-log')
    const detail = { settings: Object.keys(none).join(', ') }
    const entry = { action: 'project.site_settings_changed', detail }
    expect(entries.items).toContainEqual(expect.objectContaining(entry))
    // The next upload keeps them.
    await deploy({ 'index.md': '# New home' })
    expect((await show()).text).toContain('Handbook of animals')
    // And the earlier content is not what a change of settings brings back.
    await apply({})
    const { text: last } = await show()
    expect(last).toContain('New home')
    expect(last).not.toContain('Handbook of animals')
    expect((await show('/old')).status).toBe(404)
  })

  it('are those of the files of a deploy, field by field', async () => {
    await put({ title: 'Chosen', description: 'Chosen, too.', redirects: '/old /chosen\n' })
    await deploy({
      'index.md': '# Home',
      'site.yml':
        'title: Of the file\nlogo: ./logo.svg\nnavigation: [{ title: Start, pages: [index.md] }]\n',
      'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      _redirects: '/old /of-the-file\n',
    })
    const { text } = await show()
    expect(text).toContain('Of the file')
    expect(text).not.toContain('Chosen<')
    expect(text).toContain('Chosen, too.')
    expect((await show('/old')).headers.location).toBe('/of-the-file')
    const navigation = [{ title: 'Start', pages: ['index.md'] }]
    const set = { title: 'Of the file', logo: './logo.svg', redirects: '/old /of-the-file\n' }
    expect(await state()).toMatchObject({ live: { files: ofFiles({ ...set, navigation }) } })
    // Of a finished site, only redirects are applied.
    await deploy({ 'index.html': '<title>Own</title>', 'site.yaml': 'title: Not read' })
    expect((await show()).text).toBe('<title>Own</title>')
    expect((await show('/old')).headers.location).toBe('/chosen')
    expect(await state()).toMatchObject({ live: { kind: 'ready', files: ofFiles() } })
  })

  if (isLong)
    it('keep one new build of the same sources, and as many deploys as before', async () => {
      for (let number = 1; number <= 11; number++) {
        await deploy({ 'index.md': `# Home ${number}` })
      }
      const list = async () =>
        (await owner.deploys(slug)).map(({ number, rebuildOf, state }) => [
          number,
          rebuildOf,
          state,
        ])
      const before = await list()
      expect([before.length, before.at(-1)]).toEqual([11, [1, null, 'superseded']])
      expect(await apply({ title: 'One' })).toMatchObject({ rebuildOf: 11 })
      for (const title of ['Two', 'Three', 'Four']) await apply({ title })
      expect((await show()).text).toContain('Four')
      const deploys = before.slice(1).map(([number]) => [number, null, 'superseded'])
      // Deploy 11 counts as superseded now, so that the oldest one has to go.
      const oldest = deploys.slice(0, 9)
      expect(await list()).toEqual([[15, 11, 'live'], [11, null, 'superseded'], ...oldest])
      const gone = await owner.ask(`/projects/${slug}/deploys/14`)
      expect(gone).toMatchObject(refusal(404, 'deploy_not_found'))
      // A later deploy supersedes it, and it can be restored.
      await deploy({ 'index.md': '# Later' })
      await apply({ title: 'Five' })
      expect((await list()).slice(0, 4)).toEqual([
        [17, 16, 'live'],
        [16, null, 'superseded'],
        [15, 11, 'superseded'],
        [11, null, 'superseded'],
      ])
      const restore = `/projects/${slug}/deploys/15/restore`
      expect((await owner.post(restore)).json).toMatchObject({ state: 'live' })
      expect((await show()).text).toContain('Home 11')
      // The new build of what was restored replaces it.
      await apply({ title: 'Six' })
      expect((await list()).slice(0, 3)).toEqual([
        [18, 11, 'live'],
        [17, 16, 'superseded'],
        [16, null, 'superseded'],
      ])
      const { text } = await show()
      expect([text.includes('Home 11'), text.includes('Six')]).toEqual([true, true])
      const actions = await owner.actions()
      const changes = actions.filter((action) => action === 'project.site_settings_changed')
      expect(changes.length).toBeGreaterThanOrEqual(6)
    })

  it('are refused with what is wrong, line by line', async () => {
    await deploy({ 'index.md': '# Home' })
    const refused = await put({
      colour: '#ffff00',
      logo: 'logo.exe',
      navigation: [
        { title: 'A', pages: ['a.md'] },
        { title: 'B', pages: ['a.md'] },
      ],
      redirects: '/ok /fine\nold /new\n/x\n',
    })
    expect(refused).toMatchObject({
      status: 400,
      json: {
        details: [
          { path: 'colour', message: expect.stringContaining('contrast') },
          { path: 'logo', message: expect.stringContaining('must be the path of an image') },
          { path: 'navigation', message: expect.stringContaining('a.md is listed twice') },
          { path: 'redirects', message: expect.stringMatching(/^line 2: The source old/) },
          { path: 'redirects', message: expect.stringMatching(/^line 3: The target is missing/) },
        ],
      },
    })
    for (const colour of ['red', '#1c5f456', '#1c5f4', '']) {
      const message = 'colour must be a colour as #rgb or #rrggbb, such as #1c5f45.'
      expect((await put({ colour })).json).toMatchObject({ details: [{ path: 'colour', message }] })
    }
    const unknown = await put({ language: 'en', navigation: [{ title: 'A', pages: ['a'], to: 1 }] })
    expect(unknown).toMatchObject({
      status: 400,
      json: {
        code: 'invalid_body',
        details: [
          { path: 'navigation[0].to', message: expect.stringContaining('is not a known field') },
          { path: 'language', message: expect.stringContaining('title, description, colour') },
        ],
      },
    })
    expect(await state()).toMatchObject({ settings: none, live: { number: 1 } })
  })
}

const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const hostile = svg('<script>alert(1)</script><rect width="9" height="9"/>')

const jpeg = Buffer.from([255, 216, 255, 192, 0, 11, 8, 0, 7, 0, 12, 1, 1, 17, 0, 255, 218])

function imageTests(): void {
  beforeEach(async () => {
    await newProject(owner, 'My docs')
    await owner.deploy(slug, archiveOf({ 'index.md': '# Home' }))
  })

  const path = (image: string) => `/projects/${slug}/site-images/${image}`
  const put = (image: string, body: string | Buffer, type = 'application/octet-stream') =>
    owner.ask(path(image), { method: 'PUT', body: Buffer.from(body), type })
  const images = async () =>
    (await owner.read<{ images: object }>(`/projects/${slug}/site-settings`)).images
  const addressIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  const logoOf = (text: string) => addressIn(text, /class="brand-logo" src="([^"]+)"/)
  const iconOf = (text: string) => addressIn(text, /rel="icon" href="([^"]+)"/)
  /** Whether its bytes are stored, whatever refers to them. */
  async function isStored(bytes: string | Buffer): Promise<boolean> {
    const hash = contentHash(Buffer.from(bytes))
    const found = `select hash from files where hash = '${hash}'`
    return (await query(publishing.store.place, 'publishing', found)).length > 0
  }

  it('are applied by a new build, whatever their names and senders say, and run no scripts', async () => {
    expect(await images()).toEqual({ logo: null, favicon: null })
    const uploaded = await put('logo', hostile, 'image/png')
    expect(uploaded.json).toEqual({
      image: {
        ...{ type: 'svg', size: hostile.length, width: null, height: null },
        hash: contentHash(Buffer.from(hostile)),
        uploadedAt: expect.stringMatching(/^2027-/),
      },
      deploy: 2,
    })
    expect(await applied(uploaded)).toMatchObject({ state: 'live', rebuildOf: 1 })
    await applied(await put('favicon', pngOf(32, 48)))
    expect(await images()).toMatchObject({
      logo: { type: 'svg' },
      favicon: { type: 'png', width: 32, height: 48 },
    })
    const { text } = await show()
    expect(logoOf(text)).toMatch(/^\/_site\/logo-[0-9a-f]{16}\.svg$/)
    const logo = await show(logoOf(text))
    expect(logo).toMatchObject({ status: 200, text: hostile })
    expect(logo.headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*; sandbox$/),
      'cache-control': expect.stringContaining('immutable'),
    })
    expect((await show(iconOf(text))).headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    })
    // What the dashboard shows beside the field is no page of the dashboard either.
    const shown = await owner.ask(path('logo'))
    expect(shown).toMatchObject({ status: 200, text: hostile })
    expect(shown.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename="logo.svg"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    // The next upload of a deploy keeps them.
    await owner.deploy(slug, archiveOf({ 'index.md': '# New' }))
    expect(logoOf((await show()).text)).toBe(logoOf(text))
  })

  if (isLong)
    it('go before paths of the settings, and after what the files of a deploy set', async () => {
      await applied(await put('logo', svg('<g/>')))
      await applied(await put('favicon', svg('<i/>')))
      const own = { 'own.svg': svg('<p/>'), 'index.md': '# Home' }
      await owner.deploy(slug, archiveOf(own))
      const body = { method: 'PUT', body: { ...none, logo: 'own.svg' } }
      await applied(await owner.ask(`/projects/${slug}/site-settings`, body))
      expect(logoOf((await show()).text)).toMatch(/^\/_site\/logo-/)
      await owner.deploy(slug, archiveOf({ ...own, 'site.yaml': 'logo: own.svg' }))
      const { text } = await show()
      expect(logoOf(text)).toBe('/own.svg')
      expect(iconOf(text)).toMatch(/^\/_site\/favicon-/)
    })

  it('are removed, and their bytes with the last reference', async () => {
    const first = svg('<a/>')
    const second = svg('<b/>')
    await applied(await put('logo', first))
    await applied(await put('favicon', first))
    await applied(await put('logo', second))
    expect(await isStored(first)).toBe(true)
    const removal = await owner.delete(path('logo'))
    await applied(removal)
    expect(logoOf((await show()).text)).toBe('')
    expect(await images()).toMatchObject({ logo: null, favicon: { type: 'svg' } })
    for (const method of ['DELETE', 'GET']) {
      const again = await owner.ask(path('logo'), { method })
      expect(again).toMatchObject(refusal(404, 'image_not_found'))
    }
    await expect.poll(() => isStored(second)).toBe(false)
    expect(await rows.orphans()).toEqual(noOrphans)
    // Of a deleted project they go with its deploys and uploads.
    await owner.delete(`/projects/${slug}?name=${encodeURIComponent('My docs')}`)
    publishing.pass(2 * day)
    await publishing.store.running.publishing.maintain()
    await expect.poll(() => isStored(first)).toBe(false)
    await expect.poll(() => rows.orphans()).toEqual(noOrphans)
    await owner.signIn()
  })

  const page = '<!doctype html><script>alert(1)</script>'
  it.each<[string, string, string | Buffer, number, string]>([
    ['logo', 'a page', page, 400, 'Use SVG, PNG, WebP, or JPEG.'],
    ['logo', 'an archive', archiveOf({}), 400, 'The file is no image, or it is damaged.'],
    ['favicon', 'a logo', jpeg, 400, 'cannot be in the format JPEG. Use SVG, PNG, or ICO.'],
    ['logo', 'a wide image', pngOf(4097, 1), 400, 'The image has 4097 × 1 pixels.'],
    ['logo', 'a large file', Buffer.alloc(1024 * 1024 + 1, ' '), 413, '1048576 bytes'],
    ['picture', 'an unknown image', svg(''), 404, 'No such image'],
  ])('%s refuses %s', async (image, _, content, status, message) => {
    const refused = await put(image, content)
    expect(refused).toMatchObject({ status, json: { message: expect.stringContaining(message) } })
    expect(await images()).toEqual({ logo: null, favicon: null })
  })
}

describe.each(cases(engines))('of a site on %s', (engine) => {
  serving(engine)
  describe('settings', settingsTests)
  describe('images', imageTests)
})
