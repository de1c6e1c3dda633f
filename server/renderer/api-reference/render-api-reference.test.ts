import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { readingOrder } from '../site/navigation.ts'
import { hrefOf } from '../sources/addresses.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'
import { readApiDocuments } from './document/read-document.ts'
import {
  documentOf,
  pageAt,
  plainCode,
  renderDocument,
  renderText,
  richDocument,
  wordsOf,
} from './document-in-test.ts'
import { renderApiReference } from './render-api-reference.ts'

const storeText = readFileSync(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8')

describe("the store's own document", () => {
  const store = renderText(storeText)
  const document = load(storeText) as { paths: Record<string, Record<string, Operation>> }
  const words = (path: string) => wordsOf(pageAt(store, path).html)

  test('every operation has a page that says its method, path and answers', () => {
    for (const [route, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const page = store.pages.find(({ title }) => title === operation.summary)
        const text = wordsOf(page?.html ?? '').replaceAll(/\s/g, '')
        expect(text).toContain(`${method.toUpperCase()}${route}`)
        for (const status of Object.keys(operation.responses)) expect(text).toContain(status)
      }
    }
  })

  test('an operation that will go says so at the top, with the day', () => {
    const page = pageAt(store, 'reference/get-pet.html')
    expect(words(page.path)).toMatch(/Deprecated\. Removed on 5 December 2030\. Deprecated; to be/)
    expect(page.markdown).toContain('> **Deprecated. Removed on 5 December 2030.**')
  })

  test('what may change says how', () => {
    expect(words('reference/update-pet.html')).toContain('Beta It may change, with notice.')
    const experimental = words('reference/place-order.html')
    expect(experimental).toContain('Experimental It may change or be removed at any time.')
    expect(words('reference/list-pets.html')).not.toMatch(/\b(beta|experimental)\b/i)
    const overview = pageAt(store, 'reference/index.html').html
    expect(overview.match(/api-mark-beta/g)).toHaveLength(7)
    expect(overview.match(/api-mark-experimental/g)).toHaveLength(7)
    expect(overview.match(/api-mark-deprecated/g)).toHaveLength(1)
  })

  test('the overview has servers, authentication and rate limits', () => {
    const text = words('reference/index.html')
    expect(text).toContain('http://staging.localhost:8080/v1')
    expect(text).toContain('Bearer token. Send it in the header Authorization: Bearer API_KEY')
    expect(text).toMatch(/Rate limits # RateLimit-Policy string/)
  })

  test('numbers are exact, parameters say what they take', () => {
    expect(words('reference/schemas/pet.html')).toContain('Range 1 to 9007199254740991')
    const list = words('reference/list-pets.html')
    expect(list).toContain(
      'limit integer Maximum number of animals returned. Default 20 Range 1 to 100',
    )
    expect(list).toContain('id array of integer · int64')
  })

  test('every link leads to a page or a heading that is there', () => {
    const ids = new Map(
      store.pages.map(({ path, html }) => [
        hrefOf(path),
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    )
    for (const { path, html } of store.pages) {
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
        if (/^https?:/.test(href) || href === '/openapi.yaml') continue
        const [address, id] = href.split('#')
        const target = ids.get(address === '' ? hrefOf(path) : (address ?? ''))
        expect(target, `${path} ${href}`).toBeDefined()
        if (id !== undefined) expect(target?.has(id), `${path} ${href}`).toBe(true)
      }
    }
  })

  test('the navigation has every page, once', () => {
    const paths = readingOrder(store.listed.map(({ item }) => item)).map(({ path }) => path)
    expect(paths.toSorted()).toEqual(store.pages.map(({ path }) => path).toSorted())
  })

  test('the search finds parameters and fields where they stand', () => {
    const { parts } = pageAt(store, 'reference/create-pet.html')
    expect(parts.find(({ id }) => id === 'parameters')?.text).toContain('Idempotency-Key')
    expect(parts.find(({ id }) => id === 'body')?.text).toContain('categoryId')
    expect(parts[0]?.text).toContain('POST /pets')
  })
})

interface Operation {
  summary: string
  responses: object
}

describe('a document with everything', () => {
  const rich = renderDocument(richDocument)
  const text = (path: string) => wordsOf(pageAt(rich, path).html)

  test('an operation', () => {
    const page = text('reference/put-thing.html')
    expect(page).toContain('thingId integer · int64 required')
    expect(page).toContain('One of the')
    expect(page).toContain('In the query')
    expect(page).toContain('theme string Pattern ^[a-z]+$')
    expect(page).toContain('4XX Refused')
    expect(page).toContain('Callbacks')
    expect(page).toContain(
      "curl -X PUT 'https://eu.example.com/v2/things/1/parts/a%20b?filter=it%27s'",
    )
    expect(page).toContain('X-Key')
  })

  test('a schema of all kinds', () => {
    const page = text('reference/schemas/thing.html')
    for (const words of [
      'Has all fields of Base',
      'name string required',
      'size integer · int64 or null Range more than 0, at most 5',
      'kind string Always thing',
      'parts array of Thing Unique no item twice',
      'Its fields are those of Thing',
      'owner Owner · Person or Firm or null',
      'secret string write-only',
      'deprecated read-only',
      '[0] number',
      'any other name string A label',
      '/^x-/ string',
      'never nothing',
      'Other fields none',
      'human Person',
      'company Firm',
      'But not any Required nothing',
      'point array',
    ]) {
      expect(page).toContain(words)
    }
  })

  test('what is in itself is a link', () => {
    expect(text('reference/schemas/thing.html')).not.toContain('Fields of Thing')
    expect(text('reference/schemas/firm.html')).not.toContain('Fields of Firm')
  })

  test('a sample leaves out what would be in itself, and what cannot be', () => {
    const page = text('reference/schemas/thing.html')
    expect(page).toContain('"parts": [],')
    expect(page).not.toContain('"never"')
    expect(page).toContain('"point": [ 1, "string" ]')
  })

  test('webhooks, and operations without a name', () => {
    expect(text('reference/webhook-post-thing-added.html')).toContain('webhook')
    expect(pageAt(rich, 'reference/get-old.html').title).toBe('GET /old')
    expect(text('reference/get-old.html')).toContain('Deprecated. Removed on 3 February 2031.')
  })

  test('headings of the description are sections of the page', () => {
    expect(pageAt(rich, 'reference/index.html').html).toContain('<h2 id="heading">Heading</h2>')
  })
})

describe('where the document is', () => {
  const minimal = JSON.stringify(documentOf({ operationId: 'a' }))
  const other = minimal.replace('"a"', '"b"')
  test.each([
    [
      'the one nearest to the root',
      { 'z/openapi.json': other, 'openapi.yml': minimal },
      'openapi.yml',
    ],
    ['in a folder', { 'api/v1/OpenAPI.yaml': minimal, 'x.md': '' }, 'api/v1/OpenAPI.yaml'],
    ['by its content', { 'a.yaml': 'a: 1', 'pets.json': minimal }, 'pets.json'],
  ])('%s', (_, files, path) => {
    expect(readApiDocuments(sourcesOf(files)).documents[0]?.path).toBe(path)
  })

  test.each<Record<string, string>>([
    { 'node_modules/x/openapi.yaml': minimal },
    { 'package.json': '{"dependencies":{"swagger": "2.0"}}', 'a.yaml': 'openapi: 3.0.0' },
    { 'openapi.md': 'openapi: 3.1.0' },
  ])('none: %j', (files) => {
    const options = { highlight: plainCode, markdown: (text: string) => text }
    expect(renderApiReference(sourcesOf(files), options)).toBeUndefined()
  })
})
