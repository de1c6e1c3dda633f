import { expect, test } from 'vitest'
import { readFrontMatter } from './read-pages.ts'

const read = (text: string) => readFrontMatter(text, 'a.md')

test('fields are read, and the body is what follows', () => {
  const text =
    '---\ntitle: A  title\ndescription: >\n  Of two\n  lines.\norder: 2\nlabel: Short\n---\n# B\n'
  expect(read(text)).toEqual({
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
  expect(read(`---\n${field}\n---\nText`)).toEqual({
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
  expect(read(text).body).toBe(body ?? text)
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
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      name: 'DeployFailure',
      file: 'a.md',
      line,
      message: expect.stringContaining(message),
    }),
  )
})
