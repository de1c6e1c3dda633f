import { expect, test } from 'vitest'
import { DeployFailure } from '../site-files/site-file.ts'
import { documentOf, pageAt, renderDocument, renderText, wordsOf } from './document-in-test.ts'

const head = 'openapi: 3.1.0\ninfo: {title: T, version: 1.0}\n'
const withSchema = (schema: string) =>
  `${head}paths: {}\ncomponents:\n  schemas:\n    A: ${schema}\n`
const refAt = (ref: string) =>
  `${head}paths:\n  /a:\n    get:\n      parameters:\n        - $ref: '${ref}'\n`
const levels = (count: number, open: string, close: string) =>
  open.repeat(count) + close.repeat(count)

function failureOf(text: string | Uint8Array): DeployFailure {
  try {
    renderText(text)
  } catch (error) {
    if (error instanceof DeployFailure) return error
    throw error
  }
  throw new Error('It was rendered.')
}

const aliases = 'bcdefghijk'
  .split('')
  .map((name, index) => `x-${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`)}]`)
  .join('\n')

const refused: [
  what: string,
  text: string | Uint8Array,
  message: RegExp,
  line: number | undefined,
][] = [
  ['empty', '', /is an object with the fields openapi/, 1],
  ['a list', '- openapi: 3.1.0', /is an object/, 1],
  ['text', 'openapi 3.1.0', /is an object/, 1],
  ['Swagger 2.0 without paths', '# x\nswagger: "2.0"', /paths is missing/, 2],
  ['Swagger 1.2', 'swaggerVersion: "1.2"\npaths: {}', /openapi is missing/, 1],
  ['no version', 'info: {}\npaths: {}', /openapi is missing/, 1],
  ['another version', 'paths: {}\nopenapi: 4.0.0', /has to be 3\.0 or 3\.1/, 2],
  ['no paths', head, /paths is missing/, 1],
  ['paths that are a number', `${head}paths: 5`, /paths has to be an object/, 3],
  ['components that are a list', `${head}paths: {}\ncomponents: []`, /components has to be/, 4],
  ['info that is text', 'openapi: 3.0.0\ninfo: x\npaths: {}', /info has to be/, 2],
  ['no YAML', `${head}paths: {`, /cannot be read/, 3],
  ['two documents', `${head}---\na: 1`, /cannot be read.*more than one document/, 4],
  ['not UTF-8', new Uint8Array([0x6f, 0xff, 0xfe]), /not UTF-8/, 1],
  ['a key twice', `${head}paths:\n  /a: {}\n  /a: {}`, /"\/a" is there twice/, 5],
  ['a key that is an object', `${head}paths:\n  ? {a: 1}\n  : {}`, /plain text/, 4],
  [
    'many keys within keys',
    `${head}paths:\n  ${'? '.repeat(200)}a`,
    /cannot be|plain text/,
    undefined,
  ],
  ['a merge key', `x-a: &a {b: 1}\n${head}paths:\n  <<: *a`, /merge key/, 5],
  ['an alias without anchor', `${head}paths: *nothing`, /cannot be read|no anchor/, 3],
  ['an alias within itself', `${head}paths: &p\n  /a: *p`, /contains it/, 4],
  [
    'a billion laughs',
    `x-a: &a [1,1,1,1,1,1,1,1,1]\n${aliases}\n${head}paths: {}`,
    /1000000 values/,
    7,
  ],
  ['brackets', `${head}paths: ${levels(200, '[', ']')}`, /deeper than 150/, 3],
  ['brackets without end', `${head}paths: ${'['.repeat(50_000)}`, /deeper than 150/, 3],
  ['deep schemas', withSchema(levels(200, '{items: ', '}')), /deeper than 150/, 6],
  ['a file reference', refAt('other.yaml#/A'), /no file other\.yaml/, 7],
  [
    'a reference below brackets',
    `${head}x-a: [${'[\n],'.repeat(9)}\n]\npaths: {/a: {$ref: x.yaml}}`,
    /no file/,
    14,
  ],
  ['a file above the folder', refAt('../../etc/passwd'), /points outside the folder/, 7],
  ['an encoded file above', refAt('%2e%2e/x.yaml'), /points outside the folder/, 7],
  ['a web reference', refAt('https://example.com/a.json'), /points outside the folder/, 7],
  ['an anchor reference', refAt('#thing'), /not a JSON pointer/, 7],
  ['a reference to nothing', refAt('#/components/parameters/No'), /has no target/, 7],
  ['a prototype reference', refAt('#/components/__proto__/toString'), /has no target/, 7],
  ['a constructor reference', refAt('#/constructor/name'), /has no target/, 7],
  [
    'a reference to itself',
    `${refAt('#/components/parameters/P')}components:\n  parameters:\n    P: {$ref: '#/components/parameters/P'}`,
    /points back to itself/,
    7,
  ],
  [
    'references in a circle',
    `${refAt('#/components/parameters/P')}components:\n  parameters:\n    P: {$ref: '#/components/parameters/Q'}\n    Q: {$ref: '#/components/parameters/P'}`,
    /points back to itself/,
    7,
  ],
  [
    'too many schemas',
    JSON.stringify({
      ...{ openapi: '3.0.0', paths: {} },
      components: { schemas: { ...Array.from({ length: 10_001 }, () => ({})) } },
    }),
    /10,000 schemas/,
    1,
  ],
  ['too large', Buffer.alloc(53_000_000, 'a'), /at most 50 MB/, undefined],
]

test.each(refused)('refuses: %s', (_, text, message, line) => {
  const failure = failureOf(text)
  expect(failure.message).toMatch(message)
  expect(failure.file).toBe('openapi.yaml')
  if (line !== undefined) expect(failure.line).toBe(line)
})

const odd = [5, 'x', null, true, [], [5], {}, { a: 5 }, [[[]]], { $ref: 5 }, -Infinity]

test.each(
  `parameters responses requestBody tags summary description security servers callbacks deprecated
  x-stability x-deprecated-sunset operationId externalDocs`.split(/\s+/),
)('shows an operation whose %s is anything', (name) => {
  for (const value of odd) {
    const { pages } = renderDocument(documentOf({ summary: 'Shown', [name]: value }))
    expect(pages.map(({ path }) => path)).toContain('reference/index.html')
  }
})

test.each(
  `type format enum const properties items allOf oneOf anyOf not required additionalProperties
  patternProperties prefixItems discriminator default example examples minimum maxLength pattern
  title description nullable $defs if then else dependentSchemas multipleOf`.split(/\s+/),
)('shows a schema whose %s is anything', (name) => {
  for (const value of odd) {
    const document = documentOf({}, { components: { schemas: { A: { [name]: value } } } })
    expect(renderDocument(document).pages.at(-1)?.path).toBe('reference/schemas/a.html')
  }
})

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const fieldsOf = (count: number, fieldAt: (i: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => fieldAt(i)))

const endless: [what: string, schemas: Record<string, unknown>][] = [
  ['a schema in itself', { A: { properties: { a: to('A') } } }],
  ['a list of itself', { A: { type: 'array', items: to('A') } }],
  ['all of itself', { A: { allOf: [to('A')] } }],
  ['one of itself', { A: { oneOf: [to('A'), { type: 'string' }] } }],
  ['only itself', { A: { anyOf: [to('A')] } }],
  ['the document', { A: { properties: { a: { $ref: '#/components' }, b: { $ref: '#' } } } }],
  ['two in each other', { A: { properties: { b: to('B') } }, B: { allOf: [to('A')] } }],
  [
    'each in each',
    fieldsOf(30, (i) => [`S${i}`, { properties: fieldsOf(30, (j) => [`p${j}`, to(`S${j}`)]) }]),
  ],
  [
    'a chain that doubles',
    fieldsOf(40, (i) => {
      const next = to(`S${Math.min(i + 1, 39)}`)
      return [`S${i}`, { allOf: [next, next], oneOf: [next, { items: next }] }]
    }),
  ],
]

test.each(endless)('ends at %s', (_, schemas) => {
  const schema = to(Object.keys(schemas)[0] ?? '')
  const content = { 'application/json': { schema } }
  const form = { 'multipart/form-data': { schema: { properties: { schema } } } }
  const callbacks = { c: { x: { post: { requestBody: { content } } } } }
  const operation = { requestBody: { content: form }, callbacks, responses: { 200: { content } } }
  const { pages } = renderDocument(documentOf(operation, { components: { schemas } }))
  for (const { html, markdown = '' } of pages) {
    expect(html.length).toBeLessThan(3_000_000)
    expect(markdown.length).toBeLessThan(500_000)
  }
})

test('much text that many refer to is refused before it fills the memory', () => {
  const headers = fieldsOf(200, (i) => [`X-${i}`, { $ref: '#/components/headers/H' }])
  const document = documentOf(
    { responses: { 200: { headers } } },
    { components: { headers: { H: { description: 'long '.repeat(200_000) } } } },
  )
  expect(() => renderDocument(document)).toThrow(/more than 100 MB/)
})

test('a large document is rendered: what would be repeated too often becomes a link', () => {
  const text = { type: 'string', description: 'Words.' }
  const schemas = fieldsOf(150, (i) => {
    const fields = [1, 14, 27, 40].map((step) => [`p${step}`, to(`S${(i * 7 + step) % 150}`)])
    const properties = { ...Object.fromEntries(fields), a: text, b: text, c: text }
    return [`S${i}`, { type: 'object', properties }]
  })
  const content = { 'application/json': { schema: to('S0') } }
  const document = documentOf({ responses: { 200: { content } } }, { components: { schemas } })
  const { pages } = renderText(JSON.stringify(document))
  const sizes = pages.map(({ html }) => html.length)
  expect(pages).toHaveLength(153)
  expect(Math.max(...sizes)).toBeLessThan(300_000)
})

test('keys of a prototype are keys like others', () => {
  const text = `${head}paths:
  /a:
    get:
      operationId: constructor
      tags: [__proto__, toString]
      x-stability: constructor
      security: [{__proto__: []}, {hasOwnProperty: [valueOf]}]
      responses: {}
components:
  schemas:
    __proto__: {type: object, properties: {__proto__: {type: string}, constructor: {type: number}}}
    toString: {$ref: '#/components/schemas/__proto__'}
`
  const { pages } = renderText(text)
  expect(pages.map(({ title }) => title)).toEqual([
    'API reference',
    'constructor',
    'Schemas',
    '__proto__',
    'toString',
  ])
  expect(wordsOf(pages[4]?.html ?? '')).toContain('constructor number')
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('names that would be the same address get addresses of their own', () => {
  const methods = ['get', 'post', 'put']
  const item = (...ids: string[]) =>
    fieldsOf(3, (i) => [methods[i] ?? '', { operationId: ids[i], responses: {} }])
  const { pages } = renderDocument({
    openapi: '3.0.3',
    info: {},
    paths: {
      '/a': item('listPets', 'list-pets', 'LIST_PETS'),
      '/b': item('index', '../../etc/passwd', '💥'),
      '/c': item('schemas', 'Größe', 'x'.repeat(500)),
    },
  })
  const paths = pages.map(({ path }) => path)
  expect(paths.slice(1, 9)).toEqual([
    'reference/list-pets.html',
    'reference/list-pets-2.html',
    'reference/list-pets-3.html',
    'reference/index-2.html',
    'reference/etc-passwd.html',
    'reference/unnamed.html',
    'reference/schemas-2.html',
    'reference/größe.html',
  ])
  expect(new Set(paths).size).toBe(paths.length)
})

test('numbers and versions stay as they are written', () => {
  const { pages } = renderText(`openapi: 3.0.0
x-a: [[
]]
info: {title: T, version: 1.10}
paths: {}
components: {schemas: {A: {type: integer, maximum: 9223372036854775807, example: 12345678901234567890}}}`)
  expect(wordsOf(pageAt({ pages }, 'reference/index.html').html)).toContain('version 1.10')
  const schema = wordsOf(pages.at(-1)?.html ?? '')
  expect(schema).toContain('at most 9223372036854775807')
  expect(schema).toContain('Example 12345678901234567890')
})
