// For tests: a document that has one of everything, and how tests render documents.
import { dump, load } from 'js-yaml'
import { escapeHtml } from '../markdown/html.ts'
import { createMarkdown } from '../markdown/markdown.ts'
import type { Page } from '../sources/render-input.ts'
import { type RenderedReferences, renderApiReference } from './render-api-reference.ts'

export const plainCode = (code: string): string =>
  `<pre class="code" tabindex="0"><code>${escapeHtml(code)}</code></pre>`

const { renderFragment } = createMarkdown(plainCode, (address) => address)

type Rendered = Omit<RenderedReferences, 'pages' | 'render'> & { pages: Page[] }

/** Renders text as the file `openapi.yaml`. */
export function renderText(text: string | Uint8Array): Rendered {
  return renderFiles({ 'openapi.yaml': text })
}

export function renderFiles(files: Record<string, string | Uint8Array>): Rendered {
  const sources = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const)
  const reference = renderApiReference(new Map(sources), {
    highlight: plainCode,
    markdown: (words) => renderFragment(words, ''),
  })
  if (reference === undefined) throw new Error('There is no document.')
  return { ...reference, pages: [...reference.render()] }
}

export function renderDocument(document: unknown): Rendered {
  return renderText(dump(document, { noRefs: true }))
}

/** The smallest document that has this operation. */
export function documentOf(operation: unknown, rest: object = {}): object {
  const paths = { '/pets/{petId}': { get: operation } }
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...rest }
}

export function pageAt({ pages }: Pick<Rendered, 'pages'>, path: string): Page {
  const page = pages.find((candidate) => candidate.path === path)
  if (page === undefined) throw new Error(`No page ${path}: ${pages.map((item) => item.path)}`)
  return page
}

/** The words of HTML. */
export function wordsOf(html: string): string {
  return html
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (whole, name) => {
      return { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }[String(name)] ?? whole
    })
    .replaceAll(/\s+/g, ' ')
}

export const richDocument = load(`
openapi: 3.1.0
info:
  title: Rich
  version: '2.5'
  summary: Has everything.
  description: "First **words**.\\n\\n# Heading\\n\\nMore."
  termsOfService: https://example.com/terms
  contact: { name: Ann, email: ann@example.com, url: https://example.com }
  license: { name: MIT, url: https://example.com/mit }
externalDocs: { url: https://example.com/more, description: The book }
servers:
  - url: https://{region}.example.com/{version}
    description: Main
    variables: { region: { default: eu }, version: { default: v2 } }
  - url: /relative
tags: [{ name: things, description: All *things*., externalDocs: { url: https://e.com } }]
security: [{ bearer: [] }, { header: [], oauth: ['things:read'] }, {}]
paths:
  /things/{thingId}/parts/{part}:
    summary: Path summary
    parameters: [{ $ref: '#/components/parameters/ThingId' }]
    put:
      operationId: putThing
      summary: Put a thing
      tags: [things]
      x-stability: experimental
      description: Puts it.
      externalDocs: { url: https://example.com/put, description: How to put }
      parameters:
        - { name: part, in: path, required: true, schema: { type: string, enum: [a b, c] } }
        - name: filter
          in: query
          required: true
          description: Which ones.
          schema: { type: array, items: { type: string, default: it's }, minItems: 1 }
        - { name: X-Trace, in: header, required: true, example: 'a"b$c\`d' }
        - { name: theme, in: cookie, schema: { type: string, pattern: '^[a-z]+$' } }
        - { name: json, in: query, content: { application/json: { schema: { type: object } } } }
      requestBody: { $ref: '#/components/requestBodies/Thing' }
      responses:
        200:
          description: "Put.\\n\\n- \`done\`: All done."
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
              examples: { small: { $ref: '#/components/examples/small' } }
            text/csv: { schema: { type: string }, example: "a,b\\n1,2" }
        4XX: { $ref: '#/components/responses/Refused' }
        default: { description: Otherwise }
      callbacks:
        onDone: { '{$request.body#/url}': { post: { summary: Done, responses: {} } } }
  /old:
    get: { deprecated: true, x-deprecated-sunset: 2031-02-03, description: Old., responses: {} }
webhooks:
  thingAdded:
    post: { summary: A thing was added, requestBody: { content: {} }, responses: {} }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer, description: A *token*. }
    header: { type: apiKey, in: header, name: X-Key }
    oauth:
      type: oauth2
      flows:
        clientCredentials:
          tokenUrl: https://example.com/token
          scopes: { 'things:read': Reads things. }
  parameters:
    ThingId: { name: thingId, in: path, required: true, schema: { type: integer, format: int64 } }
  headers: { ETag: { description: The *tag*., schema: { type: string }, example: '"x"' } }
  examples: { small: { summary: A small one, value: { name: Bolt, size: 1 } } }
  requestBodies:
    Thing:
      required: true
      description: The thing.
      content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  responses:
    Refused:
      description: Refused
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Error' }
          examples: { bad: { summary: It is bad., value: { code: bad, message: Bad. } } }
  schemas:
    Base:
      type: object
      required: [name]
      properties: { name: { type: string, minLength: 1, maxLength: 20, examples: [Bolt] } }
    Thing:
      title: A thing
      description: Anything at *all*.
      allOf: [{ $ref: '#/components/schemas/Base' }]
      properties:
        size: { type: [integer, 'null'], format: int64, maximum: 5, exclusiveMinimum: 0 }
        kind: { const: thing }
        parts: { type: array, items: { $ref: '#/components/schemas/Thing' }, uniqueItems: true }
        owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] }
        secret: { type: string, writeOnly: true, default: s }
        made: { type: string, format: date-time, readOnly: true, deprecated: true }
        point: { type: array, prefixItems: [{ type: number }, { type: string }], items: false }
        labels: { type: object, additionalProperties: { type: string, description: A label } }
        any: true
        never: false
      patternProperties: { ^x-: { type: string } }
      additionalProperties: false
      if: { properties: { size: { const: 1 } } }
      else: { required: [owner] }
      not: { required: [nothing] }
    Owner:
      oneOf: [{ $ref: '#/components/schemas/Person' }, { $ref: '#/components/schemas/Firm' }]
      discriminator:
        propertyName: kind
        mapping: { human: '#/components/schemas/Person', company: Firm }
    Person: { type: object, properties: { kind: { type: string }, first: { type: string } } }
    Firm:
      type: object
      properties: { kind: { type: string }, things: { $ref: '#/components/schemas/Thing' } }
    Error:
      type: object
      properties: { code: { enum: [bad, worse] }, message: { type: string } }
`) as { components: Record<string, object> }

export const swaggerText = `
swagger: '2.0'
info: { title: Old, version: 1.0 }
host: api.example.com
basePath: /v1
schemes: [https, ws]
consumes: [application/json]
produces: [application/json, text/csv]
securityDefinitions:
  o: { type: oauth2, flow: accessCode, authorizationUrl: https://e.com/a, tokenUrl: https://e.com/t, scopes: { r: Reads. } }
parameters:
  body: { name: b, in: body, required: true, schema: { $ref: '#/definitions/Pet' } }
  ids: { name: ids, in: query, required: true, type: array, items: { type: integer, default: 1 }, collectionFormat: pipes }
responses: { gone: { description: Gone., schema: { $ref: '#/definitions/Pet' } } }
paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, type: integer, format: int64, maximum: 5 }]
    put:
      parameters: [{ $ref: '#/parameters/body' }, { $ref: '#/parameters/ids' }]
      responses:
        200: { description: ok, headers: { X-A: { type: integer, description: Left. } }, examples: { application/json: { a: 1 } } }
        410: { $ref: '#/responses/gone' }
    post:
      parameters:
        - { name: photo, in: formData, type: file, required: true }
        - { name: words, in: formData, type: array, items: { type: string, default: x }, collectionFormat: multi }
      responses: {}
definitions:
  Pet: { type: object, discriminator: kind, properties: { kind: { type: string, x-nullable: true } } }
`
