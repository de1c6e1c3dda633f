// The page of one operation: description, deprecation, request, example and responses; and Try it. What its parts have in
// common with the overview is exported.

import { Html, html, icon } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import {
  cut,
  describe,
  exampleLanguage,
  exampleText,
  jsonText,
  oneLine,
  plainText,
  splitParagraph,
} from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import type {
  Header,
  Media,
  Operation,
  Response,
  SecurityNeed,
  SecurityScheme,
} from './document/read-operations.ts'
import { examplesOf } from './document/sample-value.ts'
import { viewSchema } from './document/schema-view.ts'
import {
  createPageDraft,
  type PageDraft,
  type Reference,
  type ReferenceContext,
} from './reference-context.ts'
import { operationMarkdown } from './reference-markdown.ts'
import { requestSamples } from './request-samples.ts'
import { createSchemaTrees, deprecatedMark, type SchemaTrees } from './schema-tree.ts'
import { tryItForm } from './try-it-form.ts'

export function operationPage(operation: Operation, reference: Reference): Page {
  const { context } = reference
  const draft = createPageDraft(context)
  const parts = { context, draft, operation, reference, trees: createSchemaTrees(context) }
  const tryIt = tryItForm(operation, reference)
  const hasSamples = !operation.isWebhook
  // On wide screens the samples are a column beside the text, which is around them otherwise.
  if (hasSamples) draft.add(new Html('<div class="api-operation">\n<div class="prose">\n'))
  addIntroduction(parts)
  if (hasSamples) {
    draft.add(new Html('</div>\n<div class="api-exchange">\n'))
    draft.section({ level: 2, id: 'request', text: 'Example request' })
    draft.add(requestSamples(operation, reference))
    draft.add(new Html('</div>\n<div class="prose">\n'))
    if (tryIt) draft.add(tryIt.form)
  }
  if (hasSamples || operation.security !== undefined) {
    draft.section({ level: 2, id: 'authentication', text: 'Authentication' })
    draft.add(securityHtml(operation, reference))
  }
  addParameters(parts)
  addBody(parts)
  addResponses(parts)
  addCallbacks(parts)
  if (hasSamples) draft.add(new Html('</div>\n</div>\n'))
  return draft.page({
    path: operation.path,
    title: operation.title,
    description: describe(operationSummary(operation)),
    markdown: operationMarkdown(operation, reference),
    ...(tryIt && { connectTo: tryIt.origin }),
  })
}

interface PageParts {
  context: ReferenceContext
  draft: PageDraft
  operation: Operation
  reference: Reference
  trees: SchemaTrees
}

/** One sentence for lists and search engines. */
function operationSummary(operation: Operation): string {
  const { about, deprecation, method, replacement, route } = operation
  const words = plainText(about ?? replacement) || `${method} ${oneLine(route)}`
  return deprecation === undefined ? words : `${deprecation} ${words}`
}

function addIntroduction({ context, draft, operation, reference }: PageParts): void {
  const { method, route, isWebhook, deprecation, operationId, stability, externalDocs } = operation
  const { about, replacement } = operation
  draft.add(
    html`<div class="api-endpoint">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code>${isWebhook && html` <span class="api-mark">webhook</span>`}${operationMarks(operation)}</div>
`,
    `${method} ${oneLine(route)} ${operationId ?? ''} ${plainText(operation.description)}`,
  )
  if (deprecation !== undefined) {
    const text = replacement && context.prose(linkOperations(replacement, reference.operations))
    draft.add(callout('caution', deprecation, html`${text}`))
  }
  if (stability?.meaning !== undefined) {
    const kind = stability.kind === 'beta' ? 'note' : 'warning'
    draft.add(callout(kind, stability.title, html`<p>${stability.meaning}</p>`))
  }
  if (about !== undefined) draft.prose(about)
  if (externalDocs) {
    draft.add(html`<p><a href="${externalDocs.url}">${externalDocs.title}</a></p>
`)
  }
}

function callout(kind: 'warning' | 'caution' | 'note', title: string, text: Html): Html {
  return html`<div class="callout callout-${kind}" role="note"><div class="callout-title">${icon(kind)}<span>${title}</span></div>
${text}</div>
`
}

/** The route with its parameters marked; lines may break after a slash. */
export function routeHtml(route: string): Html {
  const pieces = cut(route, 500).split(/(\{[^{}]*\})/)
  return html`${pieces.map((piece, index) => {
    if (index % 2 === 1) return html`<span class="api-path-parameter">${piece}</span>`
    return new Html(html`${piece}`.text.replaceAll('/', '/<wbr>'))
  })}`
}

/** Next to the title of an operation, in lists. */
export function operationMarks(operation: Operation): Html {
  const { stability, deprecation } = operation
  const kind = stability?.meaning === undefined ? '' : ` api-mark-${stability.kind}`
  return html`${stability && html` <span class="api-mark${kind}">${stability.word}</span>`}${deprecation !== undefined && deprecatedMark}`
}

const knownMethods = ['get', 'post', 'put', 'patch', 'delete']

export function methodBadge(method: string): Html {
  const name = method.toLowerCase()
  const kind = new Html(knownMethods.includes(name) ? name : 'other')
  return html`<span class="api-method api-method-${kind}">${method}</span>`
}

/** In Markdown, "GET /pets" becomes a link if the operation exists. */
function linkOperations(markdown: string, operations: readonly Operation[]): string {
  return markdown.replaceAll(
    /(`?)\b([A-Z]{3,7}) (\/[^\s`,;()[\]]*[^\s`,;:.()[\]]|\/)\1/g,
    (whole, tick, method, route) => {
      const operation = operations.find((item) => item.method === method && item.route === route)
      return operation ? `[${tick}${method} ${route}${tick}](${hrefOf(operation.path)})` : whole
    },
  )
}

/** The security requirements of an operation: alternatives, each with one or more schemes. */
function securityHtml({ security }: Operation, { schemes }: Reference): Html {
  if (security === undefined || security.length === 0) {
    return html`<p>${security === undefined ? 'Not specified.' : 'No authentication required.'}</p>
`
  }
  const items = security.slice(0, 20).map((needs) => needsHtml(needs, schemes))
  if (items.length === 1)
    return html`<p>${items}</p>
`
  return html`<p>One of these:</p>
<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
`
}

function needsHtml(needs: SecurityNeed[], schemes: Reference['schemes']): Html {
  if (needs.length === 0) return html`No authentication.`
  return html`${needs.slice(0, 20).map(({ scheme, scopes }, index) => {
    const declared = schemes.get(scheme)
    const name = declared?.title ?? cut(scheme, 80)
    return html`${index > 0 && html` <strong>and</strong> `}<strong>${oneLine(name)}</strong>. ${declared && schemeSentence(declared)}${scopesHtml(scopes)}`
  })}`
}

function scopesHtml(scopes: string[]): Html | false {
  if (scopes.length === 0) return false
  const shown = scopes.slice(0, 30).map((scope) => html` <code>${cut(scope, 120)}</code>`)
  return html` ${scopes.length === 1 ? 'Scope:' : 'Scopes:'}${shown}.`
}

export function schemeSentence({ words, code }: SecurityScheme): Html {
  return html`${words}${code !== undefined && html` <code>${code}</code>.`}`
}

const places = {
  path: 'In the path',
  query: 'In the query',
  header: 'Headers',
  cookie: 'Cookies',
}

function addParameters({ draft, operation: { parameters }, trees }: PageParts): void {
  if (parameters.length === 0) return
  draft.section({ level: 2, id: 'parameters', text: 'Parameters' })
  for (const [place, title] of Object.entries(places)) {
    const inPlace = parameters.filter((parameter) => parameter.in === place)
    if (inPlace.length === 0) continue
    const rows = inPlace.map((item) => trees.row({ ...item, name: html`${cut(item.name, 200)}` }))
    draft.add(
      html`<h3 class="api-place">${title}</h3>
<ul class="api-fields">${rows}</ul>
`,
      inPlace.map(({ name, description }) => `${name} ${plainText(description)}`).join(' '),
    )
  }
}

function addBody(parts: PageParts): void {
  const { context, draft } = parts
  const { body, isWebhook } = parts.operation
  if (body === undefined) return
  draft.section({ level: 2, id: 'body', text: 'Request body' })
  if (!body.required) draft.add(html`<p>Optional.</p>`)
  if (body.description !== undefined) {
    draft.add(context.prose(body.description), plainText(body.description))
  }
  const options = { isRequest: true, isWebhook, isUnfolded: true, isShownBeside: !isWebhook }
  draft.add(mediaHtml(body.media, parts, options))
  const names = body.media.flatMap(({ schema }) => [
    ...viewSchema(schema, context.resolve).properties.keys(),
  ])
  draft.add(false, [...new Set(names)].slice(0, 500).join(' '))
}

function addResponses(parts: PageParts): void {
  const { draft } = parts
  const { responses, isWebhook } = parts.operation
  if (responses.length === 0) return
  const text = isWebhook ? 'Expected responses' : 'Responses'
  draft.section({ level: 2, id: 'responses', text })
  for (const response of responses) {
    const words = plainText(response.description) || response.phrase
    draft.add(responseHtml(response, parts), `${response.status} ${words}`)
  }
}

/** A response as a collapsible block with its status and meaning as the summary. */
function responseHtml(response: Response, parts: PageParts): Html {
  const { status, phrase, description = '', headers, media } = response
  const { context, operation } = parts
  const isOpen = response === operation.mainResponse
  const isShownBeside = isOpen && !operation.isWebhook
  const [first, rest] = splitParagraph(description)
  const isLong = first.length > 300
  const more = isLong ? description : rest
  const kind = new Html(/^[1-5]/.exec(status)?.[0] ?? 'default')
  context.charge(600)
  return html`<details class="api-response"${new Html(isOpen ? ' open' : '')}><summary><span class="api-status api-status-${kind}">${status}</span> <span class="api-status-words">${oneLine(plainText(first), 160) || phrase}</span></summary>
<div class="api-response-content">
${more !== '' && context.prose(more)}
${mediaHtml(media, parts, { isRequest: false, isWebhook: operation.isWebhook, isUnfolded: isOpen, isShownBeside })}${headersHtml(headers, parts)}</div></details>
`
}

interface MediaOptions {
  isRequest: boolean
  /** The request comes from the API, so that it may have what is read-only. */
  isWebhook: boolean
  /** Whether the schema is expanded here; otherwise its name is shown, with a link. */
  isUnfolded: boolean
  /** Whether the first example is beside it, and so closed here. */
  isShownBeside: boolean
}

/** Media types with the same content are shown together. */
function mediaHtml(media: Media[], parts: PageParts, options: MediaOptions): Html {
  const groups = new Map<string, Media[]>()
  for (const item of media) {
    const key = jsonText([item.schema, item.examples], { indent: false })
    groups.getOrInsert(key, []).push(item)
  }
  return html`${[...groups.values()].map((group) => oneMedia(group, parts, options))}`
}

function oneMedia(group: Media[], { context, trees }: PageParts, options: MediaOptions): Html {
  const [first] = group
  if (first === undefined) return html``
  const types = group.map(
    ({ type }, index) => html`${index > 0 && ' or '}<code>${oneLine(type, 100)}</code>`,
  )
  const view = viewSchema(first.schema, context.resolve)
  const schema = options.isUnfolded
    ? trees.whole(first.schema, { isRequest: options.isWebhook ? undefined : options.isRequest })
    : html`<p class="api-field-head">${trees.type(view)}</p>`
  const hasForm = first.schema !== undefined
  return html`<div class="api-media"><p class="api-media-type">${types}</p>
${hasForm && schema}${examplesHtml(first, context, options)}</div>
`
}

const maxExamples = 30

function examplesHtml(
  media: Media,
  { code, resolve }: ReferenceContext,
  { isRequest, isShownBeside, isUnfolded }: MediaOptions,
): Html {
  const examples = examplesOf(media, { resolve, isRequest }).slice(0, maxExamples)
  const language = exampleLanguage(media.type)
  const isOnly = examples.length === 1
  return html`${examples.map((example, index) => {
    const isOpen = (isUnfolded && index === 0) || isOnly
    const open = new Html(isOpen && !isShownBeside ? ' open' : '')
    const name = example.summary ?? example.name
    const title = name === undefined ? 'Example' : `Example: ${oneLine(name, 120)}`
    return html`<details class="api-example"${open}><summary>${title}</summary>
${code(exampleText(example.value, media.type), language)}</details>
`
  })}`
}

function headersHtml(headers: Header[], { reference, trees }: PageParts): Html {
  const own = headers.filter((header) => !reference.headers.isCommon(header))
  const title = own.length === 1 ? '1 header' : `${own.length} headers`
  const fold = html`<details class="api-fold"><summary>${title}</summary>
<ul class="api-fields">${own.map((header) => headerRow(header, trees))}</ul></details>
`
  const others = html`<a href="${hrefOf(reference.context.overviewPath)}#headers">headers of every response</a>`
  const common = html`<p class="api-elsewhere">${own.length > 0 ? 'And the' : 'Has the'} ${others}.</p>
`
  return html`${own.length > 0 && fold}${own.length < headers.length && common}`
}

export function headerRow(header: Header, trees: SchemaTrees): Html {
  // A header that is always sent is not shown as "required".
  return trees.row({ ...header, name: html`${cut(header.name, 200)}`, required: false })
}

function addCallbacks(parts: PageParts): void {
  const { context, draft } = parts
  const { callbacks } = parts.operation
  if (callbacks.length === 0) return
  draft.section({ level: 2, id: 'callbacks', text: 'Callbacks' })
  const options = { isRequest: true, isWebhook: true, isUnfolded: true, isShownBeside: true }
  const items = callbacks
    .slice(0, 100)
    .map(({ name, expression, method, summary, body, responses }) => {
      context.charge(600)
      const statuses = responses.map(
        ({ status }, index) => html`${index > 0 && ', '}<code>${status}</code>`,
      )
      return html`<li class="api-field"><div class="api-field-head">${methodBadge(method)} <code class="api-name">${cut(name, 100)}</code></div>
<p>${summary !== undefined && `${oneLine(plainText(summary))} `}Sent to <code>${cut(expression, 300)}</code>.${statuses.length > 0 && html` Expected responses: ${statuses}.`}</p>
${body && mediaHtml(body.media, parts, options)}</li>
`
    })
  draft.add(html`<p>Requests that it may send to you:</p>
<ul class="api-fields">${items}</ul>
`)
}
