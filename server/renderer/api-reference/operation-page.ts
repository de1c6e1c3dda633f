// The page of one operation: description, deprecation, request, example and responses; and Try it. What its parts have in
// common with the overview is exported.

import { Html, html, icon, type Value } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import {
  capital,
  cut,
  exampleLanguage,
  exampleText,
  jsonText,
  oneLine,
  plainText,
} from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import type { Header, Operation, Response, SecurityScheme } from './document/read-operations.ts'
import { examplesOf } from './document/sample-value.ts'
import { viewSchema } from './document/schema-view.ts'
import { createPageDraft, type PageDraft, type Reference } from './reference-context.ts'
import { requestSamples } from './request-samples.ts'
import { createSchemaTrees, joined, mark, type SchemaTrees } from './schema-tree.ts'
import { tryItForm } from './try-it-form.ts'

export function operationPage(operation: Operation, reference: Reference): Page {
  const { context } = reference
  const { deprecation, description, isWebhook, method, path, route, title } = operation
  const draft = createPageDraft(context)
  const parts = { operation, reference, trees: createSchemaTrees(context) }
  const tryIt = tryItForm(operation, reference)
  const hasSamples = !isWebhook
  // On wide screens the samples are a column beside the text, which is around them otherwise.
  if (hasSamples) draft.add(new Html('<div class="api-operation">\n<div class="prose">\n'))
  addIntroduction(draft, operation)
  if (hasSamples) {
    draft.add(new Html('</div>\n<div class="api-exchange">\n'))
    draft.section('request', 'Example request', requestSamples(operation, reference), '')
    draft.add(html`${new Html('</div>\n<div class="prose">\n')}${tryIt?.form}`, '')
  }
  if (hasSamples || operation.security !== undefined) {
    draft.section('authentication', 'Authentication', securityHtml(operation, reference), '')
  }
  draft.section('parameters', 'Parameters', parametersHtml(parts))
  const inBody = operation.body?.media.map(({ schema }) => parts.trees.searchWords(schema))
  const bodyWords = [plainText(operation.body?.description), ...new Set(inBody)].join(' ')
  draft.section('body', 'Request body', bodyHtml(parts), bodyWords)
  draft.section(
    'responses',
    isWebhook ? 'Expected responses' : 'Responses',
    operation.responses.map((response) => responseHtml(response, parts)),
    operation.responses.map((item) => `${item.status} ${plainText(item.description)}`).join(' '),
  )
  draft.section('callbacks', 'Callbacks', callbacksHtml(parts), '')
  if (hasSamples) draft.add(new Html('</div>\n</div>\n'))
  const summary = plainText(description) || `${method} ${oneLine(route)}`
  return draft.page({
    path,
    title,
    description: deprecation === undefined ? summary : `${deprecation} ${summary}`,
    ...(tryIt && { connectTo: tryIt.origin }),
  })
}

type PageParts = { operation: Operation; reference: Reference; trees: SchemaTrees }

function addIntroduction(draft: PageDraft, operation: Operation): void {
  const { method, route, isWebhook, deprecation, operationId, stability, externalDocs } = operation
  draft.add(
    html`<div class="api-endpoint">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code>${isWebhook && mark('webhook', '')}${operationMarks(operation)}</div>`,
    `${method} ${oneLine(route)} ${operationId ?? ''} ${plainText(operation.description)}`,
  )
  if (deprecation !== undefined) draft.add(callout('caution', deprecation), '')
  if (stability?.meaning !== undefined) {
    const kind = stability.word === 'beta' ? 'note' : 'warning'
    draft.add(callout(kind, capital(stability.word), html`<p>${stability.meaning}</p>`), '')
  }
  draft.prose(operation.description)
  draft.add(externalDocs && html`<p><a href="${externalDocs.url}">${externalDocs.title}</a></p>`)
}

function callout(kind: 'warning' | 'caution' | 'note', title: string, text?: Value): Html {
  return html`<div class="callout callout-${kind}" role="note"><div class="callout-title">${icon(kind)}<span>${title}</span></div>
${text}</div>`
}

/** In a list of operations: its method and route, its title as a link. */
export function operationCells(operation: Operation): Html[] {
  const { method, path, route, title } = operation
  return [
    html`<span class="api-route">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code></span>`,
    html`<a href="${hrefOf(path)}">${title}</a>${operationMarks(operation)}`,
  ]
}

/** The route with its parameters marked; lines may break after a slash. */
function routeHtml(route: string): Html {
  const pieces = cut(route, 500).split(/(\{[^{}]*\})/)
  return html`${pieces.map((piece, index) => {
    if (index % 2 === 1) return html`<span class="api-path-parameter">${piece}</span>`
    return new Html(html`${piece}`.text.replaceAll('/', '/<wbr>'))
  })}`
}

/** Next to the title of an operation, in lists. */
function operationMarks({ stability, deprecation }: Operation): Html {
  const kind = stability?.meaning && stability.word
  return html`${stability && mark(stability.word, kind ?? '')}${deprecation && mark('deprecated')}`
}

function methodBadge(method: string): Html {
  return html`<span class="api-method api-method-${method.toLowerCase()}">${method}</span>`
}

/** The security requirements of an operation: alternatives, each with one or more schemes. */
function securityHtml({ security }: Operation, { schemes }: Reference): Html {
  const items = security?.slice(0, 20).map((needs) => {
    const parts = needs.slice(0, 20).map(({ scheme, scopes }) => {
      const declared = schemes.get(scheme)
      const name = oneLine(declared?.title ?? scheme, 80)
      const shown = scopes.slice(0, 30).map((scope) => html` <code>${cut(scope, 120)}</code>`)
      const scoped = html` ${scopes.length === 1 ? 'Scope:' : 'Scopes:'}${shown}.`
      return html`<strong>${name}</strong>. ${declared && schemeSentence(declared)}${shown.length > 0 && scoped}`
    })
    return parts.length > 0 ? joined(parts, html` <strong>and</strong> `) : 'No authentication.'
  })
  const [only = 'No authentication required.', ...others] = items ?? ['Not specified.']
  return others.length === 0
    ? html`<p>${only}</p>`
    : html`<p>One of these:</p><ul>${items?.map((item) => html`<li>${item}</li>`)}</ul>`
}

export function schemeSentence({ words, code }: SecurityScheme): Html {
  return html`${words}${code !== undefined && html` <code>${code}</code>.`}`
}

const places = { path: 'In the path', query: 'In the query', header: 'Headers', cookie: 'Cookies' }

function parametersHtml({ operation: { parameters }, trees }: PageParts): Html[] {
  const byPlace = Map.groupBy(parameters, (parameter) => parameter.in)
  return [...byPlace].map(
    ([place, items]) => html`<h3 class="api-place">${places[place]}</h3>
${trees.list(items)}`,
  )
}

function bodyHtml({ operation, reference, trees }: PageParts): Html | undefined {
  const { body, isWebhook } = operation
  // The request of a webhook comes from the API, so that it may have what is read-only.
  const isRequest = isWebhook ? undefined : true
  if (!body) return undefined
  return html`${!body.required && html`<p>Optional.</p>`}${reference.context.prose(body.description)}${mediaHtml(body.media, { operation, reference, trees }, isRequest)}`
}

/** A response as a collapsible block with its status and meaning as the summary. */
function responseHtml(response: Response, parts: PageParts): Html {
  const { status, description = '', headers, media } = response
  const isMain = response === parts.operation.mainResponse
  const [first = '', ...rest] = description.trim().split(/\n[ \t]*\n/)
  const more = first.length > 300 ? description : rest.join('\n\n').trim()
  const words = oneLine(plainText(first), 160) || response.phrase
  return html`<details class="api-response"${isMain && html` open`}><summary><span class="api-status api-status-${status.charAt(0)}">${status}</span> <span class="api-status-words">${words}</span></summary>
<div class="api-response-content">
${parts.reference.context.prose(more)}
${mediaHtml(media, parts, false, isMain)}${headersHtml(headers, parts)}</div></details>`
}

/**
 * Media types with the same content are shown together. `isRequest`: a request has no read-only fields, a response no
 * write-only ones; undefined: with all. If `isUnfolded`, the schema is expanded; otherwise its name is shown, with a link.
 */
function mediaHtml(
  media: Response['media'],
  { operation, reference: { context }, trees }: PageParts,
  isRequest: boolean | undefined,
  isUnfolded = true,
): Html {
  const groups = Map.groupBy(media, ({ schema, examples }) =>
    jsonText([schema, examples], { indent: false }),
  )
  return html`${[...groups.values()].map((group) => {
    const types = group.map(({ type }) => html`<code>${oneLine(type, 100)}</code>`)
    const [first] = group as [Response['media'][number]]
    const { schema, type } = first
    const tree = isUnfolded
      ? trees.whole(schema, isRequest)
      : html`<p class="api-field-head">${trees.type(viewSchema(schema, context.resolve))}</p>`
    const options = { resolve: context.resolve, isRequest: isRequest === true }
    const examples = examplesOf(first, options).slice(0, maxExamples)
    const shown = examples.map(({ name, summary = name, value }, index) => {
      // What is unfolded has its first example beside it, except in webhooks.
      const isOpen = isUnfolded ? operation.isWebhook && index === 0 : examples.length === 1
      const title = summary === undefined ? 'Example' : `Example: ${oneLine(summary, 120)}`
      return html`<details class="api-example"${isOpen && html` open`}><summary>${title}</summary>
${context.code(exampleText(value, type), exampleLanguage(type))}</details>`
    })
    return html`<div class="api-media"><p class="api-media-type">${joined(types, ' or ')}</p>
${schema !== undefined && tree}${shown}</div>`
  })}`
}

const maxExamples = 30

function headersHtml(headers: Header[], { reference, trees }: PageParts): Html {
  const own = headers.filter((header) => !reference.headers.isCommon(header))
  const fold = html`<details class="api-fold"><summary>${own.length === 1 ? '1 header' : `${own.length} headers`}</summary>
${headerList(own, trees)}</details>`
  const others = html`<a href="${hrefOf(reference.context.overviewPath)}#headers">headers of every response</a>`
  const common = html`<p class="api-elsewhere">${own.length > 0 ? 'And the' : 'Has the'} ${others}.</p>`
  return html`${own.length > 0 && fold}${own.length < headers.length && common}`
}

export function headerList(headers: readonly Header[], trees: SchemaTrees): Html | false {
  // A header that is always sent is not shown as "required".
  return trees.list(headers.slice(0, 60).map((header) => ({ ...header, required: false })))
}

function callbacksHtml(parts: PageParts): Html | false {
  const callbacks = parts.operation.callbacks.slice(0, 100)
  const items = callbacks.map(({ name, expression, method, summary, body, responses }) => {
    const statuses = responses.map(({ status }) => html`<code>${status}</code>`)
    return html`<li class="api-field"><div class="api-field-head">${methodBadge(method)} <code class="api-name">${cut(name, 100)}</code></div>
<p>${oneLine(plainText(summary))} Sent to <code>${cut(expression, 300)}</code>.${statuses.length > 0 && html` Expected responses: ${joined(statuses, ', ')}.`}</p>
${body && mediaHtml(body.media, parts, undefined)}</li>`
  })
  const list = html`<p>Requests that it may send to you:</p>
<ul class="api-fields">${items}</ul>`
  return items.length > 0 && list
}
