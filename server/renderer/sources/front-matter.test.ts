import { expect, test } from 'vitest'
import { readFrontMatter } from './front-matter.ts'

/** The fields that differ from those of a page without any, the body, and the problems as `line message`. */
function read(text: string) {
  const problems: string[] = []
  const note = (message: string, line: number) => problems.push(`${line} ${message}`)
  const { body, firstLine, front } = readFrontMatter(text, 'a.md', note)
  const fields = Object.entries(front).filter(
    ([, value]) => `${value}` !== '' && value !== true && value !== false,
  )
  const flags = { ...(front.nav ? {} : { nav: false }), ...(front.draft && { draft: true }) }
  return { fields: { ...Object.fromEntries(fields), ...flags }, body, firstLine, problems }
}

test.each([
  [
    'title: A  title\ndescription: >\n  Of two\n  lines.',
    { title: 'A title', description: 'Of two lines.' },
  ],
  ['order: 2\nlabel: Short', { order: 2, label: 'Short' }],
  ['sidebar_position: "3"', { order: 3 }],
  ["weight: '10'", { order: 10 }],
  ['nav_order: 1.5', { order: 1.5 }],
  ['sidebar:\n  label: Short\n  order: 4', { label: 'Short', order: 4 }],
  ['title: 2026', { title: '2026' }],
  ['description: [a, b]', { description: 'a, b' }],
  ['nav: false', { nav: false }],
  ['hidden: true', { nav: false }],
  ['unlisted: "true"', { nav: false }],
  ['draft: true', { draft: true }],
  ['published: false', { draft: true }],
  ['updated: 2026-11-02T10:00:00Z', { updated: '2026-11-02' }],
  ['title: {{ site.title }}', { title: '{{ site.title }}' }],
  ['slug: /start\nid: first\nparent: Above', { slug: '/start', id: 'first', parent: 'Above' }],
  ['redirect_from:\n  - /a\n  - /b', { aliases: ['/a', '/b'] }],
  ['title: ~\ntags: { a: [b] }', {}],
  ['nav: {a: 1}\nhidden: [{}]\nsidebar: {hidden: {}}', {}],
  ['title: *new*', { title: '*new*' }],
  [
    "aliases: [\n  '/a',\n]\ndescription: |\n  [\n  ]\nid: x",
    { aliases: ['/a'], description: '[ ]', id: 'x' },
  ],
  ['', {}],
])('%s', (field, expected) => {
  const { body, fields, problems } = read(`---\n${field}\n---\nText`)
  expect({ body, fields, problems }).toEqual({ body: 'Text', fields: expected, problems: [] })
})

test.each([
  [
    '---\ntitle: Foo: the bar\norder: 2\n---\nText',
    { title: 'Foo: the bar', order: '2' },
    /^2 .*Put the value in quotes/,
  ],
  ['---\ntitle: A\ndescription: [x\n---\nText', { title: 'A' }, /^3 /],
  ['---\ntitle: A\ntags: [a]\ntags: [b]\n---\nText', { title: 'A' }, /^4 "tags" is there twice/],
  ['---\ntitle: { a: 1 }\n---\nText', {}, /^2 title must be text/],
  ['---\nx: 1\norder: first\n---\nText', {}, /^3 order must be a number/],
  ['---\nupdated: March 2024\n---\nText', {}, /^2 updated must be a date/],
  ['+++\ntitle = "A\nweight = 2\n+++\nText', { order: 2 }, /^1 Only the lines/],
])('%s is used as far as it can be', (text, fields, problem) => {
  const result = read(text)
  expect(result.problems).toEqual([expect.stringMatching(problem)])
  expect(JSON.stringify(result.fields)).toBe(JSON.stringify(fields).replace('"2"', '2'))
  expect(result.body).toBe('Text')
})

test.each([
  [
    '+++\ntitle = "Toml"\nweight = 2\ndate = 2026-01-01\nlastmod = 2026-11-02\n+++\nText',
    { title: 'Toml', order: 2, updated: '2026-11-02' },
  ],
  ['{\n  "title": "Json",\n  "weight": 2\n}\nText', { title: 'Json', order: 2 }],
])('%s is front matter, too', (text, fields) => {
  expect(read(text)).toMatchObject({ fields, body: 'Text', problems: [] })
})

test.each([
  ['---\n---\nText', 'Text'],
  ['---\nA line between two rules\n---\nText', undefined],
  ['---\nA: {line\n\n- [b\n---\nText', 'Text'],
  ['---\nnever: closed\n', undefined],
  ['Text\n\n---\na: b\n---\n', undefined],
  ['{\nno json\n}\nText', undefined],
])('what is no front matter stays: %s', (text, body) => {
  expect(read(text).body).toBe(body ?? text)
})

const deep = '['.repeat(20_000)
const bomb = `a: &a [${'x,'.repeat(50)}]\n${[...'bcdefg'].map((name, i) => `${name}: &${name} [${`*${'abcdef'[i]},`.repeat(50)}]`).join('\n')}\ntitle: *g\ndescription: *g\naliases: *g\nhero: *g`
test.each([
  bomb,
  `title: ${deep}`,
  `hero: ${'{a: '.repeat(5000)}`,
  `title: ${'x'.repeat(300_000)}`,
])('hostile fields do not stop the build, %#', (fields) =>
  expect(read(`---\n${fields}\n---\nText`).body).toBe('Text'),
)
