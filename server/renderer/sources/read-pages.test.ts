import { expect, test } from 'vitest'
import { noGenerator } from './generator.ts'
import { readPages, refuseClashes } from './read-pages.ts'
import { faultAt, sourcesOf } from './sources-in-test.ts'

const findTitle = (body: string) => /^# (.*)/.exec(body)?.[1]

const read = (files: Record<string, string>) =>
  readPages(sourcesOf(files), { siteTitle: 'Site', findTitle })

const titles = (files: Record<string, string>) =>
  Object.fromEntries(read(files).map(({ path, title }) => [path, title]))

test('index.md, else README.md is the page of a folder', () => {
  const files = {
    'README.md': '',
    'a/index.md': '',
    'a/README.md': '',
    'b/Readme.markdown': '',
    'c/x.md': '',
  }
  expect(titles(files)).toEqual({
    'index.html': 'Site',
    'a/index.html': 'A',
    'a/README.html': 'README',
    'b/index.html': 'B',
    'c/x.html': 'X',
  })
})

test('a title comes from the front matter, the first heading, or the name', () => {
  const files = {
    'a.md': '---\ntitle: Front\n---\n# Heading',
    'b.md': '# Heading',
    '03-getting_started.md': 'Text',
    '2026.md': '',
  }
  expect(titles(files)).toEqual({
    'a.html': 'Front',
    'b.html': 'Heading',
    '03-getting_started.html': 'Getting started',
    '2026.html': '2026',
  })
})

test('drafts, hidden folders and installed packages have no pages', () => {
  const files = {
    'a.md': '---\ndraft: true\n---\n',
    '.github/b.md': '',
    'node_modules/x/README.md': '',
    'c.txt': '',
  }
  expect(read(files)).toEqual([])
})

test.each([
  [undefined, '`{{< param title >}}`'],
  [{}, '`A`'],
])('parameters are those of Hugo alone: %o', (params, body) => {
  const sources = sourcesOf({ 'a.md': '---\ntitle: A\n---\n`{{< param title >}}`' })
  const generator = { ...noGenerator, ...(params && { params }) }
  expect(readPages(sources, { siteTitle: 'Site', findTitle, generator })).toMatchObject([{ body }])
})

test.each([
  ['permalink: /:title/', ['/:title/ cannot be the address of a page: it is ignored.']],
  ['slug: a?b', ['a?b cannot be the address of a page: it is ignored.']],
  ['url: https://other.example/', []],
  ['slug: b', []],
])('an address that cannot be used is reported: %s', (field, messages) => {
  const found: string[] = []
  const sources = sourcesOf({ 'a.md': `---\n${field}\n---\n` })
  const onProblem = (_kind: string, message: string) => found.push(message)
  readPages(sources, { siteTitle: 'Site', findTitle, onProblem })
  expect(found).toEqual(messages)
})

test('404.md is not in the navigation', () => {
  expect(read({ '404.md': '# Lost' })).toMatchObject([
    { path: '404.html', title: 'Lost', nav: false },
  ])
})

test.each([
  [[0xff, 0xfe], 1],
  [[0x61, 0x0a, 0x62, 0x0a, 0xc3, 0x28], 3],
  [[0x61, 0x0a, 0xed, 0xa0, 0x80, 0x0a, 0x62], 2],
])('bytes that are not UTF-8 are refused with their line', (bytes, line) => {
  const sources = new Map([['a.md', Uint8Array.from(bytes)]])
  const read = () => readPages(sources, { siteTitle: 'Site', findTitle })
  expect(read).toThrow(faultAt('a.md', line))
})

test.each([
  [['a.html', 'a.html'], []],
  [['a.html'], ['a.html']],
])('two files for one address are refused: %j %j', (paths, assets) => {
  const pages = paths.map((path, i) => (i === 0 ? { path, source: 'a.md' } : { path }))
  const fault = faultAt(expect.anything(), undefined, 'same address')
  expect(() => refuseClashes(pages, new Set(assets))).toThrow(fault)
})

test('different addresses are fine', () => {
  const pages = [
    'index.html',
    'a.html',
    'a/index.html',
    'a/b.html',
    'b/index.html',
    '404.html',
  ].map((path) => ({
    path,
  }))
  expect(refuseClashes(pages, new Set(['a.png', 'b.html.txt']))).toBeUndefined()
})
