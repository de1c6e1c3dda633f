// The logo and favicon of a site that are uploaded in the project settings: their formats and limits, what they apply to,
// and how visitors get them.

import { deflateSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { prepareQuery } from '#publishing/database/tables.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { cases, isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { newProject, owner, publishing, rows, serving, slug } from './serving.ts'

const fileWithHash = prepareQuery<{ hash: string }>()((db, param) =>
  db.selectFrom('files').select('hash').where('hash', '=', param('hash')),
)

const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const hostile = svg('<script>alert(1)</script><rect width="9" height="9"/>')

const jpeg = Buffer.from([255, 216, 255, 192, 0, 11, 8, 0, 7, 0, 12, 1, 1, 17, 0, 255, 218])

/** A PNG of one colour; the checksums of its chunks do not matter here. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe.each(cases(engines))('images of a site on %s', (engine) => {
  serving(engine)
  beforeEach(async () => {
    await newProject(owner, 'My docs')
    await owner.deploy(slug, archiveOf({ 'index.md': '# Home' }))
  })

  const path = (image: string) => `/projects/${slug}/site-images/${image}`
  const put = (
    image: string,
    body: string | Buffer,
    type = 'application/octet-stream',
    by = owner,
  ) => by.ask(path(image), { method: 'PUT', body: Buffer.from(body), type })
  const show = async (at = '/') => await publishing.visit(slug, at)
  const images = async () =>
    ((await owner.ask(`/projects/${slug}/site-settings`)).json as { images: object }).images
  async function applied(answer: { status: number }): Promise<Deploy> {
    const { deploy } = expectJson(answer as never, 200) as { deploy: number }
    return await owner.finished(slug, deploy)
  }
  const addressIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  const logoOf = (text: string) => addressIn(text, /class="brand-logo" src="([^"]+)"/)
  const iconOf = (text: string) => addressIn(text, /rel="icon" href="([^"]+)"/)
  /** Whether its bytes are stored, whatever refers to them. */
  async function isStored(bytes: string | Buffer): Promise<boolean> {
    const hash = contentHash(Buffer.from(bytes))
    return (await rows.database.read.all(fileWithHash, { hash })).length > 0
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
      const settings = {
        ...{ title: null, description: null, colour: null, logo: 'own.svg', favicon: null },
        ...{ navigation: [], redirects: '' },
      }
      const body = { method: 'PUT', body: settings }
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
    const removal = await owner.ask(path('logo'), { method: 'DELETE' })
    await applied(removal)
    expect(logoOf((await show()).text)).toBe('')
    expect(await images()).toMatchObject({ logo: null, favicon: { type: 'svg' } })
    for (const method of ['DELETE', 'GET']) {
      const again = await owner.ask(path('logo'), { method })
      expect(again).toMatchObject({ status: 404, json: { code: 'image_not_found' } })
    }
    await expect.poll(() => isStored(second)).toBe(false)
    expect(await rows.orphans()).toEqual(noOrphans)
    // Of a deleted project they go with its deploys and uploads.
    await owner.ask(`/projects/${slug}?name=${encodeURIComponent('My docs')}`, { method: 'DELETE' })
    publishing.pass(2 * day)
    await publishing.store.running.publishing.maintain()
    await expect.poll(() => isStored(first)).toBe(false)
    await expect.poll(() => rows.orphans()).toEqual(noOrphans)
    await owner.signIn()
  })

  it.each<[string, string, string | Buffer, number, string]>([
    [
      'logo',
      'a page',
      '<!doctype html><script>alert(1)</script>',
      400,
      'Use SVG, PNG, WebP, or JPEG.',
    ],
    [
      'logo',
      'an archive',
      archiveOf({ 'a.svg': svg('') }),
      400,
      'The file is no image, or it is damaged.',
    ],
    ['favicon', 'a logo', jpeg, 400, 'cannot be in the format JPEG. Use SVG, PNG, or ICO.'],
    ['logo', 'a wide image', pngOf(4097, 1), 400, 'The image has 4097 × 1 pixels.'],
    ['logo', 'a large file', Buffer.alloc(1024 * 1024 + 1, ' '), 413, '1048576 bytes'],
    ['picture', 'an unknown image', svg(''), 404, 'No such image'],
  ])('%s refuses %s', async (image, _, content, status, message) => {
    const refused = await put(image, content)
    expect(refused).toMatchObject({ status, json: { message: expect.stringContaining(message) } })
    expect(await images()).toEqual({ logo: null, favicon: null })
  })

  it('are changed by editors, and seen by viewers alone besides', async () => {
    await applied(await put('logo', svg('')))
    const viewer = await publishing.member()
    await owner.addMember(slug, viewer, 'viewer')
    expect((await put('logo', hostile, 'image/svg+xml', viewer)).status).toBe(403)
    expect((await viewer.ask(path('logo'), { method: 'DELETE' })).status).toBe(403)
    expect((await viewer.ask(path('logo'))).status).toBe(200)
    const stranger = await publishing.member()
    expect((await stranger.ask(path('logo'))).json).toMatchObject({ code: 'project_not_found' })
  })
})
