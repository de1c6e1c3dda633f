// The page of one operation: description, deprecation, request, example and responses.

import { describe } from '../markdown/describe.ts'
import { Html, html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import type { Page } from '../sources/render-input.ts'
import {
  callout,
  deprecationSentence,
  mainResponse,
  mediaHtml,
  methodBadge,
  operationMarks,
  operationSummary,
  responseHtml,
  securityHtml,
  splitDescription,
  stabilityTitle,
  statusWords,
} from './operation-parts.ts'
import { cut, oneLine, plainText } from './plain-text.ts'
import type { Operation } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { createPageDraft, type PageDraft } from './reference-context.ts'
import { operationMarkdown } from './reference-markdown.ts'
import { requestSamples } from './request-samples.ts'
import { createSchemaTrees, type SchemaTrees } from './schema-tree.ts'
import { viewSchema } from './schema-view.ts'
import { tryItForm } from './try-it-form.ts'

const places = {
  path: 'In the path',
  query: 'In the query',
  header: 'Headers',
  cookie: 'Cookies',
}

export function operationPage(operation: Operation, reference: Reference): Page {
  const { context } = reference
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)
  const tryIt = tryItForm(operation, reference)
  const hasSamples = !operation.isWebhook
  // On wide screens the samples are a column beside the text, which is around them otherwise.
  if (hasSamples) draft.add(new Html('<div class="api-operation">\n<div class="prose">\n'))
  addIntroduction(draft, operation, reference)
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
  addParameters(draft, operation, trees)
  addBody(draft, operation, { reference, trees })
  addResponses(draft, operation, { reference, trees })
  addCallbacks(draft, operation)
  if (hasSamples) draft.add(new Html('</div>\n</div>\n'))
  return draft.page({
    path: operation.path,
    title: operation.title,
    description: describe(operationSummary(operation)),
    markdown: operationMarkdown(operation, reference),
    ...(tryIt && { connectTo: tryIt.origin }),
  })
}

function addIntroduction(draft: PageDraft, operation: Operation, reference: Reference): void {
  const { context } = reference
  const { method, route, isWebhook, deprecated, operationId, stability, externalDocs } = operation
  const { replacement, description } = splitDescription(operation)
  draft.add(
    html`<div class="api-endpoint">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code>${isWebhook && html` <span class="api-mark">webhook</span>`}${operationMarks(operation)}</div>
`,
    `${method} ${oneLine(route)} ${operationId ?? ''} ${plainText(operation.description)}`,
  )
  if (deprecated) {
    const text = replacement && context.prose(linkOperations(replacement, reference.operations))
    draft.add(callout('caution', deprecationSentence(operation), html`${text}`))
  }
  if (stability?.meaning !== undefined) {
    const kind = stability.meaning.includes('notice') ? 'note' : 'warning'
    draft.add(callout(kind, stabilityTitle(operation), html`<p>${stability.meaning}</p>`))
  }
  if (description !== undefined) draft.add(context.prose(description))
  if (externalDocs) {
    draft.add(html`<p><a href="${externalDocs.url}">${externalDocs.title}</a></p>
`)
  }
}

/** The route with its parameters marked; lines may break after a slash. */
export function routeHtml(route: string): Html {
  const pieces = cut(route, 500).split(/(\{[^{}]*\})/)
  return html`${pieces.map((piece, index) => {
    if (index % 2 === 1) return html`<span class="api-path-parameter">${piece}</span>`
    return new Html(html`${piece}`.text.replaceAll('/', '/<wbr>'))
  })}`
}

/** In Markdown, "GET /pets" becomes a link if the operation exists. */
function linkOperations(markdown: string, operations: readonly Operation[]): string {
  return markdown.replaceAll(
    /(`?)\b([A-Z]{3,7}) (\/[^\s`,;()[\]]*[^\s`,;:.()[\]]|\/)\1/g,
    (whole, tick, method, route) => {
      const found = operations.find((item) => item.method === method && item.route === route)
      return found ? `[${tick}${method} ${route}${tick}](${hrefOf(found.path)})` : whole
    },
  )
}

function addParameters(draft: PageDraft, { parameters }: Operation, trees: SchemaTrees): void {
  if (parameters.length === 0) return
  draft.section({ level: 2, id: 'parameters', text: 'Parameters' })
  for (const [place, title] of Object.entries(places)) {
    const found = parameters.filter((parameter) => parameter.in === place)
    if (found.length === 0) continue
    const rows = found.map((item) => trees.row({ ...item, name: html`${cut(item.name, 200)}` }))
    draft.add(
      html`<h3 class="api-place">${title}</h3>
<ul class="api-fields">${rows}</ul>
`,
      found.map(({ name, description }) => `${name} ${plainText(description)}`).join(' '),
    )
  }
}

interface Surroundings {
  reference: Reference
  trees: SchemaTrees
}

function addBody(
  draft: PageDraft,
  { body, isWebhook }: Operation,
  { reference, trees }: Surroundings,
): void {
  if (body === undefined) return
  const { context } = reference
  draft.section({ level: 2, id: 'body', text: 'Request body' })
  if (!body.required) draft.add(html`<p>Optional.</p>`)
  if (body.description !== undefined) {
    draft.add(context.prose(body.description), plainText(body.description))
  }
  const options = { context, trees, isRequest: true, isUnfolded: true, isShownBeside: !isWebhook }
  draft.add(mediaHtml(body.media, options))
  const names = body.media.flatMap(({ schema }) => [
    ...viewSchema(schema, context.resolve).properties.keys(),
  ])
  draft.add(false, [...new Set(names)].slice(0, 500).join(' '))
}

function addResponses(
  draft: PageDraft,
  { responses, isWebhook }: Operation,
  { reference, trees }: Surroundings,
): void {
  if (responses.length === 0) return
  const text = isWebhook ? 'Expected responses' : 'Responses'
  draft.section({ level: 2, id: 'responses', text })
  const opened = mainResponse(responses)
  for (const response of responses) {
    const words = plainText(response.description) || statusWords(response.status)
    const isOpen = response === opened
    const options = { reference, trees, isOpen, isShownBeside: isOpen && !isWebhook }
    draft.add(responseHtml(response, options), `${response.status} ${words}`)
  }
}

function addCallbacks(draft: PageDraft, { callbacks }: Operation): void {
  if (callbacks.length === 0) return
  draft.section({ level: 2, id: 'callbacks', text: 'Callbacks' })
  draft.add(html`<p>Requests that it may send to you:</p>
<ul class="api-fields">${callbacks.slice(0, 100).map(
    ({ name, expression, method, summary }) =>
      html`<li class="api-field"><div class="api-field-head">${methodBadge(method)} <code class="api-name">${cut(name, 100)}</code></div>
<p>${summary !== undefined && `${oneLine(plainText(summary))} `}Sent to <code>${cut(expression, 300)}</code>.</p></li>
`,
  )}</ul>
`)
}
