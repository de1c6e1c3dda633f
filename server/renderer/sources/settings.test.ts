import { expect, test } from 'vitest'
import { editAddress, editLink, readSettings } from './settings.ts'
import { faultAt, sourcesOf } from './sources-in-test.ts'

const assets = new Set(['images/logo.svg', 'icon.png', 'notes.txt'])
const none = {
  ...{ colour: undefined, logo: undefined, favicon: undefined },
  ...{ navigation: [], tryIt: undefined, edit: undefined, feedback: true },
  ...{ languages: undefined, versions: [] },
}
const read = (text: string, name = 'site.yaml') =>
  readSettings({ sources: sourcesOf({ [name]: text }), title: 'Project', assets })

test('without a file the project’s name is the title', () => {
  expect(readSettings({ sources: new Map(), title: 'Project', assets })).toEqual({
    settings: { title: 'Project', description: undefined, language: 'en', links: [], ...none },
    file: undefined,
  })
})

test('all settings are read, from site.yml, too', () => {
  const text =
    'title: Docs\ndescription: About it.\nlanguage: pt-BR\nlinks:\n  - { title: Source, url: https://example.com/x }\n  - { title: API, url: api.md }\n'
  expect(read(text, 'site.yml')).toEqual({
    settings: {
      ...none,
      title: 'Docs',
      description: 'About it.',
      language: 'pt-BR',
      links: [
        { title: 'Source', url: 'https://example.com/x' },
        { title: 'API', url: 'api.md' },
      ],
    },
    file: 'site.yml',
  })
})

test('one colour is made readable in the dark theme, and two stay as they are', () => {
  expect(read('colour: "#1C5F45"').settings.colour).toEqual({
    light: '#1c5f45',
    dark: expect.stringMatching(/^#[0-9a-f]{6}$/),
  })
  const both = { light: '#7a1f5c', dark: '#f0a0d0' }
  expect(read(`colour: ${JSON.stringify(both)}`).settings.colour).toEqual(both)
  // What an error suggests is accepted.
  const suggested = /Use (#\w+)/.exec(faultOf('colour: "#fc0"'))?.[1]
  expect(read(`colour: "${suggested}"`).settings.colour?.light).toBe(suggested)
})

test('logo and favicon are files of the folder', () => {
  const { settings } = read('logo: ./images/logo.svg\nfavicon: /icon.png\n')
  expect([settings.logo, settings.favicon]).toEqual(['images/logo.svg', 'icon.png'])
})

test('tryIt has its place, for errors that only the document shows', () => {
  const text = 'title: x\ntryIt: { server: "HTTPS://Staging.example.com/v1/" }\n'
  expect(read(text).settings.tryIt).toEqual({
    server: 'https://staging.example.com/v1',
    origin: 'https://staging.example.com',
    ...{ file: 'site.yaml', line: 2 },
  })
  for (const host of ['localhost:3000', 'api.localhost', '127.0.0.1:80']) {
    expect(read(`tryIt: { server: http://${host} }`).settings.tryIt?.origin).toMatch(/^http:/)
  }
})

test.each([
  ['https://h.example/edit/main', '', 'docs/a b.md', 'https://h.example/edit/main/docs/a%20b.md'],
  [
    'https://h.example/edit/:path?x=1',
    'docs/',
    'docs/$&.md',
    'https://h.example/edit/%24%26.md?x=1',
  ],
  ['http://h.example/{path}/raw/{path}', '', 'a.md', 'http://h.example/a.md/raw/a.md'],
  ['https://h.example/edit/', 'docs/', 'README.md', undefined],
  ['javascript:alert(1)//{path}', '', 'a.md', undefined],
  ['https://me:secret@h.example/', '', 'a.md', undefined],
  ['ftp://h.example/', '', 'a.md', undefined],
  ['/edit/{path}', '', 'a.md', undefined],
])('at %s, from the folder “%s”, %s is edited at %s', (template, folder, file, address) => {
  expect(editAddress(editLink(template, folder), file)).toBe(address)
})

function faultOf(text: string): string {
  try {
    read(text)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.each([
  ['title: A\ncolor: red', 2, '"color". Those there are: title, description, language, links'],
  ['colour: red\n', 1, 'colour must be a colour such as "#1c5f45"'],
  ['colour: { light: "#1c5f45" }\n', 1, 'or light and dark with one each'],
  ['colour: "#fc0"\n', 1, 'colour #ffcc00 has a contrast of 1.3 in the light'],
  ['colour: { light: "#1c5f45", dark: "#1c5f45" }', 1, 'colour.dark #1c5f45 has a contrast of 2.2'],
  ['logo: notes.txt\n', 1, 'logo must be the path of an image'],
  ['logo: https://example.com/logo.svg\n', 1, 'there is no file https://example.com/logo.svg'],
  ['title: A\nfavicon: gone.ico\n', 2, 'favicon: there is no file gone.ico'],
  ['title: [a]\n', 1, 'title must be text'],
  ['title: ""\n', 1, 'title must be text'],
  ['title: a\n\ndescription: 5\n', 3, 'description must be text'],
  ['language: "en us"\n', 1, 'language must be a language tag'],
  ['links: x\n', 1, 'links must be a list'],
  ['links: [{ title: A }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: "javascript:alert(1)" }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: "//example.com" }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: /x, onclick: y }]\n', 1, 'links must be a list'],
  ['title: a\nlinks: [a\n', 3, 'a bracket is not closed'],
  ['- a\n', 1, 'must contain fields'],
  ['__proto__: 1\n', 1, '"__proto__"'],
  [`title: ${'['.repeat(100_000)}`, 1, 'YAML'],
  ['edit: docs/\n', 1, 'edit must be the http or https address'],
  ['edit: "javascript:alert(1)"\n', 1, 'edit must be the http or https address'],
  ['feedback: no thanks\n', 1, 'feedback must be true or false'],
  ['navigation: guides', 1, 'navigation must be a list'],
  ['navigation: [a.md,\n 5]', 2, 'navigation must be a list'],
  [`navigation: [a.md,\n { title: A, pages: a.md }]`, 2, 'each with a title and a list'],
  ['navigation: [{ title: A, pages: [a.md], icon: x }]', 1, 'each with a title and a list'],
  ['navigation: [{ pages: [a.md] }]', 1, 'each with a title and a list'],
  ['navigation: [{ title: "" , pages: [a.md] }]', 1, '1 to 100 characters'],
  ['navigation: [{ title: A,\n pages: [] }]', 2, 'at least one page'],
  ['navigation: [{ title: A, pages: [a.md,\n { title: B }] }]', 2, 'navigation must'],
  ['navigation: [a.md, { title: A, pages: [b.md,\n a.html] }]', 2, 'a.html is listed'],
  ['navigation: [{ title: A, pages: [a.md] },\n a.md]', 2, 'a.md is listed twice'],
])('%s is refused with its line', (text, line, message) => {
  expect(() => read(text)).toThrow(faultAt('site.yaml', line, message))
})

test('what is chosen in the project settings applies where the file says nothing', () => {
  const chosen = {
    title: 'Chosen',
    description: 'Chosen, too.',
    colour: '#7a1f5c',
    logo: './images/logo.svg',
    favicon: 'missing.png',
    navigation: ['guides/', 'missing.md', { title: 'More', pages: ['/more.md'] }],
  }
  const sources = sourcesOf({ 'site.yaml': 'title: Docs' })
  const { settings } = readSettings({ sources, title: 'Project', assets, chosen })
  expect(settings.favicon).toBeUndefined()
  expect(settings).toMatchObject({
    title: 'Docs',
    description: 'Chosen, too.',
    colour: { light: '#7a1f5c' },
    logo: 'images/logo.svg',
    navigation: [
      { title: undefined, entries: [{ key: 'guides' }, { key: 'missing', path: 'missing.md' }] },
      { title: 'More', entries: [{ key: 'more', path: '/more.md' }] },
    ],
  })
})

test('the navigation has pages, folders and groups, each with its line', () => {
  const text = `title: Docs
navigation:
  - ./guides/first.md
  - guides/
  - title: Get started
    pages: [guides2/readme.md,
      b.md]
  - /
`
  const sections = read(text).settings.navigation.map(({ entries, title }) => [
    title,
    ...entries.map(({ key, line, path }) => [key, path, line]),
  ])
  expect(sections).toEqual([
    [undefined, ['guides/first', './guides/first.md', 3], ['guides', 'guides/', 4]],
    ['Get started', ['guides2', 'guides2/readme.md', 6], ['b', 'b.md', 7]],
    [undefined, ['', '/', 8]],
  ])
})
