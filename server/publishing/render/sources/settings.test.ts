import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

const read = (text: string, name = 'site.yaml') =>
  readSettings(new Map([[name, Buffer.from(text)]]), 'Project')

test('without a file the project’s name is the title', () => {
  expect(readSettings(new Map(), 'Project')).toEqual({
    settings: { title: 'Project', description: undefined, language: 'en', links: [] },
    file: undefined,
  })
})

test('all settings are read, from site.yml, too', () => {
  const text =
    'title: Docs\ndescription: About it.\nlanguage: pt-BR\nlinks:\n  - { title: Source, url: https://example.com/x }\n  - { title: API, url: api.md }\n'
  expect(read(text, 'site.yml')).toEqual({
    settings: {
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

test.each([
  ['title: A\ncolour: red\n', 2, '"colour". Those there are: title, description, language, links'],
  ['title: [a]\n', 1, 'title must be text'],
  ['title: ""\n', 1, 'title must be text'],
  ['title: a\n\ndescription: 5\n', 3, 'description must be text'],
  ['language: "en us"\n', 1, 'language must be a language tag'],
  ['links: x\n', 1, 'links must be a list'],
  ['links: [{ title: A }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: "javascript:alert(1)" }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: "//example.com" }]\n', 1, 'links must be a list'],
  ['links: [{ title: A, url: /x, onclick: y }]\n', 1, 'links must be a list'],
  ['title: a\nlinks: [a\n', 3, 'not valid YAML'],
  ['- a\n', 1, 'must contain fields'],
  ['__proto__: 1\n', 1, '"__proto__"'],
  [`title: ${'['.repeat(100_000)}`, 1, 'YAML'],
])('%s is refused with its line', (text, line, message) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      name: 'DeployFailure',
      file: 'site.yaml',
      line,
      message: expect.stringContaining(message),
    }),
  )
})
