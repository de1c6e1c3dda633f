// Documents of several files, several documents, and Swagger 2.0.
import { expect, test } from 'vitest'
import { DeployFailure } from '../../site-files/site-file.ts'
import { pageAt, renderFiles, swaggerText, wordsOf } from '../document-in-test.ts'

const head = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\n'
const minimal = (id: string, version = '1') =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version },
    paths: { [`/${id}`]: { get: { operationId: id, responses: {} } } },
  })

const files = {
  'api/openapi.yaml': `${head}
tags: [{ name: a, description: { $ref: texts.yaml#/tag } }]
paths:
  /whole: { $ref: paths/whole.yaml }
  /own:
    get: { $ref: operations/get.json }
    post: { $ref: '#/x-operations/post' }
x-operations:
  post: { summary: Of the same file, responses: {} }
components:
  schemas:
    Pet: { $ref: models/pet.yaml }
  securitySchemes: { $ref: security.yaml }
`,
  'api/texts.yaml': 'tag: The words of the tag.',
  'api/security.yaml': 'token: { type: http, scheme: bearer }',
  'api/paths/whole.yaml': `
parameters: [{ $ref: '../parts.yaml#/parameters/limit' }]
put:
  summary: Of another file
  tags: [a]
  requestBody: { content: { application/json: { schema: { $ref: ../models/pet.yaml } } } }
  responses:
    200:
      description: ok
      headers: { X-Id: { $ref: '../parts.yaml#/headers/X-Id' } }
      content:
        application/json:
          schema: { type: array, items: { $ref: ../models/toy.yaml } }
          examples: { one: { $ref: '../parts.yaml#/examples/one' } }
`,
  'api/operations/get.json': `{ "summary": "Of JSON", "responses": { "404": { "$ref": "../parts.yaml#/~1slash" } } }`,
  'api/parts.yaml': `
parameters: { limit: { $ref: '#/limits/usual' } }
limits: { usual: { name: limit, in: query, description: How many. } }
headers: { X-Id: { description: The id of the request. } }
examples: { one: { summary: One toy, value: { $ref: example.json } } }
/slash: { description: Not there. }
`,
  'api/example.json': '[{ "name": "Ball" }]',
  'api/models/pet.yaml': `
type: object
properties:
  toys: { type: array, items: { $ref: toy.yaml } }
  parent: { $ref: '../openapi.yaml#/components/schemas/Pet' }
`,
  'api/models/toy.yaml': `
type: object
properties: { owner: { $ref: pet.yaml, description: Who has it. }, name: { type: string } }
`,
}

test('references lead to other files, wherever they are', () => {
  const { pages, problems } = renderFiles(files)
  const words = (path: string) => wordsOf(pageAt({ pages }, path).html)
  expect(problems).toEqual([])
  const put = words('reference/put-whole.html')
  for (const text of ['limit', 'How many.', 'X-Id', 'array of toy', 'Example: One toy', '"Ball"']) {
    expect(put).toContain(text)
  }
  expect(words('reference/get-own.html')).toContain('404 Not there.')
  expect(pageAt({ pages }, 'reference/post-own.html').title).toBe('Of the same file')
  expect(words('reference/index.html')).toContain('The words of the tag.')
  expect(words('reference/index.html')).toContain('Bearer token')
  // Schemas of files have pages: by their name in the document, otherwise that of the file.
  expect(words('reference/schemas/pet.html')).toContain('parent Pet · object')
  expect(words('reference/schemas/toy.html')).toContain('owner Pet · object Who has it.')
})

const main = (ref: string) => `${head}paths:\n  /a: { $ref: '${ref}' }\n`
test.each<
  [what: string, files: Record<string, string>, message: RegExp, file: string, line: number]
>([
  ['a file', { 'openapi.yaml': main('b.yaml') }, /no file b\.yaml/, 'openapi.yaml', 4],
  [
    'a pointer',
    { 'openapi.yaml': main('b.yaml#/x'), 'b.yaml': 'a: 1' },
    /no target/,
    'openapi.yaml',
    4,
  ],
  [
    'in another file',
    { 'openapi.yaml': main('b.yaml'), 'b.yaml': 'get:\n  parameters: [{ $ref: c.yaml }]' },
    /no file c/,
    'b.yaml',
    2,
  ],
  [
    'outside',
    { 'a/openapi.yaml': main('../../b.yaml') },
    /outside the folder/,
    'a/openapi.yaml',
    4,
  ],
  [
    'files in a circle',
    { 'openapi.yaml': main('b.yaml'), 'b.yaml': '$ref: c.yaml', 'c.yaml': '$ref: b.yaml' },
    /back to itself/,
    'b.yaml',
    1,
  ],
  [
    'a file that contains itself',
    { 'openapi.yaml': main('b.yaml'), 'b.yaml': 'get:\n  parameters: [{ $ref: b.yaml }]' },
    /back to itself/,
    'b.yaml',
    2,
  ],
  [
    'what contains it',
    { 'openapi.yaml': main('b.yaml#/a'), 'b.yaml': "a: { get: { tags: [{ $ref: '#' }] } }" },
    /back to itself/,
    'b.yaml',
    1,
  ],
  [
    'text that is no YAML',
    { 'openapi.yaml': main('b.yaml'), 'b.yaml': '\n{' },
    /cannot be read/,
    'b.yaml',
    2,
  ],
])('refuses what is not there, with its place: %s', (_, sources, message, file, line) => {
  expect(() => renderFiles(sources)).toThrow(DeployFailure)
  try {
    renderFiles(sources)
  } catch (error) {
    expect(error).toMatchObject({ message: expect.stringMatching(message), file, line })
  }
})

test('files that double what they refer to are refused', () => {
  const sources: Record<string, string> = { 'openapi.yaml': main('f0.yaml') }
  for (let index = 0; index < 40; index++) {
    const ref = `{ $ref: f${index + 1}.yaml }`
    sources[`f${index}.yaml`] = `a: ${ref}\nb: ${ref}\n`
  }
  sources['f40.yaml'] = 'a: 1'
  expect(() => renderFiles(sources)).toThrow(/8,000,000 values/)
})

test('each document has its section; parts, copies and other files have none', () => {
  const { listed, pages, problems } = renderFiles({
    'v1/openapi.yaml': minimal('a'),
    'v2/openapi.json': minimal('b', '2'),
    'v2/openapi.yaml': minimal('b', '2'),
    'de/v2/openapi.yaml': minimal('b', '2'),
    'more/store.api.yml': `${head}paths: { /p: { $ref: part.yaml#/paths/~1p } }`,
    'more/part.yaml': `${head}paths: { /p: { get: { responses: {} } } }`,
    'broken.yaml': `${head}paths: {}\ncomponents: []`,
    'lost.yaml': `${head}paths: { /p: { get: { parameters: [{ $ref: '#/no' }] } } }`,
    'package.json': '{ "dependencies": { "openapi": "3.0.0" } }',
  })
  expect(listed.map(({ item }) => item.title)).toEqual(['Pets (v1)', 'Pets (v2)', 'T (store)'])
  expect(listed[2]?.keys).toEqual(['reference', 'reference/store', 'more/store.api.yml'])
  const paths = pages.map(({ path }) => path).filter((path) => !path.includes('index'))
  expect(paths).toEqual(['v1/a', 'v2/b', 'store/get-p'].map((path) => `reference/${path}.html`))
  expect(problems).toMatchObject([
    { file: 'broken.yaml', line: 4 },
    { file: 'lost.yaml', line: 3 },
  ])
})

test('Swagger 2.0 is shown as OpenAPI 3', () => {
  const { pages } = renderFiles({ 'swagger.yaml': swaggerText })
  const words = (path: string) => wordsOf(pageAt({ pages }, path).html)
  const put = words('reference/put-pets-id.html')
  for (const text of [
    `curl -X PUT 'https://api.example.com/v1/pets/1?ids=1'`,
    `-d '{"kind":"string"}'`,
    'id integer · int64 required Range at most 5',
    'ids array of integer required',
    'X-A integer Left.',
    '410 Gone.',
  ]) {
    expect(put).toContain(text)
  }
  expect(words('reference/post-pets-id.html')).toContain('-F photo=@file')
  expect(words('reference/index.html')).toMatch(
    /version 1\.0.*https:\/\/api\.example\.com\/v1 .*OAuth 2\.0/,
  )
  expect(words('reference/schemas/pet.html')).toContain('kind string or null')
})

test('a large document of JSON has exact integers, and lines', () => {
  const padding = Array.from(
    { length: 30_000 },
    (_, index) => `"s${index}": {"type": "object", "title": "A longer title"}`,
  )
  const text = `{ "openapi": "3.0.0", "info": {}, "x-many": {\n${padding.join(',\n')} },
"paths": { "/a/{b}":
{ "get": { "summary": "Exact", "parameters": [{ "name": "n", "in": "query", "schema": { "maximum": 12345678901234567890 } }] } } } }`
  expect(text.length).toBeGreaterThan(1_500_000)
  const { pages, problems } = renderFiles({ 'openapi.json': text })
  expect(wordsOf(pageAt({ pages }, 'reference/get-a-b.html').html)).toContain(
    '12345678901234567890',
  )
  expect(problems).toMatchObject([{ line: 30_003 }])
})
