// What pages show of schemas, callbacks, servers, tags and descriptions.
import { expect, test } from 'vitest'
import { readingOrder } from '../site/navigation.ts'
import { documentOf, pageAt, renderDocument, wordsOf } from './document-in-test.ts'

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const text = { type: 'string' }
const kind = { type: 'object', properties: { kind: text } }
const schemas = {
  Base: { ...kind, discriminator: { propertyName: 'kind', mapping: { dog: to('Dog').$ref } } },
  Dog: { allOf: [to('Base'), { properties: { breed: text } }] },
  Cat: { allOf: [to('Base')] },
  Home: {
    oneOf: [to('Flat'), to('Boat')],
    discriminator: { propertyName: 'kind', mapping: { FLAT: 'Flat' } },
  },
  Flat: { type: 'object', properties: { floor: { type: 'integer' } } },
  Boat: { type: 'object', properties: { kind: { const: 'boat' } } },
  Pay: {
    oneOf: [
      { title: 'Card', type: 'object' },
      { type: 'object', required: ['iban'], properties: { iban: text } },
    ],
  },
  Map: { type: 'object', additionalProperties: to('Flat') },
  Both: {
    type: 'object',
    properties: { id: { ...text, readOnly: true }, pass: { ...text, writeOnly: true } },
  },
}

test.each<[schema: keyof typeof schemas, words: string[]]>([
  ['Base', ['Subtypes, by kind : dog Dog , Cat Cat', '"kind": "dog"']],
  ['Dog', ['"kind": "dog"', '"breed"']],
  ['Cat', ['"kind": "Cat"']],
  ['Home', ['Flat or Boat', '"kind": "FLAT"', '"floor": 1']],
  ['Boat', ['"kind": "boat"']],
  ['Pay', ['Card or object with iban']],
  ['Map', ['"key": { "floor": 1 }']],
  ['Both', ['id string read-only', 'pass string write-only', '{ "id": "string" }']],
])('the schema %s', (name, words) => {
  const { pages } = renderDocument(documentOf({}, { components: { schemas } }))
  const page = wordsOf(pageAt({ pages }, `reference/schemas/${name.toLowerCase()}.html`).html)
  for (const part of words) expect(page).toContain(part)
})

test('requests have no read-only fields, responses no write-only ones', () => {
  const operation = { requestBody: json(to('Both')), responses: { 200: json(to('Both')) } }
  const { pages } = renderDocument(documentOf(operation, { components: { schemas } }))
  const { html, markdown = '' } = pages[1] ?? { html: '' }
  const [request = '', response = ''] = wordsOf(html).split('Responses #')
  expect(request.split('Request body')[1]).toMatch(/pass string(?!.* id string)/)
  expect(response).toMatch(/id string(?!.*pass string)/)
  expect(
    markdown.split('## Responses').map((part) => part.match(/`(id|pass)` string/g)?.join()),
  ).toEqual(['`pass` string', '`id` string'])
})

test('servers, callbacks, tags, and links of descriptions', () => {
  const operation = {
    operationId: 'get/pet',
    tags: ['Cats', 'dogs'],
    callbacks: {
      done: { '{$url}': { post: { requestBody: json(to('Flat')), responses: { 204: {} } } } },
    },
  }
  const description =
    '# Get *going*\nSee [a](#section/Get-going), [b](#tag/Cats), [c](#operation/get%2Fpet), [d](#tag/Cats/operation/get%2Fpet), [e](#section/No).\n## Deeper'
  const document = documentOf(operation, {
    info: { title: 'T', version: '1', description },
    servers: [
      {
        url: 'https://{region}.e.com',
        variables: { region: { default: 'eu', enum: ['eu', 'us'], description: 'Where.' } },
      },
    ],
    tags: [{ name: 'about', description: 'Only text.', 'x-traitTag': true }],
    'x-tagGroups': [{ name: 'Animals', tags: ['dogs', 'Cats'] }],
    components: { schemas },
  })
  const { listed, pages } = renderDocument(document)
  const overview = pageAt({ pages }, 'reference/index.html')
  const words = wordsOf(overview.html)
  expect(words).toContain('{region} string Where. One of eu us Default eu')
  expect(words).toContain('Only text.')
  expect([...overview.html.matchAll(/<a href="([^"]*)">[a-e]</g)].map(([, href]) => href)).toEqual([
    '/reference/#get-going',
    '/reference/#operations-cats',
    '/reference/get-pet',
    '/reference/get-pet',
    '#section/No',
  ])
  expect(overview.headings.slice(0, 2)).toEqual([
    { level: 2, id: 'get-going', text: 'Get going' },
    { level: 2, id: 'deeper', text: 'Deeper' },
  ])
  expect(wordsOf(pages[1]?.html ?? '')).toMatch(
    /Sent to \{\$url\} \. Expected responses: 204 .* floor integer/,
  )
  const [group] = listed[0]?.item.children?.filter(({ title }) => title === 'Animals') ?? []
  expect(group?.children?.map(({ title }) => title)).toEqual(['Dogs', 'Cats'])
  expect(readingOrder(group ? [group] : [])).toHaveLength(2)
  expect(pages.filter(({ path }) => path === 'reference/get-pet.html')).toHaveLength(1)
})
