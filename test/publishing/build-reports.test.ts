// What a build finds in the sources, and a strict deploy. What the command prints of it: deploy-command.test.ts.

import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { archiveOf } from './archive-of.ts'
import type { Files } from './publishing-in-test.ts'
import { owner, publishing, serving } from './serving.ts'

const sources: Files = {
  'index.md': '---\ntitle: Home\n---\n# Home\n\n[Guide](guide/start.md) and [API](./api.md)\n',
  'guide/start.md': [
    '# Start\n\n[Home](../index.md), [Home](/), [Mail](mailto:a@example.com), [Web](https://example.com)',
    '![Plan](plan.png) ![Real](real.png)\n[Missing](../api.md#top) [File](data.csv) [Map](/sitemap.xml)',
    '[Same](./start.md#x) [Markdown](/guide/start.md) <a href="gone/">gone</a>',
    '## Next steps\n\n[Part](#next-steps) [Top](#top) [Text](#:~:text=Part) <i id="own">x</i> [Own](#own)',
    '[Twice](/guide/start#next-steps) [Named](../other.md#Linked%20in) [Nowhere](#nope)\n',
  ].join('\n'),
  'guide/real.png': 'png',
  'guide/data.csv': 'a,b',
  'secret.md': '---\nnav: false\n---\n# Secret\n',
  'linked.md': '---\nnav: false\n---\n# Linked\n',
  'other.md': '# Other\n\n[Linked](linked.md) [Start](guide/start.md#next-step)\n',
}

describe.each(cases(engines))('build reports on %s', (engine) => {
  serving(engine)
  beforeAll(() => owner.create('docs'))

  const reportOf = async (number: number) =>
    await owner.read(`/projects/docs/deploys/${number}/report`)

  it('name file and line of broken links, missing images and orphan pages, and do not stop the deploy', async () => {
    const deploy = await owner.deploy('docs', archiveOf(sources))
    expect(deploy).toMatchObject({ state: 'live', warnings: 9 })
    const report = (await reportOf(deploy.number)) as { items: object[] }
    const found = (kind: string, file: string, line: number | null, text: unknown) => ({
      ...{ kind, file, line, text, count: 1 },
      severity: { missing_image: 'error', orphan_page: 'note' }[kind] ?? 'warning',
      message: expect.any(String),
    })
    const anchor = (file: string, line: number, message: string) => ({
      ...found('dead_anchor', file, line, expect.stringMatching(/#/)),
      message: `The page ${message}`,
    })
    expect(report).toMatchObject({ total: 9 })
    expect(report.items).toEqual(
      expect.arrayContaining([
        anchor(
          'guide/start.md',
          6,
          '/guide/start has no anchor #x. Correct the link, or add the heading.',
        ),
        anchor(
          'guide/start.md',
          10,
          '/other has no anchor #Linked in. Correct the link, or add the heading.',
        ),
        anchor(
          'guide/start.md',
          10,
          '/guide/start has no anchor #nope. Correct the link, or add the heading.',
        ),
        anchor('other.md', 3, '/guide/start has no anchor #next-step. Did you mean #next-steps?'),
        found('broken_link', 'index.md', 6, '[Guide](guide/start.md) and [API](./api.md)'),
        found('missing_image', 'guide/start.md', 4, expect.stringContaining('plan.png')),
        found('broken_link', 'guide/start.md', 5, expect.stringContaining('../api.md#top')),
        found('broken_link', 'guide/start.md', 6, expect.stringContaining('gone/')),
        found('orphan_page', 'secret.md', null, null),
      ]),
    )
  })

  it('are empty for a site without problems, and unknown for a finished one', async () => {
    const clean = await owner.deploy('docs', archiveOf({ 'index.md': '# Home\n' }))
    expect(clean.warnings).toBe(0)
    expect(await reportOf(clean.number)).toEqual({ total: 0, items: [] })
    const ready = await owner.deploy('docs', archiveOf({ 'index.html': '<a href="x">x</a>' }))
    expect(ready.warnings).toBeNull()
    expect(await reportOf(ready.number)).toEqual({ total: 0, items: [] })
  })

  it('name the lines of redirects that are not applied, of finished and of rendered sites', async () => {
    const redirects = '/old /new\n/a /b 404\n\n/c /d\n/d /c\n/e/* /index.html 302\n'
    const items = [2, 4, 5].map((line) => ({ kind: 'bad_redirect', file: '_redirects', line }))
    for (const page of ['index.html', 'index.md']) {
      const files = { [page]: '# Home\n', 'new.html': 'New', _redirects: redirects }
      const deploy = await owner.deploy('docs', archiveOf(files))
      expect(deploy).toMatchObject({ state: 'live', warnings: 3 })
      expect(await reportOf(deploy.number)).toMatchObject({ total: 3, items })
      const moved = await publishing.visit('docs', '/old')
      expect([moved.status, moved.headers.location]).toEqual([301, '/new'])
    }
    const archive = archiveOf({ 'index.html': '', _redirects: redirects })
    const failed = await owner.deploy('docs', archive, '?strict=true')
    expect(failed).toMatchObject({ state: 'failed', failure: { file: '_redirects', line: 2 } })
  })

  it('name the lines of problems of an OpenAPI document, also of a large one', async () => {
    const document = [
      'openapi: 3.1.0',
      'info: { title: Pets, version: "1" }',
      'security: [{ gone: [] }]',
      'paths:',
      '  /pets/{petId}:',
      '    get:',
      '      operationId: getPet',
      '    delete:',
      '      operationId: getPet',
      '      security: []',
      '      parameters: [{ name: petID, in: path }]',
      `# ${randomBytes(6_800_000).toString('base64')}`,
    ].join('\n')
    const deploy = await owner.deploy('docs', archiveOf({ 'openapi.yaml': document }))
    expect(deploy).toMatchObject({ state: 'live', warnings: 4 })
    const report = (await reportOf(deploy.number)) as { items: object[] }
    const found = (line: number, text: string, message: string, count = 1) => ({
      ...{ kind: 'bad_openapi', severity: 'warning', file: 'openapi.yaml', line, text, count },
      message: expect.stringContaining(message),
    })
    expect(report.items).toEqual([
      found(6, 'get:', '"petId"', 2),
      found(3, 'security: [{ gone: [] }]', '"gone"'),
      found(11, 'parameters: [{ name: petID, in: path }]', '"petID"'),
      found(9, 'operationId: getPet', 'GET /pets/{petId}'),
    ])
  })

  it('fail a strict deploy, and keep what visitors see', async () => {
    const before = (await publishing.visit('docs')).text
    const failed = await owner.deploy('docs', archiveOf(sources), '?strict=true')
    expect(failed).toMatchObject({
      state: 'failed',
      warnings: 9,
      failure: { file: expect.any(String), message: expect.stringContaining('8 more problems') },
    })
    expect((await reportOf(failed.number)) as object).toMatchObject({ total: 9 })
    expect((await publishing.visit('docs')).text).toBe(before)
  })

  it('keep the first hundred of many problems', async () => {
    const links = Array.from({ length: 150 }, (_, i) => `[x](x${i}.md)`).join('\n\n')
    const deploy = await owner.deploy('docs', archiveOf({ 'index.md': `# Home\n\n${links}\n` }))
    const report = (await reportOf(deploy.number)) as { total: number; items: { line: number }[] }
    expect([report.total, report.items.length]).toEqual([150, 100])
    expect(report.items[99]?.line).toBe(201)
  })
})
