import { expect, test } from 'vitest'
import { readFrontMatter, readPages, refuseClashes } from './read-pages.ts'
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
  [['a.html', 'a/index.html'], []],
  [['a.html'], ['a.html']],
])('two files for one address are refused: %j %j', (paths, assets) => {
  const pages = paths.map((path, i) => (i === 0 ? { path, source: 'a.md' } : { path }))
  const fault = faultAt(expect.anything(), undefined, 'same address')
  expect(() => refuseClashes(pages, new Set(assets))).toThrow(fault)
})

test('different addresses are fine', () => {
  const pages = ['index.html', 'a.html', 'a/b.html', 'b/index.html', '404.html'].map((path) => ({
    path,
  }))
  expect(refuseClashes(pages, new Set(['a.png', 'b.html.txt']))).toBeUndefined()
})

const front = (text: string) => readFrontMatter(text, 'a.md')

test('fields are read, and the body is what follows', () => {
  const text =
    '---\ntitle: A  title\ndescription: >\n  Of two\n  lines.\norder: 2\nlabel: Short\n---\n# B\n'
  expect(front(text)).toEqual({
    front: {
      title: 'A title',
      description: 'Of two lines.',
      order: 2,
      label: 'Short',
      nav: true,
      draft: false,
    },
    body: '# B\n',
  })
})

test.each([
  ['sidebar_position: 3', { order: 3 }],
  ['nav_order: 1.5', { order: 1.5 }],
  ['weight: 10', { order: 10 }],
  ['sidebar_label: Short', { label: 'Short' }],
  ['title: 2026', { title: '2026' }],
  ['nav: false', { nav: false }],
  ['nav_exclude: true', { nav: false }],
  ['draft: true', { draft: true }],
  ['title: ~', {}],
  ['slug: /elsewhere', {}],
  ['', {}],
])('%s', (field, expected) => {
  expect(front(`---\n${field}\n---\nText`)).toEqual({
    front: { nav: true, draft: false, ...expected },
    body: 'Text',
  })
})

test.each([
  ['---\n---\nText', 'Text'],
  ['---\nA line between two rules\n---\nText', undefined],
  ['---\nnever: closed\n', undefined],
  ['Text\n\n---\na: b\n---\n', undefined],
])('what is no front matter stays: %s', (text, body) => {
  expect(front(text).body).toBe(body ?? text)
})

test.each([
  ['---\ntitle: a: b\n---\n', 2, 'not valid YAML'],
  ['---\ntitle: A\ndescription: [x\n---\n', 3, 'not valid YAML'],
  ['---\ntitle: A\ntitle: B\n---\n', 3, 'not valid YAML'],
  ['---\ntitle: { a: 1 }\n---\n', 2, 'title must be text'],
  ['---\nx: 1\norder: first\n---\n', 3, 'order must be a number'],
  ['---\nsidebar_position: "1"\n---\n', 2, 'sidebar_position must be a number'],
  [
    '---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\ntitle: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\n',
    4,
    '',
  ],
])('%s is refused with its line', (text, line, message) => {
  expect(() => front(text)).toThrow(faultAt('a.md', line, message))
})
